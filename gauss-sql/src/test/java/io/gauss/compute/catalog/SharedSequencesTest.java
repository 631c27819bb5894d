package io.gauss.compute.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.page.PageLayout;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.space.SystemSpaces;
import io.gauss.compute.store.StoreEngine;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Sequences of two nodes over the same rows. Their locks are those of one engine, which end ranges
 * in hand as leases do.
 */
class SharedSequencesTest {
  private static final SequenceDef SEQUENCE =
      new SequenceDef(20_000, "public", "s", 1, 1, 1, Long.MAX_VALUE, 1, false, 0, 0);

  private final StoreEngine engine = new StoreEngine(256, PageLayout.PAGE_BYTES);
  private final EngineContext caller = engine.newContext();
  private final Sequences one = sequences(engine);
  private final Sequences two = sequences(engine);

  private static Sequences sequences(StoreEngine engine) {
    engine.store().ensure(engine.newContext(), SystemSpaces.CATALOG + 1);
    return new Sequences(engine.store(), engine::session);
  }

  @AfterEach
  void close() {
    engine.close();
  }

  @Test
  void nodesNeverGiveTheSameValue() {
    one.begin(SEQUENCE);
    Set<Long> given = new HashSet<>();
    for (int i = 0; i < 3 * Sequences.RANGE; i++) {
      assertTrue(given.add(one.next(SEQUENCE, caller)));
      assertTrue(given.add(two.next(SEQUENCE, caller)));
    }
  }

  @Test
  void whatOneNodeSetsTheOtherGoesOnWith() {
    one.begin(SEQUENCE);
    one.next(SEQUENCE, caller);
    two.next(SEQUENCE, caller);
    one.set(SEQUENCE, 1000, true, caller);
    assertEquals(1001, two.next(SEQUENCE, caller));
    two.set(SEQUENCE, 5, false, caller);
    assertEquals(5, one.next(SEQUENCE, caller));
  }

  @Test
  void valuesInHandComeBackOnlyWhenNobodyHasTakenMore() {
    one.begin(SEQUENCE);
    assertEquals(1, one.next(SEQUENCE, caller));
    assertEquals(2, one.giveBack(SEQUENCE, caller));
    assertEquals(2, one.next(SEQUENCE, caller));
    long later = two.next(SEQUENCE, caller);
    one.giveBack(SEQUENCE, caller);
    assertTrue(one.next(SEQUENCE, caller) > later);
  }

  /** Not even the rollback of the change that failed is possible then. */
  @Test
  void everyStatementIsToldThatTheLogHasFailed() {
    one.begin(SEQUENCE);
    LogBuffer log = engine.engine().log();
    log.awaitVisible(caller, log.reservedLsn());
    log.fail(new IOException("no disk"));
    for (int i = 0; i < 3; i++) {
      GaussException e = assertThrows(GaussException.class, () -> one.next(SEQUENCE, caller));
      assertEquals(SqlState.IO_ERROR, e.state());
    }
  }

  @Test
  void oidsAreGivenOnceAndAboveWhatIsThere() {
    Set<Integer> given = new HashSet<>();
    for (int i = 0; i < 2 * Sequences.RANGE; i++) {
      assertTrue(given.add(one.newOid(20_000)));
      assertTrue(given.add(two.newOid(20_000)));
    }
    assertTrue(given.stream().allMatch(oid -> oid >= 20_000));
    assertTrue(one.newOid(50_000) >= 50_000);
  }
}
