package io.gauss.storage.local.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.SpaceDirectoryLayout;
import io.gauss.storage.api.TestMtrs;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The contract of page stores above any {@link KeyValueStore}. */
@Timeout(180)
public abstract class PageStoreContract {
  static final long PAGE = PageId.of(7, 3);
  private static final int IMAGE_MARK = 4000;

  final long destination =
      Memory.allocate(Arena.global(), PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES);
  private final AtomicLong free = new AtomicLong(Long.MAX_VALUE / 2);
  private PageStoreSettings settings =
      PageStoreSettings.defaults().withApply(new TestApply()).withFreeBytes(free::get);
  LocalPageStore store;
  long offset;
  private long counter = 1;

  /** Opens the store; the first time it is empty, later it is the same one again. */
  protected abstract LocalPageStore open(PageStoreSettings with);

  @BeforeEach
  final void open() {
    store = open(settings);
  }

  @AfterEach
  void close() {
    store.close();
  }

  void reopen() {
    store.close();
    open();
  }

  /** Applies an MTR with one record on stream 1 and returns the record's LSN. */
  long record(int type, long pageId, long previous, int payloadBytes) {
    long lsn = Lsn.of(counter++, 1);
    byte[] payload = new byte[payloadBytes];
    java.util.Arrays.fill(payload, (byte) counter);
    TestMtrs mtrs = new TestMtrs();
    mtrs.begin(lsn).record(type, pageId, previous, payload);
    ByteBuffer bytes = mtrs.take();
    long at = offset;
    offset += bytes.remaining();
    store.apply(1, at, bytes);
    return lsn;
  }

  long read(long pageId, long floor) {
    return store.readPage(pageId, 1, floor, destination).orTimeout(60, TimeUnit.SECONDS).join();
  }

  static SqlState stateOf(CompletableFuture<?> future) {
    CompletionException e =
        assertThrows(
            CompletionException.class, () -> future.orTimeout(60, TimeUnit.SECONDS).join());
    return assertInstanceOf(GaussException.class, e.getCause()).state();
  }

  @Test
  void aPageNeverWrittenIsZeroWithLsnZero() {
    Memory.putLong(destination + 100, 77);
    assertEquals(0, read(PAGE, 0));
    assertEquals(0, Memory.getLong(destination + 100));
  }

  // ---- dropped spaces

  private static final long DIRECTORY = SpaceDirectoryLayout.pageId(0);

  private long offset2;

  /** A record of stream 2, which follows any version that there may be. */
  private long recordOfStream2(int type, long pageId, long previous, byte[] payload) {
    long lsn = Lsn.of(counter++, 2);
    TestMtrs mtrs = new TestMtrs();
    mtrs.begin(lsn).record(type, pageId, previous, payload);
    ByteBuffer bytes = mtrs.take();
    long at = offset2;
    offset2 += bytes.remaining();
    store.apply(2, at, bytes);
    return lsn;
  }

  final void drop(int space) {
    recordOfStream2(TestApply.FORMAT, DIRECTORY, 0, TestApply.unneeded(space));
  }

  private boolean isThere(long pageId) {
    try (PagesImage image = store.image()) {
      for (long id = image.nextPage(); id != PageId.NONE; id = image.nextPage()) {
        if (id == pageId) {
          return true;
        }
        image.take(ByteBuffer.allocateDirect(PageLayout.PAGE_BYTES));
      }
    }
    return false;
  }

  @Test
  void pagesOfASpaceThatNothingUsesAreDeletedWithTheNextCheckpoint() {
    long before = record(TestApply.FORMAT, PageId.of(6, -1), 0, 10);
    record(TestApply.FORMAT, PAGE, 0, 10);
    record(TestApply.FORMAT, PageId.of(7, -1), 0, 10);
    long behind = record(TestApply.FORMAT, PageId.of(8, 0), 0, 10);
    store.checkpoint();
    drop(7);
    store.checkpoint();
    assertEquals(1, store.stats().spacesDeleted());
    for (int start = 0; start < 2; start++) {
      assertEquals(0, read(PAGE, offset), "as a page that was never written");
      assertFalse(isThere(PAGE));
      assertFalse(isThere(PageId.of(7, -1)));
      assertEquals(before, read(PageId.of(6, -1), offset));
      assertEquals(behind, read(PageId.of(8, 0), offset));
      record(TestApply.FORMAT, PageId.of(9, start), 0, 10);
      store.checkpoint(); // the deletion is durable with it
      reopen();
    }
  }

