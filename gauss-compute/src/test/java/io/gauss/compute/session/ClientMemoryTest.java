package io.gauss.compute.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import org.junit.jupiter.api.Test;

class ClientMemoryTest {
  private final ClientMemory memory = new ClientMemory(1_000, 600);

  private static void assertRefused(String bound, Runnable step) {
    GaussException refused = assertThrows(GaussException.class, step::run);
    assertEquals(SqlState.OUT_OF_MEMORY, refused.state());
    assertTrue(refused.detail().endsWith("the most is " + bound + "."), refused.detail());
  }

  @Test
  void aSessionTakesNoMoreThanItsBound() {
    ClientMemory.Share share = memory.open();
    share.resize(0, 600);
    assertRefused("600", () -> share.resize(0, 1));
    assertRefused("600", () -> share.resize(100, 101));
    share.resize(100, 50);
    share.resize(0, 50);
    assertEquals(600, memory.taken());
  }

  @Test
  void allSessionsTogetherTakeNoMoreThanTheNodesBound() {
    ClientMemory.Share first = memory.open();
    ClientMemory.Share second = memory.open();
    first.resize(0, 600);
    second.resize(0, 400);
    assertRefused("1000", () -> second.resize(0, 1));
    first.close();
    assertEquals(400, memory.taken());
    second.resize(400, 600);
    second.close();
    assertEquals(0, memory.taken());
  }

  @Test
  void whatIsRefusedIsNotCounted() {
    ClientMemory.Share share = memory.open();
    assertRefused("600", () -> share.resize(0, 601));
    assertEquals(0, memory.taken());
    share.resize(0, 600);
  }

  @Test
  void aSessionMayAlwaysTakeAWholeMessage() {
    ClientMemory.Share share = ClientMemory.ofHeap(1 << 20).open();
    share.resize(0, 64 << 20);
  }
}
