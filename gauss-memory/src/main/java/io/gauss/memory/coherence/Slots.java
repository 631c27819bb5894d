package io.gauss.memory.coherence;

import java.util.function.IntConsumer;

/** Sets of compute slots, 1 to 63, as bits of a long. Bit 0 is not used. */
public final class Slots {
  public static final int MAX = 63;
  public static final long NONE = 0;

  private Slots() {}

  public static long of(int slot) {
    if (slot < 1 || slot > MAX) {
      throw new IllegalArgumentException("compute slot " + slot + " is not within 1 to " + MAX);
    }
    return 1L << slot;
  }

  public static boolean has(long slots, int slot) {
    return (slots >>> slot & 1) != 0;
  }

  public static long with(long slots, int slot) {
    return slots | of(slot);
  }

  public static long without(long slots, int slot) {
    return slots & ~(1L << slot);
  }

  public static void forEach(long slots, IntConsumer action) {
    for (long rest = slots; rest != 0; rest &= rest - 1) {
      action.accept(Long.numberOfTrailingZeros(rest));
    }
  }
}
