package io.gauss.memory.bucket;

/**
 * State of a bucket besides the entries of its pages. It moves with the bucket. Belongs to the
 * bucket's event loop.
 */
public final class BucketState {
  private final ReadFloor floor = new ReadFloor();
  private long base;

  /** The floor below which no replica may answer for pages without an entry (rule 18). */
  public ReadFloor floor() {
    return floor;
  }

  /**
   * Transfers and shares of pages without an entry get numbers above this, so that no number is
   * used twice for a page (rule 17).
   */
  public long base() {
    return base;
  }

  /** Notes that the number was used for some page. */
  public void used(long number) {
    base = Math.max(base, number);
  }
}
