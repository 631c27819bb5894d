package io.gauss.common.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.ref.Reference;
import org.junit.jupiter.api.Test;

class SlabTest {

  @Test
  void aSlabIsZeroAndAlignedAndItsLastByteCanBeWritten() {
    long bytes = 5 << 20;
    Slab slab = Slab.allocate(bytes);
    long base = slab.address();
    assertEquals(0, base % 4096);
    for (long at = 0; at < bytes; at += 8) {
      assertEquals(0, Memory.getLong(base + at));
    }
    Memory.putLong(base + bytes - 8, 42);
    assertEquals(42, Memory.getLong(base + bytes - 8));
    Reference.reachabilityFence(slab);
  }

  @Test
  void manyGigabytesCostNothingUntilTheyAreTouched() {
    Slab slab = Slab.allocate(64L << 30);
    Memory.putLong(slab.address() + (63L << 30), 1);
    assertEquals(1, Memory.getLong(slab.address() + (63L << 30)));
    Reference.reachabilityFence(slab);
  }
}
