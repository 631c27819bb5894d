package io.gauss.bench.micro;

import io.gauss.common.id.PageId;
import io.gauss.common.page.PageType;
import io.gauss.common.redo.RedoType;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.engine.Engine;
import io.gauss.compute.engine.EngineSettings;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.Mtr;
import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A mini-transaction with one record: reserving, applying it to a cached page and copying it into
 * the log's ring, while the log's threads append to real files and the page store takes the redo;
 * and the same with the wait until it is durable. Use {@code -t} for several threads.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 1,
    jvmArgs = {
      "--enable-native-access=ALL-UNNAMED",
      "-XX:+UseCompactObjectHeaders",
      "-Xmx512m",
      "-XX:MaxDirectMemorySize=1g"
    })
public class LogBenchmark {
  private static final int PAGES = 512;
  private static final int RECORD_AT = 1000;

  @Param({"20", "200"})
  private int payloadBytes;

  private BenchmarkDirectory directory;
  private Engine engine;
  private int space;

  /** The state of one thread. */
  @State(Scope.Thread)
  public static class Writer {
    private EngineContext ctx;
    private final PageGuard guard = new PageGuard();
    private byte[] payload;

    @Setup(Level.Trial)
    public void open(LogBenchmark benchmark) {
      ctx = benchmark.engine.newContext();
      payload = new byte[benchmark.payloadBytes];
    }
  }

  @Setup
  public void open() throws IOException {
    directory = new BenchmarkDirectory("log");
    engine = Engine.openLocal(directory.path(), EngineSettings.ofPoolBytes(64L << 20));
    EngineContext ctx = engine.newContext();
    space = engine.spaces().create(ctx);
    try (PageGuard guard = new PageGuard()) {
      for (int i = 1; i <= PAGES; i++) {
        int page = engine.spaces().reserve(ctx, space);
        Mtr mtr = ctx.mtr();
        mtr.begin(100);
        engine.pool().write(ctx, PageId.of(space, page), guard);
        mtr.startRecord(guard, RedoType.FORMAT);
        mtr.putByte(PageType.META);
        mtr.putByte(0); // level
        mtr.putByte(0); // flags
        mtr.putByte(0);
        mtr.putInt(0); // generation
        mtr.putInt(0); // right sibling
        mtr.putShort(0);
        mtr.putShort(0);
        mtr.putShort(0xFFFF);
        mtr.endRecord();
        mtr.commit();
        guard.close();
        engine.pool().unpin(PageId.of(space, page));
      }
    }
  }

  @TearDown
  public void close() throws IOException {
    engine.close();
    directory.close();
  }

  @Benchmark
  public long mtr(Writer writer) {
    return write(writer);
  }

  /** One thread waits for each force; with many, forces are shared. */
  @Benchmark
  public long mtrDurable(Writer writer) {
    long lsn = write(writer);
    engine.log().awaitDurable(writer.ctx, lsn);
    return lsn;
  }

  private long write(Writer writer) {
    long page = PageId.of(space, 1 + ThreadLocalRandom.current().nextInt(PAGES));
    EngineContext ctx = writer.ctx;
    Mtr mtr = ctx.mtr();
    engine.pool().pin(ctx, page);
    try {
      mtr.begin(payloadBytes + 64);
      engine.pool().write(ctx, page, writer.guard);
      mtr.startRecord(writer.guard, RedoType.WRITE);
      mtr.putShort(RECORD_AT);
      mtr.putBytes(writer.payload, 0, writer.payload.length);
      mtr.endRecord();
      return mtr.commit();
    } finally {
      writer.guard.close();
      mtr.abandon();
      engine.pool().unpin(page);
    }
  }
}
