package io.gauss.compute.buffer;

/**
 * How long a node of a cluster keeps its rights to pages. {@link #UNTIL_WANTED} is the one meant
 * for use; the others serve to measure its benefit.
 */
public enum RightRetention {
  /** Until another node wants the page, or its frame is wanted; several nodes may read a page. */
  UNTIL_WANTED,

  /** As long, but a page is on only one node at a time, even to be read. */
  ALONE,

  /** Until some transaction of the node ends and the page is not in use: then it goes home. */
  PER_TRANSACTION
}
