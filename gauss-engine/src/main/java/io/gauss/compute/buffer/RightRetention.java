package io.gauss.compute.buffer;

/**
 * How long a node among others keeps its rights to pages. {@link #UNTIL_WANTED} is what is meant
 * for use; the others are there to measure what it is worth.
 */
public enum RightRetention {
  /** Until another node wants the page, or its frame is wanted; several nodes may read a page. */
  UNTIL_WANTED,

  /** As long, but a page is on one node at a time, also to be read. */
  ALONE,

  /** Until some transaction of the node ends and nobody uses the page: then it goes home. */
  PER_TRANSACTION
}
