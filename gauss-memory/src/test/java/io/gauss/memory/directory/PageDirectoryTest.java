package io.gauss.memory.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.memory.bucket.AppliedMarks;
import io.gauss.memory.bucket.BucketState;
import io.gauss.memory.bucket.ReadFloor;
import io.gauss.memory.coherence.DirectoryPage;
import io.gauss.memory.coherence.DirectoryPage.State;
import io.gauss.storage.map.api.PageBuckets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One event loop's entries. */
class PageDirectoryTest {
  private static final long PAGE = PageId.of(7, 130);
  private static final int STREAM = 3;
  private static final long LSN = Lsn.of(500, STREAM);

  private final PageDirectory directory = new PageDirectory("test", 1_000);
  private final DirectoryEntry entry = new DirectoryEntry();

  @AfterEach
  void close() {
    directory.close();
  }

  @Test
  void anEntryIsMadeOnceAndChangedInPlace() {
    assertFalse(directory.find(PAGE, entry));
    assertTrue(directory.findOrCreate(PAGE, entry));
    entry.set(owned(4));
    assertFalse(directory.findOrCreate(PAGE, entry), "it is there");
    DirectoryEntry other = new DirectoryEntry();
    assertTrue(directory.find(PAGE, other));
    assertEquals(owned(4), other.page(List.of()));
    assertEquals(1, directory.size());
  }

  @Test
  void aPageThatWasForgottenBeginsAnew() {
    directory.findOrCreate(PAGE, entry);
    entry.set(owned(4));
    assertTrue(directory.remove(PAGE));
    assertFalse(directory.remove(PAGE));
    assertTrue(directory.findOrCreate(PAGE, entry));
    assertEquals(DirectoryPage.UNKNOWN, entry.page(List.of()));
  }

  private static DirectoryPage owned(int slot) {
    return page(State.OWNED, slot, 0, LSN);
  }

  private static DirectoryPage page(State state, int owner, long sharers, long lsn) {
    return new DirectoryPage(state, owner, 0, 12, sharers, lsn, false, List.of());
  }

  @Test
  void aFullDirectoryRefusesNewPagesAndKeepsWhatItHas() {
    for (int i = 0; i < 1_000; i++) {
      directory.findOrCreate(PageId.of(1, i * 977), entry);
    }
    GaussException refused =
        assertThrows(GaussException.class, () -> directory.findOrCreate(PAGE, entry));
    assertEquals(SqlState.OUT_OF_MEMORY, refused.state());
    assertEquals(1_000, directory.size());
    for (int i = 0; i < 1_000; i++) {
      assertTrue(directory.find(PageId.of(1, i * 977), entry));
    }
    assertFalse(directory.findOrCreate(PageId.of(1, 977), entry), "known pages still work");
    directory.remove(PageId.of(1, 977));
    assertTrue(directory.findOrCreate(PAGE, entry), "there is room again");
  }

  @Test
  void pagesOfAnExtentAreOfOneBucketAndFoundByIt() {
    int bucket = PageBuckets.of(PAGE);
    for (int number = 128; number < 192; number++) {
      assertEquals(bucket, PageBuckets.of(PageId.of(7, number)));
    }
    directory.findOrCreate(PAGE, entry);
    directory.findOrCreate(PageId.of(7, 191), entry);
    List<Long> found = new ArrayList<>();
    directory.forEach(bucket, found::add);
    assertEquals(List.of(PAGE, PageId.of(7, 191)), found);
    directory.removeBucket(bucket);
    assertEquals(0, directory.size());
    assertEquals(0, directory.count(bucket));
  }

  // ---- rule 18

  private final AppliedMarks applied = new AppliedMarks();
  private final BucketState bucket = new BucketState();

  @Test
  void anEntryGoesOnceAllReplicasHaveItsLastChangeAndTheFloorIsRaisedBefore() {
    directory.findOrCreate(PAGE, entry);
    entry.set(page(State.FREE, 0, 0, LSN));
    applied.announce(STREAM, 8_000, LSN - Lsn.STEP);
    assertFalse(drop(), "a replica lacks the last change");
    assertEquals(0, bucket.floor().offset(STREAM));
    applied.announce(STREAM, 9_000, LSN);
    assertTrue(drop());
    assertEquals(9_000, bucket.floor().offset(STREAM), "no replica below that may answer");
    assertEquals(12, bucket.base(), "its numbers are not used again");
    assertFalse(directory.find(PAGE, entry));
  }

  @Test
  void anEntryThatSaysWhoHasThePageStays() {
    applied.announce(STREAM, 9_000, LSN);
    directory.findOrCreate(PAGE, entry);
    for (State state : State.values()) {
      if (state != State.FREE) {
        entry.set(page(state, 1, 0, LSN));
        assertFalse(drop(), state.toString());
      }
    }
    entry.set(page(State.FREE, 0, 0, LSN));
    assertTrue(drop());
  }

  @Test
  void aPageThatNobodyHasChangedNeedsNoFloor() {
    directory.findOrCreate(PAGE, entry);
    assertTrue(drop());
    assertEquals(0, bucket.floor().size());
  }

  @Test
  void marksAndFloorsOnlyRise() {
    applied.announce(3, 9_000, 500);
    applied.announce(3, 8_000, 400);
    assertEquals(500, applied.of(3).lsn());
    ReadFloor floor = bucket.floor();
    floor.raise(3, 10);
    floor.raise(1, 20);
    floor.raise(3, 5);
    ReadFloor other = new ReadFloor();
    other.raise(3, 7);
    other.raise(2, 1);
    floor.raise(other);
    assertEquals("floor 1:20 2:1 3:10", floor.toString());
  }

  private boolean drop() {
    return EntryDrops.dropIfPossible(directory, PAGE, entry, applied, bucket);
  }
}
