package io.gauss.memory.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.memory.bucket.AppliedMarks;
import io.gauss.memory.bucket.ReadFloor;
import io.gauss.memory.cache.SlotLayout;
import io.gauss.memory.coherence.DirectoryAction;
import io.gauss.memory.coherence.DirectoryAction.Grant;
import io.gauss.memory.coherence.DirectoryEvent;
import io.gauss.memory.coherence.DirectoryEvent.Want;
import io.gauss.memory.coherence.DirectoryPage;
import io.gauss.memory.coherence.DirectoryTable;
import io.gauss.memory.coherence.Mode;
import io.gauss.memory.directory.PageDirectory;
import io.gauss.storage.map.api.PageBuckets;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How a home handles pages' entries and bytes. */
class PageHomesTest {
  private static final int CAPACITY = 400;
  private static final long PAGE = PageId.of(5, 9);

  private final Arena arena = Arena.ofConfined();
  private final long bytes = Memory.allocate(arena, PageLayout.PAGE_BYTES, 8);
  private final PageDirectory directory = new PageDirectory("home", CAPACITY);
  private final List<Sent> sent = new ArrayList<>();
  private PageHomes homes = withSlots(100);

  /**
   * An order.
   *
   * @param content first word of the page's bytes; null = none were included
   */
  private record Sent(long page, Object what, Long content, String floor) {}

  private PageHomes withSlots(int slots) {
    return new PageHomes(
        directory,
        slots * (long) SlotLayout.BYTES,
        new AppliedMarks(),
        new PageOrders() {
          @Override
          public void order(long page, DirectoryAction action, long from, ReadFloor floor) {
            Long content = from == 0 ? null : Memory.getLong(from);
            sent.add(new Sent(page, action, content, floor == null ? null : floor.toString()));
          }

          @Override
          public void refuse(long page, int slot, SqlState state, String message) {
            sent.add(new Sent(page, slot + " " + state, null, null));
          }
        });
  }

  @AfterEach
  void close() {
    directory.close();
    arena.close();
  }

  private void want(int slot, Mode mode) {
    homes.handle(PAGE, new Want(slot, mode));
  }

  private void release(long page, int slot, long number, long lsn) {
    Memory.putLong(bytes, page ^ lsn);
    homes.released(page, slot, number, lsn, bytes);
  }

  @Test
  void aPageThatWasGivenBackComesFromMemoryNextTime() {
    want(1, Mode.WRITE);
    long lsn = Lsn.of(70, 1);
    release(PAGE, 1, 1, lsn);
    want(2, Mode.READ);
    want(3, Mode.READ);
    assertEquals(
        List.of(
            new Sent(PAGE, new Grant(1, true, 1, false, 0), null, "floor"),
            new Sent(PAGE, new Grant(2, false, 2, true, lsn), PAGE ^ lsn, null),
            new Sent(PAGE, new Grant(3, false, 3, true, lsn), PAGE ^ lsn, null)),
        sent);
  }

  @Test
  void whoWaitedForThePageGetsTheBytesThatCameEvenIfTheyAreNotKept() {
    homes = withSlots(2);
    long lsn = Lsn.of(70, 1);
    for (int i = 0; i < 50; i++) {
      long page = PageId.of(5, i);
      homes.handle(page, new Want(1, Mode.WRITE));
      homes.handle(page, new Want(2, Mode.WRITE));
      sent.clear();
      release(page, 1, 1, lsn);
      assertEquals(
          List.of(new Sent(page, new Grant(2, true, 3, true, lsn), page ^ lsn, null)), sent);
    }
    assertEquals(0, homes.cache().size(), "all of them are owned");
  }

  @Test
  void bytesThatAnOwnerMayHaveChangedAreGone() {
    want(1, Mode.WRITE);
    release(PAGE, 1, 1, Lsn.of(70, 1));
    want(2, Mode.WRITE);
    assertEquals(0, homes.cache().size());
  }

