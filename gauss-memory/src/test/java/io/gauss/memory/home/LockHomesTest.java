package io.gauss.memory.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.SqlState;
import io.gauss.memory.lock.LockAction;
import io.gauss.memory.lock.LockMode;
import io.gauss.memory.lock.LockName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The locks of an event loop's buckets. */
class LockHomesTest {
  private static final LockName TABLE = new LockName(LockName.Kind.TABLE, 7);
  private static final LockName ADVISORY = new LockName(LockName.Kind.ADVISORY, 7);

  private final List<Object> sent = new ArrayList<>();
  private final LockHomes homes =
      new LockHomes(
          2,
          new LockHomes.Orders() {
            @Override
            public void order(LockName name, LockAction action) {
              sent.add(action);
            }

            @Override
            public void refuse(
                LockName name, int epoch, long request, SqlState state, String message) {
              sent.add(state + " " + request);
            }
          });

  @Test
  void locksOfDifferentKindsAreDifferentLocks() {
    homes.request(TABLE, 1, 10, LockMode.ACCESS_EXCLUSIVE, false, false);
    homes.request(ADVISORY, 2, 20, LockMode.EXCLUSIVE, false, false);
    assertEquals(
        List.of(
            new LockAction.Grant(1, 10, LockMode.ACCESS_EXCLUSIVE, 1),
            new LockAction.Grant(2, 20, LockMode.EXCLUSIVE, 1)),
        sent);
  }

  @Test
  void thereIsABoundAndFreeLocksAreForgotten() {
    homes.request(TABLE, 1, 10, LockMode.SHARE, false, false);
    homes.request(ADVISORY, 1, 11, LockMode.SHARE, false, false);
    LockName third = new LockName(LockName.Kind.OBJECT, 1);
    homes.request(third, 1, 12, LockMode.SHARE, false, false);
    assertEquals("OUT_OF_MEMORY 12", sent.getLast());
    homes.request(TABLE, 2, 20, LockMode.SHARE, false, false);
    assertEquals(new LockAction.Grant(2, 20, LockMode.SHARE, 2), sent.getLast());
    homes.release(ADVISORY, 1, LockMode.SHARE.bit(), 1);
    assertEquals(1, homes.size());
    homes.request(third, 1, 13, LockMode.SHARE, false, false);
    assertEquals(new LockAction.Grant(1, 13, LockMode.SHARE, 1), sent.getLast());
  }

  @Test
  void aHomeThatBeginsTakesItThatADeadNodeHadEverythingUntilItIsRecovered() {
    homes.begin(TABLE.bucket(), Map.of(1, 0));
    homes.reported(TABLE, 3, LockMode.ACCESS_SHARE, 5);
    homes.request(TABLE, 2, 20, LockMode.ACCESS_SHARE, false, false);
    assertEquals(List.of(), sent);
    homes.request(ADVISORY, 2, 21, LockMode.SHARE, false, false); // of another bucket
    assertEquals(new LockAction.Grant(2, 21, LockMode.SHARE, 1), sent.getLast());
    homes.recovered(1);
    assertEquals(new LockAction.Grant(2, 20, LockMode.ACCESS_SHARE, 6), sent.getLast());
    homes.request(TABLE, 3, 30, LockMode.ROW_SHARE, false, false);
    assertEquals(new LockAction.Grant(3, 30, LockMode.ROW_SHARE, 7), sent.getLast());
  }

  @Test
  void whoRecoversANodeIsNotHinderedByWhatItMayHaveHad() {
    homes.begin(TABLE.bucket(), Map.of(1, 0));
    homes.inherit(1, 2);
    homes.request(TABLE, 2, 20, LockMode.ACCESS_EXCLUSIVE, false, false);
    assertEquals(new LockAction.Grant(2, 20, LockMode.ACCESS_EXCLUSIVE, 1), sent.getLast());
    homes.request(TABLE, 3, 30, LockMode.ACCESS_SHARE, false, false);
    homes.release(TABLE, 2, LockMode.ACCESS_EXCLUSIVE.bit(), 1);
    assertFalse(sent.contains(new LockAction.Grant(3, 30, LockMode.ACCESS_SHARE, 2)));
    homes.recovered(1);
    assertEquals(new LockAction.Grant(3, 30, LockMode.ACCESS_SHARE, 2), sent.getLast());
  }