  @Test
  void aSpaceThatIsDroppedButMayBeInUseStays() {
    long lsn = record(TestApply.FORMAT, PAGE, 0, 10);
    byte[] dropped = new byte[8];
    dropped[7] = SpaceDirectoryLayout.DROPPED;
    recordOfStream2(TestApply.FORMAT, DIRECTORY, 0, dropped);
    store.checkpoint();
    assertEquals(lsn, read(PAGE, offset));
    assertEquals(0, store.stats().spacesDeleted());
  }

  /** Another stream may be far behind that of the node that dropped the space. */
  @Test
  void recordsOfADeletedSpaceThatComeLateKeepNoStreamBack() {
    long first = record(TestApply.FORMAT, PAGE, 0, 10);
    store.checkpoint();
    drop(7);
    store.checkpoint();
    record(TestApply.WRITE, PAGE, first, 10);
    record(TestApply.WRITE, PAGE, Lsn.of(1000, 2), 10); // follows what never comes
    assertEquals(offset, store.appliedOffset(1));
    assertEquals(0, store.pendingBytes());
    assertEquals(0, read(PAGE, offset));
    store.checkpoint();
    assertEquals(offset, store.checkpointOffset(1));
    assertFalse(isThere(PAGE));
  }

  /** Records wait for a stream that delivers them, or, as here, the end of their space. */
  @Test
  void recordsThatWaitedGoWithTheirSpace() {
    record(TestApply.WRITE, PAGE, Lsn.of(1000, 2), 10);
    recordOfStream2(TestApply.FORMAT, PageId.of(9, 1), 0, new byte[1]);
    record(TestApply.WRITE, PageId.of(7, 4), Lsn.of(1001, 2), 10);
    assertEquals(0, store.appliedOffset(1));
    drop(7);
    store.checkpoint();
    assertEquals(offset, store.appliedOffset(1));
    assertEquals(0, store.stats().parkedPages());
    assertEquals(0, store.stats().pendingBytes());
  }

  @Test
  void theSystemSpaceStaysWhateverItsDirectorySays() {
    record(TestApply.FORMAT, PageId.of(SpaceDirectoryLayout.SPACE, 40), 0, 10);
    drop(SpaceDirectoryLayout.SPACE);
    store.checkpoint();
    store.checkpoint();
    assertEquals(0, store.stats().spacesDeleted());
    assertTrue(isThere(PageId.of(SpaceDirectoryLayout.SPACE, 40)));
  }

  /** As after the repair of a page with the copy of a store that has deleted the space. */
  @Test
  void aSpaceIsDeletedThoughItsRecordsKeepTheOnlyStreamBack() {
    record(TestApply.WRITE, PAGE, Lsn.of(1000, 2), 10);
    TestMtrs mtrs = new TestMtrs();
    mtrs.begin(Lsn.of(counter++, 1)).record(TestApply.FORMAT, DIRECTORY, 0, TestApply.unneeded(7));
    ByteBuffer bytes = mtrs.take();
    store.apply(1, offset, bytes.duplicate());
    offset += bytes.remaining();
    assertEquals(0, store.appliedOffset(1));
    store.checkpoint();
    assertEquals(offset, store.appliedOffset(1));
    store.checkpoint();
    assertEquals(offset, store.checkpointOffset(1));
  }

  /** After a crash the stream delivers again what made the pages. */
  @Test
  void whatIsDeliveredAgainAfterTheDeletionIsNotTaken() {
    long lsn = record(TestApply.FORMAT, PAGE, 0, 10);
    store.checkpoint();
    long from = offset;
    lsn = record(TestApply.WRITE, PAGE, lsn, 10);
    record(TestApply.WRITE, PAGE, lsn, 10);
    long end = offset;
    drop(7);
    store.checkpoint();
    reopen();
    assertEquals(end, store.checkpointOffset(1));
    offset = end;
    record(TestApply.WRITE, PAGE, lsn, 10);
    assertEquals(offset, store.appliedOffset(1));
    store.checkpoint();
    assertFalse(isThere(PAGE), () -> "from offset " + from);
  }

