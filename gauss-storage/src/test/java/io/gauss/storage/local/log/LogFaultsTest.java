package io.gauss.storage.local.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.storage.api.LogStream;
import io.gauss.storage.api.LogStream.AppendResult;
import io.gauss.storage.api.LogStreamContract;
import io.gauss.storage.disk.SimulatedDisk;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The local stream when the disk is full, fails, loses power or is damaged; and the contract once
 * more.
 */
@Timeout(300)
class LogFaultsTest extends LogStreamContract {
  private static final int SEGMENT = 16 << 10;
  private final SimulatedDisk disk = new SimulatedDisk();

  @Override
  protected LogStream open() {
    return LocalLogStream.open(disk, 1, LogSettings.defaults().withSegmentBytes(SEGMENT));
  }

  private void killAndReopen() {
    disk.kill();
    stream.close();
    stream = open();
  }

  private void losePowerAndReopen() {
    disk.losePower();
    stream.close();
    stream = open();
  }

  private GaussException assertOpenFails() {
    stream.close();
    GaussException e = assertThrows(GaussException.class, this::open);
    disk.kill();
    return e;
  }

  private void assertCorrupted(GaussException e, String file) {
    assertEquals(SqlState.DATA_CORRUPTED, e.state(), e.getMessage());
    assertTrue(e.getMessage().contains(file), e.getMessage());
    assertTrue(e.getMessage().contains("position"), e.getMessage());
  }

  private String segmentOf(Batch batch) {
    return ((LocalLogStream) stream).segmentHolding(batch.offset()).name();
  }

  @Test
  void whatWasAcknowledgedSurvivesPowerLoss() {
    write(10, 3000, 9000, 20);
    losePowerAndReopen();
    assertReadsBack(written);
    write(30);
    losePowerAndReopen();
    assertReadsBack(written);
  }

  @Test
  void aTornLastAppendIsCut() {
    write(10, 2000);
    String segment = segmentOf(written.getLast());
    long position =
        LogSegmentLayout.FRAMES + LogBatchLayout.frameBytes(written.getFirst().bytes().remaining());
    disk.flipBit(segment, position + 100, 3);
    killAndReopen();
    written.removeLast();
    assertEquals(written.getLast().end(), stream.endOffset());
    assertReadsBack(written);
    write(3000);
    killAndReopen();
    assertReadsBack(written);
  }

  @Test
  void damageAtTheEndIsCorruptionWhenTheStreamWasClosedInOrder() {
    write(10, 2000);
    String segment = segmentOf(written.getLast());
    stream.close();
    disk.flipBit(segment, LogSegmentLayout.FRAMES + 300, 3);
    assertCorrupted(assertOpenFails(), segment);
  }

  @Test
  void damageBeforeALaterAppendIsCorruptionHoweverFarItReaches() {
    write(10, 2000, 10, 10);
    String segment = segmentOf(written.getLast());
    disk.kill();
    stream.close();
    for (int at = 0; at < 600; at++) {
      disk.flipBit(segment, LogSegmentLayout.FRAMES + 90 + at, at % 8);
    }
    assertCorrupted(assertOpenFails(), segment);
  }

  @Test
  void damageInAnEarlierSegmentIsFoundWhenItIsRead() {
    for (int i = 0; i < 30; i++) {
      write(2000);
    }
    String first = segmentOf(written.getFirst());
    disk.flipBit(first, LogSegmentLayout.FRAMES + 3000, 0);
    killAndReopen();
    GaussException e = assertThrows(GaussException.class, () -> assertReadsBack(written));
    assertCorrupted(e, first);
  }

  @Test
  void aDamagedHeadOfASegmentIsCorruption() {
    for (int i = 0; i < 30; i++) {
      write(2000);
    }
    String first = segmentOf(written.getFirst());
    disk.kill();
    stream.close();
    disk.flipBit(first, LogSegmentLayout.BASE, 0);
    assertCorrupted(assertOpenFails(), first);
  }

  @Test
  void aDamagedControlFileIsNoticed() {
    write(10);
    disk.kill();
    stream.close();
    disk.flipBit(LogControlLayout.FILE_NAME, LogControlLayout.SLOT_DISTANCE + 25, 0);
    assertCorrupted(assertOpenFails(), LogControlLayout.FILE_NAME);
  }

