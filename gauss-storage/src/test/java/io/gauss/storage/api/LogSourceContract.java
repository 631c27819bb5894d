package io.gauss.storage.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.runtime.Environment;
import io.gauss.storage.api.LogStream.AppendResult;
import io.gauss.storage.api.LogStream.LogReader;
import io.gauss.storage.api.LogStream.TailListener;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * The contract of every stream towards its readers and followers. An implementation's test extends
 * this. What is waited for is waited for by {@link Environment}, since simulations keep it, too.
 */
public abstract class LogSourceContract extends LogStreamFixture {

  /** The stream from the view of its followers. */
  protected LogSource source() {
    return stream;
  }

  /** Waits until written batches can be read there. */
  protected void settle() {}

  private void writeAndSettle(int... payloadBytes) {
    write(payloadBytes);
    settle();
  }

  private void writeInEpoch(int epoch, int payloadBytes) {
    Batch batch = nextBatch(stream.endOffset(), payloadBytes);
    assertEquals(new AppendResult.Appended(batch.end()), appendAndWait(epoch, batch));
    written.add(batch);
    settle();
  }

  /** Appends a batch of MTRs with one to three records each; returns the MTRs. */
  private List<Batch> writeMtrs(int count) {
    List<Batch> mtrs = new ArrayList<>();
    TestMtrs all = new TestMtrs();
    long end = stream.endOffset();
    long first = nextLsn;
    long last = 0;
    for (int i = 0; i < count; i++) {
      TestMtrs one = new TestMtrs();
      long base = nextLsn;
      one.begin(base);
      all.begin(base);
      for (int record = 0; record <= i % 3; record++) {
        byte[] payload = new byte[10 + 7 * i];
        one.record(1, i, 0, payload);
        last = all.record(1, i, 0, payload);
      }
      nextLsn = last + 5 * Lsn.STEP; // LSNs of a node may have gaps
      Batch mtr = new Batch(end, base, last, one.take());
      mtrs.add(mtr);
      end = mtr.end();
    }
    Batch batch = new Batch(mtrs.getFirst().offset(), first, last, all.take());
    assertEquals(new AppendResult.Appended(batch.end()), appendAndWait(1, batch));
    written.add(batch);
    settle();
    return mtrs;
  }

  /** The part of a batch from one of its MTRs on. */
  private static Batch from(Batch batch, Batch mtr) {
    int skip = (int) (mtr.offset() - batch.offset());
    ByteBuffer rest = batch.bytes().slice(skip, batch.bytes().remaining() - skip);
    return new Batch(mtr.offset(), mtr.firstLsn(), batch.lastLsn(), rest);
  }

  private static void assertTrimmed(Executable action) {
    GaussException refused = assertThrows(GaussException.class, action);
    assertEquals(SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE, refused.state());
    assertTrue(refused.getMessage().contains("trimmed"), refused.getMessage());
  }

  // ---- reading

  private void assertReadFrom(long offset, List<Batch> expected) {
    try (LogReader reader = source().read(offset)) {
      for (Batch batch : expected) {
        assertTrue(reader.next(), "the batch at " + batch.offset() + " is there");
        assertEquals(batch.offset(), reader.offset());
        assertEquals(batch.firstLsn(), reader.firstLsn());
        assertEquals(batch.lastLsn(), reader.lastLsn());
        assertEquals(batch.bytes(), reader.bytes());
      }
      assertFalse(reader.next(), "nothing follows the last batch");
    }
  }

  @Test
  void aReaderStartsAtAnyMtrOfABatch() {
    writeAndSettle(10);
    List<Batch> mtrs = writeMtrs(6);
    Batch batch = written.getLast();
    writeAndSettle(20);
    for (Batch mtr : mtrs) {
      assertReadFrom(mtr.offset(), List.of(from(batch, mtr), written.getLast()));
    }
  }

  @Test
  void aReaderAtTheEndSeesWhatIsAppendedLater() {
    writeAndSettle(10);
    try (LogReader reader = source().read(source().endOffset())) {
      assertFalse(reader.next());
      writeAndSettle(20);
      assertTrue(reader.next());
      assertEquals(written.getLast().bytes(), reader.bytes());
      assertFalse(reader.next());
    }
  }