  @Test
  void aDamagedPageOfADeletedSpaceIsNoProblemAnyMore() {
    record(TestApply.FORMAT, PAGE, 0, 10);
    recordOfStream2(TestApply.WRITE, PAGE, Lsn.of(1, 9), new byte[1]);
    drop(7);
    store.checkpoint();
    assertEquals(List.of(), store.problems());
    assertEquals(0, store.repair(PAGE, destination));
    assertFalse(isThere(PAGE));
  }

  @Test
  void aReadWaitsForItsFloor() {
    long first = record(TestApply.FORMAT, PAGE, 0, 10);
    long floor = offset + 1;
    CompletableFuture<Long> read = store.readPage(PAGE, 1, floor, destination);
    assertFalse(read.isDone());
    long second = record(TestApply.WRITE, PAGE, first, 10);
    assertEquals(second, read.orTimeout(60, TimeUnit.SECONDS).join());
  }

  @Test
  void aReadGivesUpWhenItsFloorDoesNotCome() {
    settings = settings.withReadTimeoutMillis(20);
    reopen();
    assertEquals(SqlState.INSUFFICIENT_RESOURCES, stateOf(store.readPage(PAGE, 1, 1, destination)));
  }

  @Test
  void aReadThatWaitsWhenTheStoreClosesFails() {
    CompletableFuture<Long> read = store.readPage(PAGE, 1, 1, destination);
    store.close();
    assertThrows(CompletionException.class, () -> read.orTimeout(60, TimeUnit.SECONDS).join());
    assertThrows(
        CompletionException.class,
        () -> store.readPage(PAGE, 1, 0, destination).orTimeout(60, TimeUnit.SECONDS).join());
  }

  @Test
  void aPageReadTwiceIsFoldedOnce() {
    long lsn = record(TestApply.FORMAT, PAGE, 0, 10);
    for (int i = 0; i < 50; i++) {
      lsn = record(TestApply.WRITE, PAGE, lsn, 10);
    }
    assertEquals(lsn, read(PAGE, offset));
    assertEquals(lsn, read(PAGE, offset));
    assertEquals(1, store.stats().folds());
    assertEquals(0, store.pendingBytes());
  }

  @Test
  void anImageOfTheNodeStandsInForFoldingAndItsRecordsAreSkippedWhenTheyCome() {
    long first = record(TestApply.FORMAT, PAGE, 0, 10);
    long second = Lsn.of(counter, 1);
    store.standIn((pageId, to) -> image(to, second, 99));
    store.checkpoint();
    assertEquals(1, store.stats().pagesStoodIn());
    assertEquals(0, store.stats().folds());

    assertEquals(second, record(TestApply.WRITE, PAGE, first, 10));
    long third = record(TestApply.WRITE, PAGE, second, 10);
    store.standIn((pageId, to) -> Lsn.NONE);
    assertEquals(third, read(PAGE, offset));
    assertEquals(1, store.stats().foldedRecords());

    reopen();
    assertEquals(second, read(PAGE, 0), "the image was durable with the checkpoint");
    assertEquals(99, Memory.getLong(destination + IMAGE_MARK));
  }

  @Test
  void aPageOfALaterFormatIsRefusedAndLeftAsItIs() {
    record(TestApply.FORMAT, PAGE, 0, 10);
    long later = Lsn.of(counter, 1);
    store.standIn(
        (pageId, to) -> {
          image(to, later, 99);
          Memory.putByte(to + PageLayout.VERSION, PageLayout.CURRENT_VERSION + 1);
          return later;
        });
    store.checkpoint();
    reopen();
    for (int attempt = 0; attempt < 2; attempt++) {
      CompletableFuture<Long> read = store.readPage(PAGE, 1, 0, destination);
      assertEquals(SqlState.FEATURE_NOT_SUPPORTED, stateOf(read));
      CompletionException e = assertThrows(CompletionException.class, read::join);
      assertTrue(e.getMessage().contains("has format version 2"), e.getMessage());
      assertTrue(e.getMessage().contains(PageId.toString(PAGE)), e.getMessage());
    }
    assertEquals(0, store.damagedPages(), "no other replica's copy is to replace it");
  }

  @Test
  void anImageThatLacksARecordDoesNotStandIn() {
    long first = record(TestApply.FORMAT, PAGE, 0, 10);
    long second = record(TestApply.WRITE, PAGE, first, 10);
    store.standIn((pageId, to) -> image(to, first, 99));
    store.checkpoint();
    assertEquals(0, store.stats().pagesStoodIn());
    assertEquals(second, read(PAGE, offset));
  }