  @Test
  void aFullDiskRefusesAndGoesOnWhenThereIsRoom() {
    write(10);
    disk.setCapacity(disk.usedBytes());
    Batch refused = null;
    for (int i = 0; i < 100 && refused == null; i++) {
      Batch batch = nextBatch(stream.endOffset(), 3000);
      AppendResult result = appendAndWait(1, batch);
      if (result instanceof AppendResult.Appended) {
        written.add(batch);
      } else {
        assertInstanceOf(AppendResult.DiskFull.class, result);
        refused = batch;
      }
    }
    assertEquals(refused.offset(), stream.endOffset());
    assertInstanceOf(AppendResult.DiskFull.class, appendAndWait(1, refused));
    assertReadsBack(written);
    disk.setCapacity(Long.MAX_VALUE);
    assertEquals(new AppendResult.Appended(refused.end()), appendAndWait(1, refused));
    written.add(refused);
    write(3000, 3000, 3000, 3000);
    losePowerAndReopen();
    assertReadsBack(written);
  }

  @Test
  void aFullDiskIsRelievedByTrimming() {
    for (int i = 0; i < 20; i++) {
      write(3000);
    }
    disk.setCapacity(disk.usedBytes());
    Batch batch = nextBatch(stream.endOffset(), 3000);
    while (appendAndWait(1, batch) instanceof AppendResult.Appended) {
      written.add(batch);
      batch = nextBatch(stream.endOffset(), 3000);
    }
    int kept = written.size() - 1;
    stream.trim(written.get(kept).offset());
    assertEquals(new AppendResult.Appended(batch.end()), appendAndWait(1, batch));
    written.add(batch);
    assertReadsBack(written.subList(kept, written.size()));
  }

  @Test
  void whatARefusedWriteLeftBehindIsNeverTakenForTheStream() {
    write(10, 20);
    disk.setWritesFull(true);
    Batch refused = nextBatch(stream.endOffset(), 4000);
    assertInstanceOf(AppendResult.DiskFull.class, appendAndWait(1, refused));
    disk.setWritesFull(false);
    write(100);
    killAndReopen();
    assertReadsBack(written);
    write(200);
    losePowerAndReopen();
    assertReadsBack(written);
  }

  @Test
  void afterAFailedForceNothingIsAcceptedUntilReopened() {
    write(10, 20);
    disk.failForcesAfter(0);
    assertInstanceOf(
        AppendResult.Failed.class, appendAndWait(1, nextBatch(stream.endOffset(), 30)));
    disk.failForcesAfter(-1);
    assertInstanceOf(
        AppendResult.Failed.class, appendAndWait(1, nextBatch(stream.endOffset(), 30)));
    assertThrows(GaussException.class, () -> stream.seal(9));
    assertReadsBack(written);
    stream.close();
    stream = open();
    // The failed append may or may not be there; if it is, it is durable now.
    long end = stream.endOffset();
    assertTrue(end >= written.getLast().end());
    losePowerAndReopen();
    assertEquals(end, stream.endOffset());
  }

  /** Opens the stream so that all appends go through its writer thread. */
  private void openQueued() {
    stream.close();
    stream =
        LocalLogStream.open(
            disk, 1, LogSettings.defaults().withSegmentBytes(SEGMENT).withDirectAppend(false));
  }

  /**
   * Appends a batch of one byte, and while it is being forced the others, which then form one
   * group.
   */
  private List<CompletableFuture<AppendResult>> appendTogether(List<Batch> batches)
      throws InterruptedException {
    CountDownLatch reached = new CountDownLatch(1);
    Semaphore gate = new Semaphore(0);
    disk.setBeforeForce(
        () -> {
          if (Thread.currentThread().getName().startsWith("gauss-log-write")) {
            reached.countDown();
            gate.acquireUninterruptibly();
          }
        });
    List<CompletableFuture<AppendResult>> results = new ArrayList<>();
    results.add(append(1, batches.getFirst()));
    reached.await();
    for (Batch batch : batches.subList(1, batches.size())) {
      results.add(append(1, batch));
    }
    disk.setBeforeForce(() -> {});
    gate.release(1000);
    return results;
  }

  /** Batches that follow the stream's end. */
  private List<Batch> batches(int... payloadBytes) {
    List<Batch> batches = new ArrayList<>();
    long offset = stream.endOffset();
    for (int bytes : payloadBytes) {
      Batch batch = nextBatch(offset, bytes);
      batches.add(batch);
      offset = batch.end();
    }
    return batches;
  }

