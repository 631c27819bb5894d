package io.gauss.memory.wire;

/**
 * How long a page from another compute node took until it was sent, in a {@code long}. The high
 * half is how long the request waited at the page's home, the low half how long the owner had the
 * order; both in microseconds, at most about 71 minutes. Clocks of different machines are not
 * compared: each node measures its own part.
 */
public final class TransferTimes {
  private static final int HALF_BITS = 32;
  private static final long HALF_MASK = (1L << HALF_BITS) - 1;
  private static final long NANOS_PER_MICRO = 1000;

  private TransferTimes() {}

  /**
   * @param queuedNanos of the request at the home
   * @param heldNanos from the order's arrival at the owner until the page was sent
   */
  public static long of(long queuedNanos, long heldNanos) {
    return half(queuedNanos) << HALF_BITS | half(heldNanos);
  }

  private static long half(long nanos) {
    return Math.clamp(nanos / NANOS_PER_MICRO, 0, HALF_MASK);
  }

  public static long queuedNanos(long times) {
    return (times >>> HALF_BITS) * NANOS_PER_MICRO;
  }

  public static long heldNanos(long times) {
    return (times & HALF_MASK) * NANOS_PER_MICRO;
  }
}
