package io.gauss.memory.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.memory.bucket.AppliedMarks;
import io.gauss.memory.bucket.PageBuckets;
import io.gauss.memory.bucket.ReadFloor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One event loop's entries. */
class PageDirectoryTest {
  private static final long PAGE = PageId.of(7, 130);

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
    entry.ownedBy(4);
    assertFalse(directory.findOrCreate(PAGE, entry), "it is there");
    DirectoryEntry other = new DirectoryEntry();
    assertTrue(directory.find(PAGE, other));
    assertEquals(4, other.owner());
    assertEquals(1, directory.size());
  }

  @Test
  void aPageThatWasForgottenBeginsAnew() {
    directory.findOrCreate(PAGE, entry);
    entry.ownedBy(4);
    entry.released(5, 6);
    assertTrue(directory.remove(PAGE));
    assertFalse(directory.remove(PAGE));
    assertTrue(directory.findOrCreate(PAGE, entry));
    assertEquals(EntryState.FREE, entry.state());
    assertEquals(0, entry.lsn());
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
  private final ReadFloor floor = new ReadFloor();

  @Test
  void anEntryGoesOnceAllReplicasHaveItsLastChangeAndTheFloorIsRaisedBefore() {
    directory.findOrCreate(PAGE, entry);
    entry.released(500, 3);
    applied.announce(3, 8_000, 499);
    assertFalse(drop(), "a replica lacks the last change");
    assertEquals(0, floor.offset(3));
    applied.announce(3, 9_000, 500);
    assertTrue(drop());
    assertEquals(9_000, floor.offset(3), "no replica below that may answer");
    assertFalse(directory.find(PAGE, entry));
  }

  @Test
  void anEntryThatSaysWhoHasThePageStays() {
    applied.announce(3, 9_000, 500);
    directory.findOrCreate(PAGE, entry);
    entry.released(400, 3);
    entry.ownedBy(1);
    assertFalse(drop(), "a compute node owns it");
    entry.inTransfer(1, 2);
    assertFalse(drop(), "it is on its way");
    entry.ownedByMemory();
    assertFalse(drop(), "memory owns it");
    entry.free();
    entry.sharers(4);
    assertFalse(drop(), "somebody reads it");
    entry.sharers(0);
    entry.addImage(2, 300);
    assertFalse(drop(), "there is a past image to be given up");
    entry.removeImage(0);
    assertTrue(drop());
  }

  @Test
  void marksAndFloorsOnlyRise() {
    applied.announce(3, 9_000, 500);
    applied.announce(3, 8_000, 400);
    assertEquals(500, applied.of(3).lsn());
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
    return EntryDrops.dropIfPossible(directory, PAGE, entry, applied, floor);
  }
}
