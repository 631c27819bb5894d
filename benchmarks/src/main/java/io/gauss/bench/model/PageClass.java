package io.gauss.bench.model;

/**
 * Pages that are accessed alike. Accesses are taken for independent of each other: the node of each
 * is drawn anew, as is whether it writes. Then the state of a page depends on the accesses since
 * its last write alone, and how many of them need a transfer has a closed form.
 *
 * @param name for users
 * @param reads distinct pages that a transaction only reads
 * @param writes distinct pages that it changes
 * @param remote share of the accesses that come from other nodes than the page's own one, although
 *     the transaction runs where it belongs
 */
record PageClass(String name, double reads, double writes, double remote) {

  /**
   * Pages, or rights to them, that come from other nodes for a transaction.
   *
   * @param nodes compute nodes
   * @param astray share of the transactions that run on another node than where they belong
   */
  double transfers(int nodes, double astray) {
    if (nodes == 1 || reads + writes == 0) {
      return 0;
    }
    double away = Math.min(1 - (1 - remote) * (1 - astray), (nodes - 1.0) / nodes);
    double own = 1 - away;
    double other = away / (nodes - 1);
    double written = writes / (reads + writes);
    return writes * (moves(own) + (nodes - 1) * moves(other))
        + reads * (copies(own, written) + (nodes - 1) * copies(other, written));
  }

  /** A write of the node with this share finds that another node has written last. */
  private static double moves(double share) {
    return share * (1 - share);
  }

  /** A read of the node with this share: another node has written since its last access. */
  private static double copies(double share, double written) {
    double others = written * (1 - share);
    return share == 0 || others == 0 ? 0 : share * others / (others + share);
  }
}
