package io.gauss.memory.bucket;

/**
 * What is known of a bucket beside the entries of its pages. It moves with the bucket. Belongs to
 * the bucket's event loop.
 */
public final class BucketState {
  private final ReadFloor floor = new ReadFloor();
  private long base;

  /** Below which no replica may answer for pages without an entry (rule 18). */
  public ReadFloor floor() {
    return floor;
  }

  /**
   * Transfers and shares of pages without an entry are numbered from above this on, so that no
   * number is used twice for a page (rule 17).
   */
  public long base() {
    return base;
  }

  /** The number was used, for whatever page. */
  public void used(long number) {
    base = Math.max(base, number);
  }
}
