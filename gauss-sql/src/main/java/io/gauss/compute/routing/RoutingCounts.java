package io.gauss.compute.routing;

/**
 * What a node counts of the transactions whose clients choose nodes in the same way.
 *
 * @param transactions that began
 * @param accesses to pages that were, or had come, here
 * @param transfers pages, or rights to them, that came from other nodes
 * @param sampled transactions whose samples were kept
 * @param sampledPages distinct pages of tables and indexes that they touched
 * @param sampledTransfers pages, or rights to them, that came from other nodes for these
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