  private long positionOf(Batch batch) {
    long position = LogSegmentLayout.FRAMES;
    try (LogStream.LogReader reader =
        stream.read(((LocalLogStream) stream).segmentHolding(batch.offset()).base())) {
      while (reader.next() && reader.offset() < batch.offset()) {
        position += LogBatchLayout.frameBytes(reader.bytes().remaining());
      }
    }
    return position;
  }

  @Test
  void framesBehindACutAreNeverPartOfTheStreamAgain() throws Exception {
    openQueued();
    List<Batch> group = batches(1, 500, 600, 700);
    appendTogether(group).forEach(LogStreamContract::await);
    disk.flipBit(segmentOf(group.get(1)), positionOf(group.get(1)) + 100, 1);
    disk.kill();
    stream.close();
    stream = open();
    assertEquals(group.getFirst().end(), stream.endOffset());
    written.add(group.getFirst());
    write(500);
    killAndReopen();
    assertEquals(written.getLast().end(), stream.endOffset());
    assertReadsBack(written);
  }

  @Test
  void wholeFramesOfARefusedWriteAreNeverPartOfTheStream() throws Exception {
    openQueued();
    List<Batch> group = batches(1, 500, 600, 2000);
    List<CompletableFuture<AppendResult>> results;
    Semaphore gate = new Semaphore(0);
    CountDownLatch reached = new CountDownLatch(1);
    disk.setBeforeForce(
        () -> {
          if (Thread.currentThread().getName().startsWith("gauss-log-write")) {
            reached.countDown();
            gate.acquireUninterruptibly();
          }
        });
    results = new ArrayList<>(List.of(append(1, group.getFirst())));
    reached.await();
    disk.setWritesFull(true);
    group.subList(1, 4).forEach(batch -> results.add(append(1, batch)));
    disk.setBeforeForce(() -> {});
    gate.release(1000);
    results.forEach(LogStreamContract::await);
    written.add(group.getFirst());
    assertEquals(written.getLast().end(), stream.endOffset());
    disk.setWritesFull(false);
    write(500);
    killAndReopen();
    assertEquals(written.getLast().end(), stream.endOffset());
    assertReadsBack(written);
  }

  @Test
  void aSegmentBehindACutIsNotFoundAgain() throws Exception {
    openQueued();
    write(5000);
    List<Batch> group = batches(1, 500, 9000);
    appendTogether(group).forEach(LogStreamContract::await);
    Batch lost = group.get(1);
    assertNotEquals(segmentOf(lost), segmentOf(group.getLast()));
    disk.flipBit(segmentOf(lost), positionOf(lost) + 100, 1);
    disk.kill();
    stream.close();
    stream = open();
    written.add(group.getFirst());
    assertEquals(written.getLast().end(), stream.endOffset());
    // The new batches end behind the offset at which the lost segment began, in the segment before
    // it.
    write(400, 400);
    assertEquals(segmentOf(written.getFirst()), segmentOf(written.getLast()));
    killAndReopen();
    assertEquals(written.getLast().end(), stream.endOffset());
    killAndReopen();
    assertEquals(written.getLast().end(), stream.endOffset());
    assertReadsBack(written);
    write(3000, 9000);
    losePowerAndReopen();
    assertReadsBack(written);
  }

  @Test
  void aGroupAcrossTwoSegmentsSurvivesPowerLoss() throws Exception {
    openQueued();
    write(5000);
    List<Batch> group = batches(1, 500, 9000);
    appendTogether(group).forEach(LogStreamContract::await);
    assertNotEquals(segmentOf(group.get(1)), segmentOf(group.getLast()));
    written.addAll(group);
    losePowerAndReopen();
    assertReadsBack(written);
  }

  @Test
  void appendsThatQueueUpDuringAForceShareTheNextOne() throws Exception {
    openQueued();
    int[] payloads = new int[20];
    java.util.Arrays.fill(payloads, 50);
    List<Batch> group = batches(payloads);
    appendTogether(group).forEach(LogStreamContract::await);
    assertEquals(2, ((LocalLogStream) stream).stats().forces());
    assertReadsBack(group);
  }

