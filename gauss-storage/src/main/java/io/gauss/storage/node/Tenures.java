package io.gauss.storage.node;

import java.util.Map;

/**
 * What the newest cluster map that is known here says about who needs the logs of streams (rule
 * 44). Thread-safe.
 */
interface Tenures {
  /**
   * The storage nodes that the map names for any slice, with their tenures. A new stream is not
   * trimmed before they have subscribed to it.
   *
   * <p>It does not matter whether the map is that which placed the stream, or a later one. Of those
   * who were named then, it lacks who is gone, or has a later tenure: that subscribes before its
   * image comes. Whom it names in addition is awaited for nothing.
   */
  Map<Integer, Long> holders();

  /**
   * The highest tenure of a node that is known to be over; below 0 if none is. It ends with a
   * version of the map that names the node for no slice.
   */
  long over(int node);
}