  @Test
  void aCheckpointKeepsToItsPace() {
    for (int page = 1; page <= 20; page++) {
      record(TestApply.FORMAT, PageId.of(7, page), 0, 10);
    }
    List<Integer> asked = new ArrayList<>();
    store.checkpoint((written, all) -> asked.add(all - written));
    assertEquals(IntStream.rangeClosed(1, 20).map(i -> 21 - i).boxed().toList(), asked);
  }

  private static long image(long to, long lsn, long mark) {
    Memory.zero(to, PageLayout.PAGE_BYTES);
    Memory.putByte(to + PageLayout.VERSION, PageLayout.CURRENT_VERSION);
    Memory.putLong(to + PageLayout.PAGE_ID, PAGE);
    Memory.putLong(to + PageLayout.LSN, lsn);
    Memory.putLong(to + IMAGE_MARK, mark);
    return lsn;
  }

  @Test
  void withoutACheckpointTheStreamIsReplayedAndWithOneItIsNot() {
    long lsn = record(TestApply.FORMAT, PAGE, 0, 10);
    reopen();
    assertEquals(0, store.checkpointOffset(1));
    assertEquals(0, read(PAGE, 0));
    offset = 0;
    counter = 1;
    assertEquals(lsn, record(TestApply.FORMAT, PAGE, 0, 10));
    assertEquals(offset, store.checkpoint().offsets().get(1));
    reopen();
    assertEquals(offset, store.checkpointOffset(1));
    assertEquals(lsn, read(PAGE, offset));
  }

  @Test
  void aCheckpointWithoutProgressWritesNothing() {
    record(TestApply.FORMAT, PAGE, 0, 10);
    assertEquals(1, store.checkpoint().pages());
    assertEquals(0, store.checkpoint().pages());
  }

  @Test
  void recordsThatDoNotJoinOnTheOnlyStreamAreCorruption() {
    long lsn = record(TestApply.FORMAT, PAGE, 0, 10);
    GaussException e =
        assertThrows(GaussException.class, () -> record(TestApply.WRITE, PAGE, lsn + Lsn.STEP, 10));
    assertEquals(SqlState.DATA_CORRUPTED, e.state());
    assertTrue(e.getMessage().contains(PageId.toString(PAGE)), e.getMessage());
  }

  @Test
  void bytesThatAreNoMtrAreRefused() {
    ByteBuffer garbage = ByteBuffer.allocateDirect(64);
    GaussException e = assertThrows(GaussException.class, () -> store.apply(1, 0, garbage));
    assertEquals(SqlState.DATA_CORRUPTED, e.state());
    assertThrows(IllegalStateException.class, () -> store.apply(1, 5, TestMtrs.single(1, 1, 1)));
  }