  @Test
  void appendsQueuedBehindARefusedOneAreRefusedToo() throws Exception {
    openQueued();
    write(1);
    disk.setWritesFull(true);
    long offset = stream.endOffset();
    List<CompletableFuture<AppendResult>> results = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      Batch batch = nextBatch(offset, 50);
      offset = batch.end();
      results.add(append(1, batch));
    }
    for (CompletableFuture<AppendResult> result : results) {
      AppendResult answer = await(result);
      assertTrue(
          answer instanceof AppendResult.DiskFull || answer instanceof AppendResult.WrongOffset,
          answer.toString());
    }
    assertEquals(written.getLast().end(), stream.endOffset());
    disk.setWritesFull(false);
    write(10, 20);
    killAndReopen();
    assertReadsBack(written);
  }

  @Test
  void trimmedSegmentsAreUsedAgain() {
    for (int i = 0; i < 400; i++) {
      write(1500);
      if (i % 20 == 19) {
        stream.trim(written.get(i - 5).offset());
      }
    }
    assertTrue(disk.usedBytes() < 8 * SEGMENT, "used " + disk.usedBytes());
    assertReadsBack(written.subList(395, 400));
  }

  @Test
  void crashesOfAllKindsLoseNothingAcknowledgedAndInventNothing() {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    try {
      for (int history = 0; history < 30; history++) {
        crashHistory(new Random(seed + history));
      }
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("gauss.seed=" + seed + ": " + e, e);
    }
  }

  private void crashHistory(Random random) {
    SimulatedDisk crashing = new SimulatedDisk();
    LogSettings settings =
        LogSettings.defaults().withSegmentBytes(SEGMENT).withDirectAppend(random.nextBoolean());
    List<Batch> certain = new ArrayList<>(); // acknowledged, and not trimmed
    long trimmedTo = 0;
    long certainEnd = 0;
    for (int life = 0; life < 12; life++) {
      crashing.failForcesAfter(-1);
      LocalLogStream opened = LocalLogStream.open(crashing, 1, settings);
      stream.close();
      stream = opened;
      assertTrue(opened.endOffset() >= certainEnd, "acknowledged up to " + certainEnd);
      assertEquals(opened.endOffset(), opened.durableOffset());
      certain.addAll(readFrom(opened, certainEnd));
      certainEnd = opened.endOffset();
      assertContinues(opened, certain, trimmedTo);
      List<Batch> sent = new ArrayList<>();
      List<CompletableFuture<AppendResult>> results = new ArrayList<>();
      int appends = random.nextInt(40);
      int failAfter = random.nextInt(3) == 0 ? random.nextInt(appends + 1) : -1;
      long offset = opened.endOffset();
      for (int i = 0; i < appends; i++) {
        if (i == failAfter) {
          crashing.failForcesAfter(random.nextInt(2));
        }
        Batch batch = nextBatch(offset, random.nextInt(random.nextInt(10) == 0 ? 9000 : 600));
        offset = batch.end();
        sent.add(batch);
        results.add(append(1, batch));
        if (random.nextInt(25) == 0 && !certain.isEmpty()) {
          trimmedTo = Math.max(trimmedTo, certain.getLast().offset());
          opened.trim(trimmedTo);
        }
      }
      int crash = random.nextInt(4);
      boolean drained = random.nextBoolean();
      if (drained) {
        results.forEach(LogStreamContract::await);
      }
      switch (crash) {
        case 0 -> opened.close();
        case 1 -> crashing.kill();
        case 2 -> crashing.losePower();
        default -> crashing.losePower(random, random.nextDouble());
      }
      opened.close();
      for (int i = 0; i < sent.size(); i++) {
        if (await(results.get(i)) instanceof AppendResult.Appended) {
          certain.add(sent.get(i));
          certainEnd = sent.get(i).end();
        }
      }
    }
  }

  private static List<Batch> readFrom(LogStream from, long offset) {
    List<Batch> batches = new ArrayList<>();
    try (LogStream.LogReader reader = from.read(offset)) {
      while (reader.next()) {
        java.nio.ByteBuffer copy =
            java.nio.ByteBuffer.allocate(reader.bytes().remaining()).put(reader.bytes()).flip();
        batches.add(new Batch(reader.offset(), reader.firstLsn(), reader.lastLsn(), copy));
      }
    }
    return batches;
  }

  private static void assertContinues(LogStream opened, List<Batch> certain, long trimmedTo) {
    List<Batch> kept = certain.stream().filter(batch -> batch.offset() >= trimmedTo).toList();
    if (!kept.isEmpty()) {
      assertTrue(opened.startOffset() <= kept.getFirst().offset());
      assertEquals(kept, readFrom(opened, kept.getFirst().offset()));
      assertEquals(kept.getLast().lastLsn(), opened.lastLsn());
    }
  }
}
