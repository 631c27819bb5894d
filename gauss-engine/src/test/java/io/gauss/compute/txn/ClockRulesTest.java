package io.gauss.compute.txn;

import static io.gauss.compute.txn.Interleavings.counterExample;
import static io.gauss.compute.txn.Interleavings.step;
import static io.gauss.compute.txn.Interleavings.when;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.LamportClock;
import io.gauss.compute.txn.Interleavings.Run;
import io.gauss.compute.txn.Interleavings.Step;
import io.gauss.compute.txn.undo.CommitTable;
import io.gauss.compute.txn.undo.SnapshotRegistry;
import io.gauss.compute.txn.undo.UndoProbe;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The rules that the visibility protocol stands or falls with, each explored over all interleavings
 * of its steps on the real clock, table and registry: with the rule there is no counter-example,
 * and without it there is one.
 */
class ClockRulesTest {
  private static final long SEQUENCE = 7;

  // ---- rule 2: pending, then the CSN, then published; whoever meets pending waits

  @Test
  void aSnapshotSeesTheSameTwiceWhenCommitsArePublishedAsPendingFirst() {
    assertNull(counterExample(() -> readsTwice(true)));
  }

  @Test
  void withoutPendingASnapshotMissesACommitAndThenSeesIt() {
    assertNotNull(counterExample(() -> readsTwice(false)));
  }

  private static Run readsTwice(boolean pendingFirst) {
    LamportClock clock = new LamportClock(1, 1 << 8);
    CommitTable table = tableWithOneChunk();
    long[] csn = new long[1];
    long[] snapshot = new long[1];
    Boolean[] seen = new Boolean[2];
    List<Step> committer =
        List.of(
            step(
                () -> {
                  if (pendingFirst) {
                    table.set(SEQUENCE, CommitTable.PENDING);
                  }
                }),
            step(() -> csn[0] = clock.next(1)),
            step(() -> table.set(SEQUENCE, csn[0])));
    List<Step> reader =
        List.of(
            step(() -> snapshot[0] = clock.now()),
            look(table, snapshot, seen, 0),
            look(table, snapshot, seen, 1));
    List<Step> others = List.of(step(() -> clock.next(1)));
    return new Run(List.of(committer, reader, others), () -> seen[0].equals(seen[1]));
  }

  private static Step look(CommitTable table, long[] snapshot, Boolean[] seen, int index) {
    return when(
        () -> table.get(SEQUENCE) != CommitTable.PENDING,
        () -> {
          long entry = table.get(SEQUENCE);
          seen[index] = entry != CommitTable.ACTIVE && entry <= snapshot[0];
        });
  }

  private static CommitTable tableWithOneChunk() {
    CommitTable table = new CommitTable();
    table.add(new CommitTable.Chunk(0, 1));
    return table;
  }

  // ---- rule 2 with two nodes: a question carries the snapshot, and the holder's clock is raised

  @Test
  void anotherNodesSnapshotSeesTheSameTwiceWhenItsQuestionsRaiseTheHoldersClock() {
    assertNull(counterExample(() -> asksTwice(true)));
  }

  @Test
  void withoutThatACommitIsMissedAndThenSeen() {
    assertNotNull(counterExample(() -> asksTwice(false)));
  }

  private static Run asksTwice(boolean raise) {
    LamportClock holder = new LamportClock(1, 1 << 8);
    LamportClock asker = new LamportClock(2, 5 << 8);
    CommitTable table = tableWithOneChunk();
    long[] csn = new long[1];
    long[] snapshot = new long[1];
    Boolean[] seen = new Boolean[2];
    List<Step> committer =
        List.of(
            step(() -> table.set(SEQUENCE, CommitTable.PENDING)),
            step(() -> csn[0] = holder.next(1)),
            step(() -> table.set(SEQUENCE, csn[0])));
    Step arrives =
        step(
            () -> {
              if (raise) {
                holder.observe(snapshot[0]);
              }
            });
    List<Step> reader =
        List.of(
            step(() -> snapshot[0] = asker.now()),
            arrives,
            look(table, snapshot, seen, 0),
            arrives,
            look(table, snapshot, seen, 1));
    return new Run(List.of(committer, reader), () -> seen[0].equals(seen[1]));
  }

  // ---- rule 7: a lower bound is registered before the clock is read

  @Test
  void noHorizonRisesAboveASnapshotThatRegisteredBeforeItReadTheClock() {
    assertNull(counterExample(() -> snapshotBesidePurge(true)));
  }

  @Test
  void aSnapshotThatReadsTheClockFirstIsOvertakenByPurge() {
    assertNotNull(counterExample(() -> snapshotBesidePurge(false)));
  }

  private static Run snapshotBesidePurge(boolean registerFirst) {
    LamportClock clock = new LamportClock(1, 1 << 8);
    SnapshotRegistry registry = new SnapshotRegistry();
    int slot = registry.takeSlot();
    long[] bound = new long[1];
    long[] snapshot = new long[1];
    long[] now = new long[1];
    long[] horizon = new long[1];
    Step readsBound = step(() -> bound[0] = clock.now());
    Step registers = step(() -> registry.register(slot, bound[0]));
    List<Step> reader =
        registerFirst
            ? List.of(readsBound, registers, step(() -> snapshot[0] = clock.now()))
            : List.of(
                step(
                    () -> {
                      snapshot[0] = clock.now();
                      bound[0] = snapshot[0];
                    }),
                registers);
    List<Step> purge =
        List.of(
            step(() -> now[0] = clock.now()),
            step(() -> horizon[0] = UndoProbe.lowest(registry, now[0])));
    List<Step> commits = List.of(step(() -> clock.next(1)), step(() -> clock.next(1)));
    return new Run(List.of(reader, purge, commits), () -> horizon[0] <= snapshot[0]);
  }

