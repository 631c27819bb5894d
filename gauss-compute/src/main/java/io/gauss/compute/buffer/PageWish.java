package io.gauss.compute.buffer;

/** What a thread wants of a page. */
enum PageWish {
  READ,
  WRITE,
  /** To write, and that it stays for a turn though it may be here already. */
  KEEP,
  /** To write a page of which it is known that nobody ever has: it is zero and nowhere read. */
  FRESH
}
