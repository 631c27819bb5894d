package io.gauss.compute.wait;

/** Notified of the pages that a context accesses, see {@link PageStatistics#watch}. */
@FunctionalInterface
public interface PageAccesses {
  /**
   * A page was latched. On the context's thread, with the latch held; must be quick.
   *
   * @param address of the page's bytes, which may be read now
   * @param write whether it was latched to be written
   */
  void accessed(long pageId, long address, boolean write);
}