  @Test
  void aReaderGoesOnAcrossEpochsAndSeals() {
    writeInEpoch(1, 10);
    writeInEpoch(3, 20);
    stream.seal(7);
    writeInEpoch(7, 30);
    reopen();
    writeInEpoch(9, 40);
    assertReadFrom(0, written);
  }

  // ---- following

  /** Keeps the batches that it receives. */
  private static class Listener implements TailListener {
    final BlockingQueue<Batch> batches = new LinkedBlockingQueue<>();
    final CompletableFuture<Throwable> stopped = new CompletableFuture<>();
    volatile long stoppedAt = -1;

    @Override
    public void batch(int streamId, long offset, long firstLsn, long lastLsn, ByteBuffer bytes) {
      ByteBuffer copy = ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
      batches.add(new Batch(offset, firstLsn, lastLsn, copy));
    }

    @Override
    public void stopped(long offset, Throwable cause) {
      stoppedAt = offset;
      stopped.complete(cause);
    }

    void assertGets(List<Batch> expected) throws InterruptedException {
      for (Batch batch : expected) {
        assertEquals(batch, Environment.poll(batches, TIMEOUT_SECONDS, TimeUnit.SECONDS));
      }
    }
  }

  /** Takes the first batch and does not return until it is released. */
  private static class SlowListener extends Listener {
    final CountDownLatch entered = new CountDownLatch(1);
    final CountDownLatch go = new CountDownLatch(1);

    @Override
    public void batch(int streamId, long offset, long firstLsn, long lastLsn, ByteBuffer bytes) {
      super.batch(streamId, offset, firstLsn, lastLsn, bytes);
      entered.countDown();
      awaitLatch(go);
    }
  }

