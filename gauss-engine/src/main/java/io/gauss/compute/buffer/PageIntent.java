package io.gauss.compute.buffer;

/** What a thread wants to do with a page. */
enum PageIntent {
  READ,
  /** To read, and probably to write soon after. */
  READ_TO_WRITE,
  WRITE,
  /** To write, and to keep it for a turn, even if it is here already. */
  RETAIN,
  /**
   * To write a page that is known never to have been written: it is zero, and is not read from
   * anywhere.
   */
  FRESH;

  /** Whether it needs the right to write. */
  boolean isToWrite() {
    return this != READ && this != READ_TO_WRITE;
  }
}
