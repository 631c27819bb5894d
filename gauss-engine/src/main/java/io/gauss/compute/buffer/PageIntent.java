package io.gauss.compute.buffer;

/** What a thread wants of a page. */
enum PageIntent {
  READ,
  /** To read, and probably to write soon after. */
  READ_TO_WRITE,
  WRITE,
  /** To write, and that it stays for a turn though it may be here already. */
  RETAIN,
  /** To write a page of which it is known that nobody ever has: it is zero and nowhere read. */
  FRESH;

  /** Whether it needs the right to write. */
  boolean isToWrite() {
    return this != READ && this != READ_TO_WRITE;
  }
}