  private static void awaitLatch(CountDownLatch latch) {
    long begin = Environment.nanoTime();
    while (latch.getCount() > 0) {
      assertTrue(
          Environment.nanoTime() - begin < TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS),
          "waited in vain");
      Environment.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  @Test
  void aTailCatchesUpAndThenFollows() throws Exception {
    writeAndSettle(10, 20, 30);
    Listener listener = new Listener();
    AutoCloseable tail = source().tail(written.get(1).offset(), listener);
    write(40);
    listener.assertGets(written.subList(1, 4));
    write(50);
    listener.assertGets(written.subList(4, 5));
    Listener other = new Listener();
    try (AutoCloseable open = source().tail(written.getLast().offset(), other)) {
      tail.close();
      write(60);
      other.assertGets(written.subList(4, 6));
    }
    assertTrue(listener.batches.isEmpty());
  }

  @Test
  void aTailStartsAtAnyMtrOfABatch() throws Exception {
    writeAndSettle(10);
    List<Batch> mtrs = writeMtrs(4);
    Batch batch = written.getLast();
    writeAndSettle(20);
    for (Batch mtr : mtrs) {
      Listener listener = new Listener();
      try (AutoCloseable tail = source().tail(mtr.offset(), listener)) {
        listener.assertGets(List.of(from(batch, mtr), written.getLast()));
      }
    }
  }

  @Test
  void aTailGoesOnAcrossEpochsAndSeals() throws Exception {
    writeInEpoch(1, 10);
    Listener listener = new Listener();
    try (AutoCloseable tail = source().tail(0, listener)) {
      writeInEpoch(3, 20);
      stream.seal(7);
      assertEquals(new AppendResult.Fenced(7), appendAndWait(3, nextBatch(stream.endOffset(), 25)));
      writeInEpoch(7, 30);
      listener.assertGets(written);
    }
    assertTrue(listener.batches.isEmpty(), "a fenced append is no part of the stream");
    assertFalse(listener.stopped.isDone());
  }

  @Test
  void aListenerThatWasSlowGetsEverythingInOrder() throws Exception {
    writeAndSettle(10);
    SlowListener listener = new SlowListener();
    try (AutoCloseable tail = source().tail(0, listener)) {
      awaitLatch(listener.entered);
      for (int i = 0; i < 60; i++) {
        write(1500);
      }
      listener.go.countDown();
      listener.assertGets(written);
    }
  }

  @Test
  void aTailThatIsHeldUpHoldsUpNoOther() throws Exception {
    writeAndSettle(10);
    SlowListener slow = new SlowListener();
    Listener quick = new Listener();
    try (AutoCloseable one = source().tail(0, slow);
        AutoCloseable other = source().tail(0, quick)) {
      awaitLatch(slow.entered);
      write(20, 30);
      quick.assertGets(written);
      assertEquals(1, slow.batches.size());
      slow.go.countDown();
    }
  }

  @Test
  void closingWaitsForTheListenerThatIsAtWork() throws Exception {
    writeAndSettle(10, 20);
    AtomicBoolean returned = new AtomicBoolean();
    SlowListener listener =
        new SlowListener() {
          @Override
          public void batch(int id, long offset, long firstLsn, long lastLsn, ByteBuffer bytes) {
            super.batch(id, offset, firstLsn, lastLsn, bytes);
            returned.set(true);
          }
        };
    AutoCloseable tail = source().tail(0, listener);
    awaitLatch(listener.entered);
    CompletableFuture<Boolean> closed = new CompletableFuture<>();
    Environment.start(
        "close",
        () -> {
          close(tail);
          closed.complete(returned.get());
        });
    listener.go.countDown();
    assertTrue(await(closed), "close came back after the listener");
    int then = listener.batches.size();
    writeAndSettle(30);
    assertEquals(then, listener.batches.size());
    assertFalse(listener.stopped.isDone());
  }

  private static void close(AutoCloseable closing) {
    try {
      closing.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aListenerMayCloseItsOwnTail() throws Exception {
    writeAndSettle(10, 20, 30);
    AtomicReference<AutoCloseable> tail = new AtomicReference<>();
    CountDownLatch known = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    Listener listener =
        new Listener() {
          @Override
          public void batch(int id, long offset, long firstLsn, long lastLsn, ByteBuffer bytes) {
            super.batch(id, offset, firstLsn, lastLsn, bytes);
            awaitLatch(known);
            LogSourceContract.close(tail.get());
            closed.countDown();
          }
        };
    tail.set(source().tail(0, listener));
    known.countDown();
    awaitLatch(closed);
    tail.get().close();
    assertEquals(1, listener.batches.size());
  }

  @Test
  void aListenerThatFailsIsToldSoAndGetsNothingMore() throws Exception {
    writeAndSettle(10, 20, 30);
    Listener listener =
        new Listener() {
          @Override
          public void batch(int id, long offset, long firstLsn, long lastLsn, ByteBuffer bytes) {
            super.batch(id, offset, firstLsn, lastLsn, bytes);
            if (batches.size() == 2) {
              throw new IllegalStateException("on purpose");
            }
          }
        };
    try (AutoCloseable tail = source().tail(0, listener)) {
      assertEquals("on purpose", await(listener.stopped).getMessage());
      assertEquals(written.get(2).offset(), listener.stoppedAt);
    }
    assertEquals(2, listener.batches.size());
  }

  @Test
  void closingTheStreamEndsItsTailsWithoutComplaint() throws Exception {
    writeAndSettle(10, 20);
    Listener listener = new Listener();
    AutoCloseable tail = source().tail(0, listener);
    listener.assertGets(written);
    closeSource();
    tail.close();
    assertFalse(listener.stopped.isDone());
  }

  /** Closes the result of {@link #source}. */
  protected void closeSource() {
    stream.close();
  }

  @Test
  void aTailFromBeforeTheStartIsRefused() {
    trimTo(writeMany());
    long start = source().startOffset();
    assertTrue(start > 0, "something was trimmed");
    assertTrimmed(() -> source().tail(start - 1, new Listener()));
    assertTrimmed(() -> source().read(0));
  }

  @Test
  void aTailThatATrimOvertookMissesNothingWithoutBeingTold() throws Exception {
    writeAndSettle(10);
    SlowListener listener = new SlowListener();
    try (AutoCloseable tail = source().tail(0, listener)) {
      awaitLatch(listener.entered);
      trimTo(writeMany());
      listener.go.countDown();
      for (Batch expected : written) {
        Batch got = null;
        while (got == null && !listener.stopped.isDone()) {
          got = Environment.poll(listener.batches, 10, TimeUnit.MILLISECONDS);
        }
        if (got == null) {
          got = listener.batches.poll();
        }
        if (got == null) {
          GaussException told = assertInstanceOf(GaussException.class, await(listener.stopped));
          assertEquals(SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE, told.state());
          assertEquals(expected.offset(), listener.stoppedAt);
          return;
        }
        assertEquals(expected, got);
      }
    }
  }

  /**
   * Writes enough for every stream to have something to trim; returns the first batch to be kept.
   */
  private Batch writeMany() {
    for (int i = 0; i < 40; i++) {
      write(1500);
    }
    settle();
    return written.get(25);
  }

  private void trimTo(Batch kept) {
    stream.trim(kept.offset());
    settle();
  }

  // ---- locating

  @Test
  void locateFindsTheBatchOfAnLsn() {
    writeAndSettle(10, 3000, 3000, 10);
    for (Batch batch : written) {
      assertEquals(OptionalLong.of(batch.offset()), source().locate(batch.lastLsn()));
      assertEquals(OptionalLong.of(batch.offset()), source().locate(batch.firstLsn() - 1));
    }
    assertEquals(OptionalLong.of(0), source().locate(0));
    assertEquals(OptionalLong.empty(), source().locate(stream.lastLsn() + 1));
    reopen();
    settle();
    for (Batch batch : written) {
      assertEquals(OptionalLong.of(batch.offset()), source().locate(batch.lastLsn()));
    }
  }

  @Test
  void anLsnBetweenTwoRecordsLeadsToTheSecond() {
    for (int i = 0; i < 5; i++) {
      writeMtrs(4);
    }
    Random random = new Random(5);
    for (int i = 0; i < 200; i++) {
      long csn = random.nextLong(nextLsn + 20 * Lsn.STEP);
      OptionalLong expected =
          written.stream()
              .filter(batch -> batch.lastLsn() >= csn)
              .mapToLong(Batch::offset)
              .findFirst();
      assertEquals(expected, source().locate(csn), "LSN " + csn);
    }
  }

  @Test
  void locateFindsLsnsOfAllEpochs() {
    writeInEpoch(1, 10);
    stream.seal(3);
    writeInEpoch(3, 20);
    nextLsn += 1000 * Lsn.STEP; // the next writer's clock was raised
    writeInEpoch(5, 30);
    for (Batch batch : written) {
      assertEquals(OptionalLong.of(batch.offset()), source().locate(batch.lastLsn()));
    }
    assertEquals(
        OptionalLong.of(written.get(2).offset()), source().locate(written.get(1).lastLsn() + 1));
  }

  @Test
  void whatWasTrimmedIsNotLocatedAndTheRestIs() {
    trimTo(writeMany());
    assertLocatesWhatIsKept();
    reopen();
    settle();
    assertLocatesWhatIsKept();
  }

  private void assertLocatesWhatIsKept() {
    long start = source().startOffset();
    assertTrue(start > 0, "something was trimmed");
    int kept = 0;
    for (Batch batch : written) {
      if (batch.offset() < start) {
        assertTrimmed(() -> source().locate(batch.lastLsn()));
      } else {
        assertEquals(OptionalLong.of(batch.offset()), source().locate(batch.lastLsn()));
        kept++;
      }
    }
    assertTrimmed(() -> source().locate(0));
    assertTrue(kept >= 15, "what was to be kept is there");
    try (LogReader reader = source().read(start)) {
      assertTrue(reader.next());
      assertEquals(start, reader.offset());
    }
  }

  @Test
  void aStreamIsTrimmedByWholeBatches() {
    writeMany();
    Batch kept = written.get(25);
    stream.trim(kept.offset() + 5);
    settle();
    assertTrue(source().startOffset() <= kept.offset());
    try (LogReader reader = source().read(source().startOffset())) {
      assertTrue(reader.next());
      Batch first =
          written.stream().filter(b -> b.offset() == reader.offset()).findFirst().orElseThrow();
      assertEquals(first.bytes(), reader.bytes());
    }
  }
}
