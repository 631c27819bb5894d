package io.gauss.storage.node;

import java.util.Map;

/**
 * What the newest cluster map that is known here says about who needs the logs of streams (rule
 * 44). Thread-safe.
 */
interface Tenures {
  /**
   * The storage nodes that the map named for any slice when it placed the group of a stream, with
   * their tenures then. The stream is not trimmed before they have subscribed to it.
   */
  Map<Integer, Long> awaitedBy(int stream);

  /**
   * The highest tenure of a node that is known to be over; below 0 if none is. It ends with a
   * version of the map that names the node for no slice.
   */
  long over(int node);
}
