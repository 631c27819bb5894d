package io.gauss.storage.map.api;

/** How many storage nodes keep the cluster map itself. */
public final class MapReplicas {
  /** More replicas would make the map slower, but no safer. */
  private static final int MOST = 5;

  private MapReplicas() {}

  /**
   * An odd number, since one more does not bear one loss more. But both of two: they have to answer
   * for each commit anyway, and without the map, which the lost one alone would have had, the other
   * one's copies are of no use.
   *
   * @param live storage nodes that the cluster has
   */
  public static int wanted(int live) {
    int most = Math.min(MOST, live);
    return most == 2 || most % 2 == 1 ? most : most - 1;
  }
}
