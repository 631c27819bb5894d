package io.gauss.bench.routing;

/**
 * The counts of nodes.
 *
 * @param transactions that began
 * @param accesses to pages
 * @param transfers pages, or rights to them, that came from other nodes
 * @param sampledPages distinct pages that sampled transactions touched
 * @param sampledTransfers of {@code transfers}, those for sampled transactions
 */
record TransferCounts(
    long transactions, long accesses, long transfers, long sampledPages, long sampledTransfers) {
  static final TransferCounts NONE = new TransferCounts(0, 0, 0, 0, 0);

  TransferCounts plus(TransferCounts other) {
    return new TransferCounts(
        transactions + other.transactions,
        accesses + other.accesses,
        transfers + other.transfers,
        sampledPages + other.sampledPages,
        sampledTransfers + other.sampledTransfers);
  }

  TransferCounts since(TransferCounts before) {
    return new TransferCounts(
        transactions - before.transactions,
        accesses - before.accesses,
        transfers - before.transfers,
        sampledPages - before.sampledPages,
        sampledTransfers - before.sampledTransfers);
  }

  /** NaN without transactions. */
  double perTransaction() {
    return transactions == 0 ? Double.NaN : (double) transfers / transactions;
  }

  /**
   * Share of the pages of sampled transactions that were there already, 0 to 1; NaN without any.
   */
  double ownedShare() {
    return sampledPages == 0
        ? Double.NaN
        : Math.max(0, 1 - (double) sampledTransfers / sampledPages);
  }
}