  @Test
  void aPageWhoseBytesWerePushedOutIsReadFromStorageAtItsLsn() {
    homes = withSlots(2);
    for (int i = 0; i < 10; i++) {
      long page = PageId.of(5, i);
      homes.handle(page, new Want(1, Mode.WRITE));
      release(page, 1, 1, Lsn.of(70 + i, 1));
    }
    sent.clear();
    int fromMemory = 0;
    for (int i = 0; i < 10; i++) {
      homes.handle(PageId.of(5, i), new Want(2, Mode.READ));
      Grant grant = (Grant) sent.get(i).what();
      assertEquals(Lsn.of(70 + i, 1), grant.lsn());
      fromMemory += grant.fromHome() ? 1 : 0;
    }
    assertTrue(fromMemory > 0 && fromMemory <= 2, fromMemory + " of them");
  }

  @Test
  void whatADeadOwnerMayHaveWrittenSinceThePageWasGivenBackIsWaitedForInStorage() {
    want(1, Mode.WRITE);
    homes.released(PAGE, 1, 1, Lsn.of(70, 1), 0);
    want(2, Mode.WRITE);
    int bucket = PageBuckets.of(PAGE);
    homes.bucket(bucket).floor().raise(2, 500);
    homes.died(bucket, 2);
    want(3, Mode.READ);
    assertEquals(
        new Sent(PAGE, new Grant(3, true, 3, false, Lsn.of(70, 1)), null, "floor 2:500"),
        sent.getLast());
  }

  @Test
  void aFullDirectoryRefusesUnknownPagesAndServesTheOthers() {
    for (int i = 0; i < CAPACITY; i++) {
      homes.handle(PageId.of(6, i), new Want(1, Mode.WRITE));
    }
    sent.clear();
    want(2, Mode.READ);
    assertEquals(List.of(new Sent(PAGE, "2 OUT_OF_MEMORY", null, null)), sent);
    homes.handle(PageId.of(6, 0), new Want(2, Mode.WRITE));
    assertEquals(new DirectoryAction.Transfer(1, 2, 2), sent.getLast().what());
    homes.handle(PAGE, new DirectoryEvent.Revoked(1, 7));
    assertEquals(2, sent.size(), "what changes nothing needs no room");
  }

  /** The owner had given it back when the home sent it the reader, and its entry is gone. */
  @Test
  void aReadThatAnOwnerRefusesIsRefusedByAFullDirectoryToo() {
    for (int i = 0; i < CAPACITY; i++) {
      homes.handle(PageId.of(6, i), new Want(1, Mode.WRITE));
    }
    sent.clear();
    homes.handle(PAGE, new DirectoryEvent.Refused(2));
    assertEquals(List.of(new Sent(PAGE, "2 OUT_OF_MEMORY", null, null)), sent);
  }

  @Test
  void aFullDirectoryMakesRoomWhenStorageHasApplied() {
    long lsn = Lsn.of(70, 1);
    for (int i = 0; i < CAPACITY; i++) {
      homes.handle(PageId.of(6, i), new Want(1, Mode.WRITE));
      homes.released(PageId.of(6, i), 1, 1, lsn, 0);
    }
    sweep();
    assertEquals(CAPACITY, directory.size());
    assertFalse(homes.sweep(), "it looks again only when there is a reason");
    homes.applied(1, 5_000, lsn);
    sweep();
    assertTrue(directory.size() < CAPACITY * 3 / 4);
    sent.clear();
    for (int i = 0; i < CAPACITY; i++) {
      homes.handle(PageId.of(6, i), new Want(2, Mode.READ));
    }
    long unknown = sent.stream().filter(s -> "floor 1:5000".equals(s.floor())).count();
    assertTrue(unknown > CAPACITY / 4, "pages without an entry are read at the floor");
    for (Sent one : sent) {
      assertTrue(((Grant) one.what()).number() > 1, "numbers are not used twice");
    }
  }

