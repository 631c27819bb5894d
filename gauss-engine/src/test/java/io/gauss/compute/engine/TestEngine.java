package io.gauss.compute.engine;

import io.gauss.common.id.LamportClock;
import io.gauss.common.redo.MtrLayout;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.buffer.PoolSettings;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.log.LogSettings;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.space.Spaces;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;

/**
 * The engine's lower half over memory, for tests: a log stream and a page store without disk, a
 * pool as small as the test wants. {@link #restart} forgets everything that was not acknowledged by
 * the stream, as a crash does.
 */
public final class TestEngine implements AutoCloseable {
  public static final int STREAM = 1;

  private final MemoryLogStream stream;
  private final MemoryPageStore store;
  private final LamportClock clock;
  private final LogBuffer log;
  private final BufferPool pool;
  private final Spaces spaces;
  private final AutoCloseable tail;
  private boolean stopped;

  public TestEngine(int frames) {
    this(frames, LogSettings.ofRing(1 << 20));
  }

  public TestEngine(int frames, LogSettings logSettings) {
    this(frames, logSettings, 1, new MemoryLogStream(STREAM), new MemoryPageStore());
  }

  /** A compute node of several: slot and stream have its number. */
  public static TestEngine ofNode(int node, int frames) {
    return new TestEngine(
        frames,
        LogSettings.ofRing(1 << 20),
        node,
        new MemoryLogStream(node),
        new MemoryPageStore());
  }

  private TestEngine(
      int frames,
      LogSettings logSettings,
      int node,
      MemoryLogStream stream,
      MemoryPageStore store) {
    this.stream = stream;
    this.store = store;
    this.clock = new LamportClock(node, stream.lastLsn());
    this.tail =
        stream.tail(
            store.checkpointOffset(node),
            (id, offset, first, last, bytes) -> store.apply(id, offset, bytes));
    this.log = new LogBuffer(logSettings, clock, stream, Math.max(1, stream.epoch()));
    this.pool = new BufferPool(PoolSettings.ofFrames(frames), store, log);
    this.spaces = new Spaces(pool, clock.node());
    spaces.open(newContext());
  }

  /**
   * An engine over the first MTRs of a stream's content, as a crash leaves it.
   *
   * @param bytes end of the last MTR that is kept
   */
  public static TestEngine over(byte[] content, int bytes, int frames) {
    ByteBuffer kept = ByteBuffer.wrap(content, 0, bytes).slice().order(ByteOrder.LITTLE_ENDIAN);
    MemoryLogStream stream = new MemoryLogStream(STREAM);
    long first = 0;
    long last = 0;
    for (int at = 0; at < bytes; at += kept.getInt(at + MtrLayout.LENGTH)) {
      long base = kept.getLong(at + MtrLayout.BASE_LSN);
      first = at == 0 ? base : first;
      last = MtrLayout.recordLsn(base, kept.getShort(at + MtrLayout.COUNT) - 1);
    }
    if (bytes > 0) {
      stream.append(1, 0, first, last, kept, result -> {});
    }
    return new TestEngine(frames, LogSettings.ofRing(1 << 20), 1, stream, new MemoryPageStore());
  }

  public EngineContext newContext() {
    return new EngineContext(log);
  }

  public LamportClock clock() {
    return clock;
  }

  public LogBuffer log() {
    return log;
  }

  public BufferPool pool() {
    return pool;
  }

  public Spaces spaces() {
    return spaces;
  }

  public MemoryLogStream stream() {
    return stream;
  }

  public MemoryPageStore store() {
    return store;
  }

  /** Waits until everything written so far is durable and in the page store. */
  public void quiesce() {
    log.awaitDurable(newContext(), log.reservedLsn());
  }

  /** Compares the pool with the page store. */
  public Checker pagesChecker() {
    return new StoreEqualsBufferChecker(pool, () -> Map.of("the page store", store), log);
  }

  /**
   * The process ends: what the stream has not acknowledged by now, it never will. The page store
   * has the rest.
   *
   * @return LSN up to which all is durable
   */
  public long crash() {
    long end = stream.seal(stream.epoch() + 2); // logs begin with 1
    stream.release(); // refused
    while (store.appliedOffset(stream.streamId()) < end) {
      Thread.yield(); // what was taken before is on its way there
    }
    return stream.lastLsn();
  }

  /** A new engine over what is durable; this one is closed. */
  public TestEngine restart(int frames) {
    stop();
    return new TestEngine(frames, LogSettings.ofRing(1 << 20), clock.node(), stream, store);
  }

  /** After every test the page store has what the pool has, unless the log has failed. */
  @Override
  public void close() {
    if (!stopped && !log.hasFailed()) {
      pagesChecker().check(newContext());
    }
    stop();
  }

  /** Ends without comparing pages: some may be here that another node wrote. */
  public void closeUnchecked() {
    stop();
  }

  private void stop() {
    if (stopped) {
      return;
    }
    stopped = true;
    log.close();
    try {
      tail.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