  // ---- rule 3: the clock that goes with a page is read after the page was given up

  @Test
  void aPageStampedAfterItWasGivenUpCarriesTheClockOfEveryReaderItHad() {
    assertNull(counterExample(() -> pageMoves(true)));
  }

  @Test
  void aPageStampedBeforeItWasGivenUpLetsACommitSlipBelowASnapshot() {
    assertNotNull(counterExample(() -> pageMoves(false)));
  }

  /**
   * A snapshot reads a page on the giver and misses a write; the taker writes it and commits. The
   * write's CSN must be above the snapshot, since the snapshot did not see it.
   */
  private static Run pageMoves(boolean stampAfterFlip) {
    LamportClock giver = new LamportClock(1, 1 << 8);
    LamportClock taker = new LamportClock(2, 1 << 8);
    boolean[] owned = {true};
    boolean[] arrived = {false};
    long[] stamp = new long[1];
    long[] snapshot = new long[1];
    boolean[] missed = {false};
    long[] csn = new long[1];
    List<Step> reader =
        List.of(
            step(() -> giver.next(2)),
            step(() -> snapshot[0] = giver.now()),
            step(() -> missed[0] = owned[0]));
    Step flips = step(() -> owned[0] = false);
    Step stamps = step(() -> stamp[0] = giver.now());
    Step sends = step(() -> arrived[0] = true);
    List<Step> gives =
        stampAfterFlip ? List.of(flips, stamps, sends) : List.of(stamps, flips, sends);
    List<Step> takes =
        List.of(
            when(() -> arrived[0], () -> taker.observe(stamp[0])),
            step(() -> csn[0] = taker.next(1)));
    return new Run(List.of(reader, gives, takes), () -> !missed[0] || csn[0] > snapshot[0]);
  }

  // ---- rule 4: what is shown is durable

  @Test
  void whoeverWaitsForTheCommitsThatItSawShowsNothingThatACrashTakesBack() {
    assertNull(counterExample(() -> readerAnswers(true)));
  }

  @Test
  void whoeverAnswersAtOnceShowsWhatACrashTakesBack() {
    assertNotNull(counterExample(() -> readerAnswers(false)));
  }

  private static Run readerAnswers(boolean waitsForDurable) {
    LamportClock clock = new LamportClock(1, 1 << 8);
    CommitTable table = tableWithOneChunk();
    long[] durable = {0};
    long[] csn = new long[1];
    long[] answered = new long[1];
    long[] sawCsn = new long[1];
    boolean[] crashed = {false};
    List<Step> committer =
        List.of(
            step(() -> table.set(SEQUENCE, CommitTable.PENDING)),
            step(() -> csn[0] = clock.next(1)),
            step(() -> table.set(SEQUENCE, csn[0])),
            step(
                () -> {
                  if (!crashed[0]) {
                    durable[0] = csn[0];
                  }
                }));
    List<Step> reader =
        List.of(
            when(
                () -> table.get(SEQUENCE) != CommitTable.PENDING,
                () -> sawCsn[0] = Math.max(0, table.get(SEQUENCE))),
            when(
                () -> !waitsForDurable || durable[0] >= sawCsn[0] || crashed[0],
                () -> {
                  if (!crashed[0]) {
                    answered[0] = sawCsn[0];
                  }
                }));
    List<Step> crash = List.of(step(() -> crashed[0] = true));
    return new Run(List.of(committer, reader, crash), () -> answered[0] <= durable[0]);
  }

  // ---- rule 1: one clock, and reading takes no tick

  @Test
  void snapshotsTakeNoTick() {
    LamportClock clock = new LamportClock(1, 1 << 8);
    SnapshotRegistry registry = new SnapshotRegistry();
    Snapshot snapshot = new Snapshot(registry);
    long before = clock.now();
    snapshot.open(clock, 1);
    assertEquals(before, snapshot.lsn());
    assertEquals(before, clock.now());
  }

  @Test
  void aCommitAfterASnapshotIsAboveItAndOneBeforeIsNot() {
    LamportClock clock = new LamportClock(3, 1 << 8);
    long before = clock.next(1);
    Snapshot snapshot = new Snapshot(new SnapshotRegistry());
    snapshot.open(clock, 1);
    long after = clock.next(1);
    assertTrue(before <= snapshot.lsn());
    assertTrue(after > snapshot.lsn());
  }

  // ---- rule 24: what was overwritten

  @Test
  void aSnapshotAtOrAboveTheHighestOverwrittenCsnSeesWhatWasOverwrittenAndOneBelowDoesNotKnow() {
    CommitTable table = tableWithOneChunk();
    table.set(1, 100 << 8);
    table.set(2, 300 << 8);
    table.set(3, -(400 << 8)); // rolled back: never visible, so it does not count
    table.add(new CommitTable.Chunk(1, 2));
    UndoProbe.dropOldest(table);
    assertEquals(CommitTable.OVERWRITTEN, table.get(1));
    assertEquals(300 << 8, table.overwrittenCsn());
    assertTrue(Visibility.overwrittenIsVisible(300 << 8, table.overwrittenCsn()));
    assertFalse(Visibility.overwrittenIsVisible((300 << 8) - 1, table.overwrittenCsn()));
  }
}