  private void sweep() {
    int steps = 0;
    while (homes.sweep()) {
      assertTrue(++steps < 100 * PageBuckets.BUCKETS);
    }
  }

  @Test
  void pagesOfADeadNodeAreFreeAndWhoWaitsForThemIsAskedAgain() {
    want(1, Mode.WRITE);
    want(2, Mode.WRITE);
    want(3, Mode.WRITE);
    assertEquals(1, homes.waiting());
    sent.clear();
    homes.died(PageBuckets.of(PAGE), 1);
    homes.handle(PAGE, new DirectoryEvent.NotTaken(2, 2));
    assertEquals(
        List.of(
            new DirectoryAction.Ask(2, 2),
            new Grant(2, true, 3, false, 0),
            new DirectoryAction.Transfer(2, 3, 4)),
        sent.stream().map(Sent::what).toList());
    assertEquals(0, homes.waiting());
  }

  @Test
  void aForgottenBucketBeginsAnew() {
    want(1, Mode.WRITE);
    release(PAGE, 1, 1, Lsn.of(70, 1));
    homes.forget(PageBuckets.of(PAGE));
    assertEquals(0, homes.cache().size());
    sent.clear();
    want(2, Mode.READ);
    assertEquals(new Grant(2, true, 1, false, 0), sent.getFirst().what());
  }

  // ---- against the table alone

  private final long seed = Long.getLong("gauss.seed", System.nanoTime());
  private final Random random = new Random(seed);

  @Test
  void aHomeDoesWhatItsTableSaysWithEntriesInAHashMap() {
    homes = withSlots(300);
    Map<Long, DirectoryPage> twin = new HashMap<>();
    for (int i = 0; i < 40_000; i++) {
      long page = PageId.of(1, random.nextInt(200));
      DirectoryPage before = twin.getOrDefault(page, DirectoryPage.UNKNOWN);
      DirectoryEvent event = event(before);
      DirectoryTable.Step step = DirectoryTable.step(before, event, 0);
      twin.put(page, step.page());
      sent.clear();
      if (event instanceof DirectoryEvent.Release release) {
        release(page, release.owner(), release.number(), release.lsn());
      } else {
        homes.handle(page, event);
      }
      String said = "seed " + seed + ", step " + i + ", " + before + ", " + event;
      assertEquals(step.actions(), sent.stream().map(Sent::what).toList(), said);
      for (Sent one : sent) {
        if (one.what() instanceof Grant grant && grant.fromHome()) {
          assertEquals(page ^ grant.lsn(), one.content(), said);
        }
      }
    }
    assertEquals(0, homes.cache().evictions());
  }

  /** Mostly events that are valid in the state. */
  private DirectoryEvent event(DirectoryPage page) {
    int slot = random.nextInt(4) == 0 ? 1 + random.nextInt(4) : Math.max(1, page.owner());
    long number = random.nextInt(8) == 0 ? random.nextInt(50) : page.number();
    return switch (random.nextInt(9)) {
      case 0 -> new DirectoryEvent.Confirm(Math.max(1, page.taker()), number, 0);
      case 1 -> new DirectoryEvent.Release(slot, number, Lsn.of(page.number() + 1, 1), true);
      case 2 -> new DirectoryEvent.Revoked(1 + random.nextInt(4), number);
      case 3 -> new DirectoryEvent.Refused(1 + random.nextInt(4));
      case 4 ->
          random.nextInt(10) == 0
              ? new DirectoryEvent.Died(1 + random.nextInt(4))
              : new DirectoryEvent.NotTaken(Math.max(1, page.taker()), number);
      case 5 -> new DirectoryEvent.Kept(slot, number);
      default -> new Want(1 + random.nextInt(4), random.nextInt(3) == 0 ? Mode.WRITE : Mode.READ);
    };
  }
}
