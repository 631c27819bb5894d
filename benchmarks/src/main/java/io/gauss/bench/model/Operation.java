package io.gauss.bench.model;

/** What a cluster does for transactions, counted per transaction. */
enum Operation {
  /** A page, or the right to it, comes from another compute node. */
  TRANSFER("a page transfer"),
  /** A part of a stream is made durable on three replicas. */
  APPEND("an append"),
  /** A call about the clock, or its answer, between compute nodes. */
  CLOCK_MESSAGE("a message about the clock"),
  /** A page comes from a page store. */
  PAGE_READ("a page from a page store"),
  /** A transaction that has changed something commits, and there are other compute nodes. */
  SHARED_COMMIT("a commit that others see"),
  /** A node of the role is there for a second. */
  NODE_SECOND("a node, each second");

  private final String title;

  Operation(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }
}
