package io.gauss.compute.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.session.Savepoints.Savepoint;
import org.junit.jupiter.api.Test;

class SavepointsTest {
  private static final int BOUND = 100_000;

  private final ClientMemory memory = new ClientMemory(BOUND, BOUND);
  private final Savepoints savepoints = new Savepoints(memory.open());

  private void add(String name) {
    savepoints.add(new Savepoint(name, 0, 0, 0, 0, null, null, false));
  }

  @Test
  void theirNumberIsBoundedByTheSessionsMemory() {
    GaussException e =
        assertThrows(
            GaussException.class,
            () -> {
              for (int i = 0; i < BOUND; i++) {
                add("s" + i);
              }
            });
    assertEquals(SqlState.OUT_OF_MEMORY, e.state());
    assertTrue(savepoints.size() > 100);
  }

  @Test
  void thoseThatAreForgottenTakeNothing() {
    add("a");
    long one = memory.taken();
    add("b");
    add("a");
    savepoints.keep(1);
    assertEquals(one, memory.taken());
    assertEquals(0, savepoints.find("a"));
    savepoints.keep(0);
    assertEquals(0, memory.taken());
  }
}