  @Test
  void aFullDiskIsToldForAsLongAsItLasts() throws Exception {
    settings = settings.withMemory(64 << 10, 4 * 8192, 1 << 20);
    reopen();
    free.set(0);
    CompletableFuture<Void> writer =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 0; i < 200; i++) {
                record(TestApply.FORMAT, PageId.of(7, i), 0, 1000);
              }
            });
    awaitProblems(true);
    assertEquals("the page store cannot make room", store.problems().getFirst().what());
    free.set(Long.MAX_VALUE / 2);
    writer.get(60, TimeUnit.SECONDS);
    store.checkpoint();
    awaitProblems(false);
  }

  private void awaitProblems(boolean some) {
    while (store.problems().isEmpty() == some) {
      assertFalse(Thread.currentThread().isInterrupted(), "the time is up");
      Thread.onSpinWait();
    }
  }

  @Test
  void scrubbingAnEmptyOrSoundStoreFindsNothing() {
    store.scrub(10);
    record(TestApply.FORMAT, PAGE, 0, 10);
    store.checkpoint();
    for (int turn = 0; turn < 3; turn++) {
      store.scrub(10);
    }
    assertEquals(3, store.stats().pagesScrubbed());
    assertEquals(0, store.damagedPages());
  }

  @Test
  void aFullDiskFailsTheCheckpointAndLosesNothing() {
    long lsn = record(TestApply.FORMAT, PAGE, 0, 10);
    free.set(0);
    GaussException e = assertThrows(GaussException.class, store::checkpoint);
    assertEquals(SqlState.DISK_FULL, e.state());
    assertEquals(0, store.checkpointOffset(1));
    assertEquals(lsn, read(PAGE, offset));
    lsn = record(TestApply.WRITE, PAGE, lsn, 10);
    assertEquals(lsn, read(PAGE, offset));
    free.set(Long.MAX_VALUE / 2);
    assertEquals(offset, store.checkpoint().offsets().get(1));
    reopen();
    assertEquals(lsn, read(PAGE, offset));
  }

  @Test
  void withAFullDiskReadsGoOnWhenMemoryIsFullToo() throws Exception {
    settings = settings.withMemory(64 << 10, 4 * 8192, 1 << 20);
    reopen();
    free.set(0);
    CompletableFuture<Void> writer =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 0; i < 200; i++) {
                record(TestApply.FORMAT, PageId.of(7, i), 0, 1000);
              }
            });
    while (store.stats().pendingMemory() <= 64 << 10) {
      Thread.sleep(1);
    }
    for (int i = 0; i < 20; i++) {
      assertTrue(read(PageId.of(7, i), 0) > 0);
    }
    assertFalse(writer.isDone(), "apply is held up");
    free.set(Long.MAX_VALUE / 2);
    writer.get(60, TimeUnit.SECONDS);
    for (int i = 0; i < 200; i++) {
      assertTrue(read(PageId.of(7, i), offset) > 0);
    }
  }

  @Test
  void memoryStaysBoundedHoweverMuchIsApplied() {
    settings = settings.withMemory(256 << 10, 16 * 8192, 1 << 20);
    reopen();
    long[] lsns = new long[300];
    for (int round = 0; round < 10; round++) {
      for (int i = 0; i < lsns.length; i++) {
        int type = round == 0 ? TestApply.FORMAT : TestApply.WRITE;
        lsns[i] = record(type, PageId.of(7, i), lsns[i], 500);
        assertTrue(store.stats().pendingMemory() <= (256 << 10) + (8 << 10));
      }
    }
    for (int i = 0; i < lsns.length; i++) {
      assertEquals(lsns[i], read(PageId.of(7, i), offset));
    }
  }

  @Test
  void aCheckpointStaysBelowParkedRecords() {
    store.apply(2, 0, TestMtrs.single(Lsn.of(1, 2), 8, 1));
    long end2 = store.appliedOffset(2);
    // Page PAGE: node 1 formats it (LSN 10@1), node 2 writes it (LSN 11@2, arrives first).
    TestMtrs mtrs = new TestMtrs();
    mtrs.begin(Lsn.of(11, 2)).record(TestApply.WRITE, PAGE, Lsn.of(10, 1), new byte[] {5});
    ByteBuffer parked = mtrs.take();
    store.apply(2, end2, parked);
    assertEquals(end2, store.appliedOffset(2));
    assertEquals(1, store.stats().parkedPages());
    assertEquals(end2, store.checkpoint().offsets().get(2));
    mtrs.begin(Lsn.of(10, 1)).record(TestApply.FORMAT, PAGE, 0, new byte[] {9});
    ByteBuffer missing = mtrs.take();
    int missingBytes = missing.remaining();
    store.apply(1, 0, missing);
    assertEquals(0, store.stats().parkedPages());
    assertEquals(end2 + parked.remaining(), store.appliedOffset(2));
    offset = missingBytes;
    assertEquals(Lsn.of(11, 2), read(PAGE, missingBytes));
  }

  @Test
  void aFormatRecordDiscardsOlderParkedOnes() {
    store.apply(1, 0, TestMtrs.single(Lsn.of(1, 1), 8, 1));
    TestMtrs mtrs = new TestMtrs();
    mtrs.begin(Lsn.of(11, 2)).record(TestApply.WRITE, PAGE, Lsn.of(10, 3), new byte[] {5});
    mtrs.begin(Lsn.of(20, 2)).record(TestApply.FORMAT, PAGE, 0, new byte[] {6});
    ByteBuffer bytes = mtrs.take();
    store.apply(2, 0, bytes);
    assertEquals(0, store.stats().parkedPages());
    assertEquals(bytes.remaining(), store.appliedOffset(2));
    assertEquals(
        Lsn.of(20, 2),
        store
            .readPage(PAGE, 2, bytes.remaining(), destination)
            .orTimeout(60, TimeUnit.SECONDS)
            .join());
  }
}