  @Test
  void whatIsReportedAnewIsRecalledAnewForWhoAsksAgain() {
    homes.request(TABLE, 1, 10, LockMode.ACCESS_SHARE, false, false);
    homes.request(TABLE, 2, 20, LockMode.ACCESS_EXCLUSIVE, false, false);
    LockAction.Recall recall = new LockAction.Recall(1, LockMode.ACCESS_SHARE.bit(), 1);
    assertEquals(recall, sent.getLast());
    sent.clear();
    homes.reported(TABLE, 1, LockMode.ACCESS_SHARE, 1);
    homes.request(TABLE, 2, 20, LockMode.ACCESS_EXCLUSIVE, false, false);
    assertEquals(List.of(recall), sent);
  }

  @Test
  void aDeathConcernsAllLocks() {
    homes.request(TABLE, 1, 10, LockMode.ROW_EXCLUSIVE, false, false);
    homes.request(ADVISORY, 1, 11, LockMode.EXCLUSIVE, false, false);
    homes.request(TABLE, 2, 20, LockMode.SHARE, false, false);
    homes.request(ADVISORY, 3, 30, LockMode.EXCLUSIVE, false, false);
    homes.died(1);
    homes.inherit(1, 2);
    assertEquals(new LockAction.Grant(2, 20, LockMode.SHARE, 2), sent.getLast());
    homes.recovered(1);
    assertEquals(new LockAction.Grant(3, 30, LockMode.EXCLUSIVE, 2), sent.getLast());
    homes.forget(TABLE.bucket());
    assertTrue(homes.lock(TABLE).isFree());
  }

  @Test
  void whoRecoversANodeGetsItsAdvisoryLocksNoSoonerThanOthers() {
    homes.request(ADVISORY, 1, 10, LockMode.SHARE, false, false);
    homes.died(1);
    homes.inherit(1, 2);
    homes.request(ADVISORY, 2, 20, LockMode.EXCLUSIVE, false, false);
    assertEquals(new LockAction.Grant(1, 10, LockMode.SHARE, 1), sent.getLast());
    homes.recovered(1);
    assertEquals(new LockAction.Grant(2, 20, LockMode.EXCLUSIVE, 2), sent.getLast());
    LockName other = LockName.advisory(1, 2);
    homes.release(ADVISORY, 2, LockMode.EXCLUSIVE.bit(), 2);
    homes.begin(other.bucket(), Map.of(3, 2));
    homes.request(other, 2, 21, LockMode.EXCLUSIVE, false, true);
    assertEquals(new LockAction.Deny(2, 21), sent.getLast());
  }

  @Test
  void advisoryLocksLeaveRoomForTables() {
    homes.request(ADVISORY, 1, 10, LockMode.SHARE, false, false);
    homes.request(LockName.advisory(8), 1, 11, LockMode.SHARE, false, false);
    assertEquals("OUT_OF_MEMORY 11", sent.getLast());
    homes.request(TABLE, 1, 12, LockMode.SHARE, false, false);
    assertEquals(new LockAction.Grant(1, 12, LockMode.SHARE, 1), sent.getLast());
    homes.release(ADVISORY, 1, LockMode.SHARE.bit(), 1);
    homes.request(LockName.advisory(8), 1, 13, LockMode.SHARE, false, false);
    assertEquals(new LockAction.Grant(1, 13, LockMode.SHARE, 1), sent.getLast());
    homes.forget(LockName.advisory(8).bucket());
    homes.request(ADVISORY, 1, 14, LockMode.SHARE, false, false);
    assertEquals(new LockAction.Grant(1, 14, LockMode.SHARE, 1), sent.getLast());
  }

  /** A node reports its leases in messages of their own, and may die between two of them. */
  @Test
  void whoDiesBeforeItHasReportedAllOfALockMayHaveHadEveryModeOfIt() {
    homes.reported(TABLE, 1, LockMode.ROW_EXCLUSIVE, 5);
    homes.begin(TABLE.bucket(), Map.of(1, 0));
    homes.died(1);
    homes.request(TABLE, 3, 30, LockMode.ACCESS_SHARE, false, false);
    assertEquals(List.of(), sent);
    homes.recovered(1);
    assertEquals(new LockAction.Grant(3, 30, LockMode.ACCESS_SHARE, 6), sent.getLast());
  }
}
