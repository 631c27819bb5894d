package io.gauss.memory.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.explore.Exploration;
import io.gauss.memory.lock.LockAction.Deny;
import io.gauss.memory.lock.LockAction.Grant;
import io.gauss.memory.lock.LockAction.Keep;
import io.gauss.memory.lock.LockAction.Probe;
import io.gauss.memory.lock.LockAction.Recall;
import io.gauss.memory.lock.LockModel.Flaw;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which node gets a global lock, and when. */
class LockTransitionsTest {
  private static final int STATES = 1_000_000;
  private static final List<LockMode> WEAK_AND_STRONG =
      List.of(LockMode.ROW_EXCLUSIVE, LockMode.SHARE);

  private GlobalLock lock = GlobalLock.FREE;

  // ---- all reachable states

  @Test
  void twoNodesNeverHaveConflictingModesAndNobodyWaitsForEver() {
    explore(new LockModel(2, 2, 1, false, WEAK_AND_STRONG, Flaw.NONE));
  }

  @Test
  void threeNodesNeverHaveConflictingModes() {
    explore(
        new LockModel(
            3,
            1,
            1,
            false,
            List.of(LockMode.ACCESS_SHARE, LockMode.ROW_EXCLUSIVE, LockMode.ACCESS_EXCLUSIVE),
            Flaw.NONE));
  }

  @Test
  void whatADeadNodeHasChangedIsGuardedUntilItIsRolledBack() {
    explore(new LockModel(3, 1, 0, true, WEAK_AND_STRONG, Flaw.NONE));
    explore(new LockModel(2, 2, 0, true, WEAK_AND_STRONG, Flaw.NONE));
  }

  @Test
  void aNewHomeKnowsAllLeasesAndNobodyIsForgotten() {
    explore(new LockModel(2, 2, 0, false, 1, WEAK_AND_STRONG, Flaw.NONE));
    explore(new LockModel(2, 1, 1, false, 2, WEAK_AND_STRONG, Flaw.NONE));
  }

  @Test
  void whoWantsTheLockNowGetsItUnlessOthersHaveIt() {
    List<LockMode> alone = List.of(LockMode.EXCLUSIVE);
    explore(
        new LockModel(
            2, 1, 0, false, 0, List.of(LockMode.SHARE, LockMode.EXCLUSIVE), Flaw.NONE, true));
    explore(new LockModel(3, 1, 0, false, 0, alone, Flaw.NONE, true));
    explore(new LockModel(2, 1, 0, false, 1, alone, Flaw.NONE, true));
    explore(new LockModel(2, 1, 0, true, 0, alone, Flaw.NONE, true));
  }

