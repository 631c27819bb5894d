package io.gauss.compute.buffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PageTurnsTest {
  private static final long PAGE = 7;

  private final PriorityQueue<Due> due = new PriorityQueue<>(Comparator.comparingLong(Due::at));
  private final Set<Long> pinned = new HashSet<>();
  private final Set<Long> kept = new HashSet<>();
  private final List<Long> over = new ArrayList<>();
  private final PageTurns turns =
      new PageTurns(() -> this.now, this::later, pinned::contains, kept::contains);
  private long now = 1_000;
  private int looks;

  private record Due(long at, Runnable action) {}

  private void later(long nanos, Runnable action) {
    due.add(new Due(now + nanos, action));
  }

  private void begin(long page) {
    turns.begin(page, () -> over.add(page));
  }

  private void advance(long nanos) {
    long until = now + nanos;
    while (!due.isEmpty() && due.peek().at() <= until) {
      Due next = due.poll();
      now = next.at();
      looks++;
      next.action().run();
    }
    now = until;
  }

  @Test
  void turnsThatNobodyWaitsForEndTogether() {
    for (long page = 1; page <= 100; page++) {
      begin(page);
    }
    assertEquals(List.of(), over);
    advance(PageTurns.UNWANTED_NANOS);
    assertEquals(100, over.size());
    assertEquals(1, looks);
    assertTrue(due.isEmpty(), "nothing wakes the lane any more");
  }

  @Test
  void aPageThatIsWantedIsGivenAsSoonAsItIsNotPinned() {
    pinned.add(PAGE);
    begin(PAGE);
    turns.wanted(PAGE);
    advance(4 * PageTurns.LOOK_NANOS);
    assertEquals(List.of(), over);
    pinned.clear();
    advance(PageTurns.LOOK_NANOS);
    assertEquals(List.of(PAGE), over);
  }

  @Test
  void aTurnThatIsOverEndsWhenThePageIsWanted() {
    begin(PAGE);
    advance(PageTurns.LOOK_NANOS);
    turns.wanted(PAGE);
    assertEquals(List.of(PAGE), over);
    advance(PageTurns.UNWANTED_NANOS);
    assertEquals(List.of(PAGE), over, "once");
  }

  @Test
  void whoIsAboutToPinThePageHasAMomentForIt() {
    turns.begin(PAGE, () -> over.add(PAGE));
    turns.wanted(PAGE);
    assertEquals(List.of(), over);
    advance(PageTurns.LOOK_NANOS);
    assertEquals(List.of(PAGE), over);
  }

  @Test
  void aPageThatIsAlwaysPinnedIsGivenAllTheSame() {
    pinned.add(PAGE);
    begin(PAGE);
    turns.wanted(PAGE);
    advance(PageTurns.TURN_NANOS);
    assertEquals(List.of(PAGE), over);
  }

  @Test
  void aPageThatIsKeptWithOthersHasMoreTime() {
    kept.add(PAGE);
    begin(PAGE);
    turns.wanted(PAGE);
    advance(PageTurns.TURN_NANOS + PageTurns.LOOK_NANOS);
    assertEquals(List.of(), over);
    kept.clear();
    advance(PageTurns.LOOK_NANOS);
    assertEquals(List.of(PAGE), over);
  }

  @Test
  void anUnwantedTurnGoesOnWhileThePageIsKept() {
    kept.add(PAGE);
    begin(PAGE);
    advance(PageTurns.KEEP_NANOS - PageTurns.UNWANTED_NANOS);
    assertEquals(List.of(), over);
    advance(2 * PageTurns.UNWANTED_NANOS);
    assertEquals(List.of(PAGE), over);
  }

  @Test
  void theNextTurnOfAPageIsAnotherOne() {
    begin(PAGE);
    advance(PageTurns.UNWANTED_NANOS / 2);
    turns.wanted(PAGE);
    begin(PAGE);
    turns.wanted(PAGE);
    assertEquals(List.of(PAGE), over);
    advance(PageTurns.LOOK_NANOS);
    assertEquals(List.of(PAGE, PAGE), over);
    advance(2 * PageTurns.UNWANTED_NANOS);
    assertEquals(List.of(PAGE, PAGE), over);
    assertTrue(due.isEmpty());
  }

  @Test
  void aTurnMayBeginWhileOthersEnd() {
    turns.begin(1, () -> begin(2));
    begin(3);
    advance(PageTurns.UNWANTED_NANOS);
    assertEquals(List.of(3L), over);
    advance(2 * PageTurns.UNWANTED_NANOS);
    assertEquals(List.of(3L, 2L), over);
  }
}
