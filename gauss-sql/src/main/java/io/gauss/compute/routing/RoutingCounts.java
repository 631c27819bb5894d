package io.gauss.compute.routing;

/**
 * A node's counts of the transactions whose clients choose nodes in the same way.
 *
 * @param transactions that began
 * @param accesses to pages that this node had already or has received
 * @param transfers pages, or rights to them, that came from other nodes
 * @param sampled transactions whose samples were kept
 * @param sampledPages distinct pages of tables and indexes that the sampled transactions touched
 * @param sampledTransfers pages, or rights to them, that came from other nodes for the sampled
 *     transactions
 */
public record RoutingCounts(
    long transactions,
    long accesses,
    long transfers,
    long sampled,
    long sampledPages,
    long sampledTransfers) {
  public static final RoutingCounts NONE = new RoutingCounts(0, 0, 0, 0, 0, 0);

  RoutingCounts plus(RoutingCounts other) {
    return new RoutingCounts(
        transactions + other.transactions,
        accesses + other.accesses,
        transfers + other.transfers,
        sampled + other.sampled,
        sampledPages + other.sampledPages,
        sampledTransfers + other.sampledTransfers);
  }
}
