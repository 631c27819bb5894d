package io.gauss.bench.model;

import java.util.List;

/**
 * What a transaction of a load does, whatever cluster it runs on.
 *
 * @param name for users
 * @param measuredAs name of the benchmark whose own work it has
 * @param statements of the client, each of which waits for the one before
 * @param writing share of the transactions that change anything
 * @param pages the pages that it accesses
 * @param spread whether each transaction runs on any node, so that no node is a page's own one
 * @param hot what serves one transaction at a time
 */
record Load(
    String name,
    String measuredAs,
    double statements,
    double writing,
    List<PageClass> pages,
    boolean spread,
    List<HotSpot> hot) {

  /**
   * Pages that come from other nodes for a transaction, as far as accesses tell.
   *
   * @param nodes compute nodes
   * @param astray share of the transactions that run on another node than where they belong
   */
  double transfers(int nodes, double astray) {
    double away = spread ? everywhere(nodes) : astray;
    return pages.stream().mapToDouble(page -> page.transfers(nodes, away)).sum();
  }

  /** Probability that the next transaction at a hot spot comes from another node. */
  static double everywhere(int nodes) {
    return (nodes - 1.0) / nodes;
  }

  /** The same with other hot spots. */
  Load withHot(List<HotSpot> spots) {
    return new Load(name, measuredAs, statements, writing, pages, spread, spots);
  }

  /** The same on whichever node. */
  Load spreadOut() {
    return new Load(name + ", sprayed", measuredAs, statements, writing, pages, true, hot);
  }
}
