package io.gauss.compute.session.setting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import org.junit.jupiter.api.Test;

/** A transaction that changes settings again and again, with long values. */
class SettingsRoomTest {
  private static final int BOUND = 100_000;
  private static final String NAME = "application_name";

  private long taken;

  private final SessionSettings settings =
      new SessionSettings(
          (setting, value) -> {},
          (setting, value) -> {},
          (before, now) -> {
            if (taken + now - before > BOUND) {
              throw new GaussException(SqlState.OUT_OF_MEMORY, "out of memory");
            }
            taken += now - before;
          });

  @Test
  void changesOfATransactionAreBounded() {
    GaussException e =
        assertThrows(
            GaussException.class,
            () -> {
              for (int i = 0; i < BOUND; i++) {
                settings.set(NAME, "value " + i, false);
              }
            });
    assertEquals(SqlState.OUT_OF_MEMORY, e.state());
    settings.rollback();
    assertEquals(0, taken);
  }

  @Test
  void valuesAreCountedAfterTheTransaction() {
    settings.set(NAME, "a".repeat(40_000), false);
    settings.set(NAME, "b".repeat(40_000), false);
    settings.commit();
    assertEquals(40_000, taken);
    settings.reset(NAME, false);
    settings.commit();
    assertTrue(taken < 1_000);
  }

  @Test
  void whatASavepointUndoesIsFreedWithItsTransaction() {
    for (int i = 0; i < BOUND; i++) {
      int savepoint = settings.position();
      settings.set(NAME, "value " + i, true);
      settings.rollbackTo(savepoint);
      settings.commit();
    }
    assertEquals(0, taken);
  }
}