  private static void explore(LockModel model) {
    Exploration.Found found = Exploration.explore(model, STATES);
    assertTrue(found.isSafe(), () -> String.join("\n", found.trace()));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void eachRuleIsNeeded(Flaw flaw) {
    LockModel model =
        switch (flaw) {
          case DEATH_ENDS_LEASES, HEARS_THE_DEAD ->
              new LockModel(2, 3, 0, true, WEAK_AND_STRONG, flaw);
          case NO_WAITING_FOR_REPORTS, NO_ASKING_AGAIN ->
              new LockModel(2, 2, 0, false, 1, WEAK_AND_STRONG, flaw);
          case NO_PROBES ->
              new LockModel(2, 1, 0, false, 0, List.of(LockMode.EXCLUSIVE), flaw, true);
          default -> new LockModel(2, 3, 1, false, WEAK_AND_STRONG, flaw);
        };
    Exploration.Found found = Exploration.explore(model, STATES);
    assertFalse(found.isSafe(), flaw + " was not found out in " + found.states() + " states");
  }

  // ---- single cases

  @Test
  void readersAndWritersOfRowsShareTheLock() {
    assertEquals(
        List.of(new Grant(1, 10, LockMode.ROW_EXCLUSIVE, 1)),
        request(1, 10, LockMode.ROW_EXCLUSIVE));
    assertEquals(
        List.of(new Grant(2, 20, LockMode.ROW_EXCLUSIVE, 2)),
        request(2, 20, LockMode.ROW_EXCLUSIVE));
  }

  private List<LockAction> request(int epoch, long number, LockMode mode) {
    return take(LockTransitions.request(lock, epoch, number, mode, false, false));
  }

  private List<LockAction> take(LockTransitions.Step step) {
    lock = step.lock();
    return step.actions();
  }

  @Test
  void ddlRecallsTheLeasesOnceAndGetsTheLockWhenAllAreBack() {
    request(1, 10, LockMode.ROW_EXCLUSIVE);
    request(2, 20, LockMode.ACCESS_SHARE);
    assertEquals(
        List.of(
            new Recall(1, LockMode.ROW_EXCLUSIVE.bit(), 2),
            new Recall(2, LockMode.ACCESS_SHARE.bit(), 2)),
        request(3, 30, LockMode.ACCESS_EXCLUSIVE));
    assertEquals(List.of(), request(4, 40, LockMode.ACCESS_EXCLUSIVE), "they were asked");
    assertEquals(List.of(), release(1, LockMode.ROW_EXCLUSIVE, 2));
    assertEquals(
        List.of(
            new Grant(3, 30, LockMode.ACCESS_EXCLUSIVE, 3),
            new Recall(3, LockMode.ACCESS_EXCLUSIVE.bit(), 3)),
        release(2, LockMode.ACCESS_SHARE, 2));
  }

  private List<LockAction> release(int epoch, LockMode mode, long upTo) {
    return take(LockTransitions.release(lock, epoch, mode.bit(), upTo));
  }

  @Test
  void whoComesLaterWaitsBehindDdlUnlessItHasTheLockAlready() {
    request(1, 10, LockMode.ACCESS_SHARE);
    request(2, 20, LockMode.ACCESS_EXCLUSIVE);
    assertEquals(List.of(), request(3, 30, LockMode.ACCESS_SHARE), "no reader overtakes");
    assertEquals(List.of(), request(1, 11, LockMode.ROW_EXCLUSIVE), "not even of this node");
    assertEquals(
        List.of(
            new Grant(1, 12, LockMode.ROW_EXCLUSIVE, 2),
            new Recall(1, LockMode.ROW_EXCLUSIVE.bit(), 2)),
        take(LockTransitions.request(lock, 1, 12, LockMode.ROW_EXCLUSIVE, true, false)),
        "node 2 waits for that very transaction");
  }

  @Test
  void whoWantsItNowIsDeniedWhenAllWhoMayHaveItSayThatTheyDo() {
    request(1, 10, LockMode.SHARE);
    request(2, 20, LockMode.SHARE);
    assertEquals(
        List.of(new Probe(1, 3, 30), new Probe(2, 3, 30)),
        take(LockTransitions.request(lock, 3, 30, LockMode.EXCLUSIVE, false, true)));
    assertEquals(
        List.of(new Grant(1, 11, LockMode.SHARE, 3)),
        request(1, 11, LockMode.SHARE),
        "nobody waits behind it");
    assertEquals(List.of(), take(LockTransitions.probed(lock, 1, 3, 30)));
    assertEquals(List.of(new Deny(3, 30)), take(LockTransitions.probed(lock, 2, 3, 30)));
    assertEquals(List.of(), lock.waiting());
  }

  @Test
  void whoWantsItNowGetsWhatTheOthersGiveBackMeanwhile() {
    request(1, 10, LockMode.EXCLUSIVE);
    take(LockTransitions.request(lock, 2, 20, LockMode.EXCLUSIVE, false, true));
    assertEquals(
        List.of(new Grant(2, 20, LockMode.EXCLUSIVE, 2)), release(1, LockMode.EXCLUSIVE, 1));
    assertEquals(List.of(), take(LockTransitions.probed(lock, 1, 2, 20)));
  }

  @Test
  void whoWantsItNowIsDeniedAtOnceBehindThoseWhoWaitAndWhileADeadNodeHasIt() {
    request(1, 10, LockMode.SHARE);
    request(2, 20, LockMode.EXCLUSIVE);
    assertEquals(
        List.of(new Deny(3, 30)),
        take(LockTransitions.request(lock, 3, 30, LockMode.SHARE, false, true)));
    take(LockTransitions.request(lock, 3, 31, LockMode.EXCLUSIVE, false, true));
    take(LockTransitions.withdraw(lock, 2, 20));
    assertEquals(
        List.of(new Probe(1, 3, 32)),
        take(LockTransitions.request(lock, 3, 32, LockMode.EXCLUSIVE, false, true)));
    assertEquals(List.of(new Deny(3, 32)), take(LockTransitions.died(lock, 1)));
    assertEquals(
        List.of(new Deny(3, 33)),
        take(LockTransitions.request(lock, 3, 33, LockMode.EXCLUSIVE, false, true)));
  }

  @Test
  void leasesThatNobodyWantsAnyMoreAreKept() {
    request(1, 10, LockMode.ROW_EXCLUSIVE);
    request(2, 20, LockMode.SHARE);
    assertEquals(
        List.of(new Keep(1, LockMode.ROW_EXCLUSIVE.bit())),
        take(LockTransitions.withdraw(lock, 2, 20)));
  }

  @Test
  void anEarlierReleaseDoesNotCountForALaterLease() {
    request(1, 10, LockMode.ROW_EXCLUSIVE);
    request(1, 11, LockMode.ROW_EXCLUSIVE);
    release(1, LockMode.ROW_EXCLUSIVE, 1);
    assertEquals(1, lock.leases().size());
    release(1, LockMode.ROW_EXCLUSIVE, 2);
    assertTrue(lock.isFree());
  }

  @Test
  void aDeadReaderIsForgottenAndADeadWriterIsRecoveredFirst() {
    request(1, 10, LockMode.ACCESS_SHARE);
    request(1, 11, LockMode.ROW_EXCLUSIVE);
    request(2, 20, LockMode.ACCESS_EXCLUSIVE);
    request(3, 30, LockMode.SHARE);
    assertEquals(List.of(), take(LockTransitions.died(lock, 1)));
    assertEquals(1, lock.leases().size());
    assertEquals(
        List.of(
            new Grant(2, 20, LockMode.ACCESS_EXCLUSIVE, 3),
            new Recall(2, LockMode.ACCESS_EXCLUSIVE.bit(), 3)),
        take(LockTransitions.inherit(lock, 1, 2)),
        "it is no hindrance to the recoverer");
    release(2, LockMode.ACCESS_EXCLUSIVE, 3);
    assertEquals(1, lock.waiting().size());
    assertEquals(
        List.of(new Grant(3, 30, LockMode.SHARE, 4)), take(LockTransitions.recovered(lock, 1)));
  }

  @Test
  void whenTheRecovererDiesTooTheLeasesWaitForAnother() {
    request(1, 10, LockMode.ROW_EXCLUSIVE);
    take(LockTransitions.died(lock, 1));
    take(LockTransitions.inherit(lock, 1, 2));
    take(LockTransitions.died(lock, 2));
    assertEquals(List.of(), request(3, 30, LockMode.SHARE));
    assertEquals(1, take(LockTransitions.inherit(lock, 1, 3)).size());
  }

  @Test
  void aNewHomeLearnsWhatNodesHaveAndNumbersGoOn() {
    lock = LockTransitions.reported(lock, 1, LockMode.ROW_EXCLUSIVE, 7);
    lock = LockTransitions.reported(lock, 1, LockMode.ROW_EXCLUSIVE, 7);
    lock = LockTransitions.reportedOrphan(lock, 9, LockMode.ROW_EXCLUSIVE, 2);
    assertEquals(2, lock.leases().size());
    assertEquals(
        List.of(new Recall(1, LockMode.ROW_EXCLUSIVE.bit(), 7)), request(2, 20, LockMode.SHARE));
    assertEquals(
        List.of(new Grant(2, 20, LockMode.SHARE, 8)), release(1, LockMode.ROW_EXCLUSIVE, 7));
  }
}
