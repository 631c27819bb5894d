package io.gauss.bench.micro;

import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.routing.AccessSampling;
import io.gauss.compute.routing.TransactionSampler;
import io.gauss.compute.space.SystemSpaces;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures the cost of sampling transactions: one that is not sampled and one that is, each with 60
 * accesses to 30 pages, as a large transaction of TPC-C has.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgs = "-XX:+UseCompactObjectHeaders")
public class SamplingBenchmark {
  private static final int ACCESSES = 60;
  private static final int PAGES = 30;
  private static final int OFTEN = 1_000_000_000;
  private static final PgType[] TYPES = {PgType.INT4, PgType.TEXT};
  private static final int[] TABLES = {16_384};

  private final Value[] values = {new Value(), new Value()};
  private final long page = Memory.allocateForever(PageLayout.PAGE_BYTES, Long.BYTES);
  private final EngineContext context = new EngineContext(null);
  private TransactionSampler never;
  private TransactionSampler always;

  @Setup
  public void open() {
    values[0].setLong(17);
    values[1].setBytes(new byte[40], 0, 40);
    Memory.zero(page, PageLayout.PAGE_BYTES);
    Memory.putByte(page + PageLayout.TYPE, (byte) PageType.TREE);
    never = sampling(0).session(context);
    always = sampling(OFTEN).session(context);
  }

  private static AccessSampling sampling(int perSecond) {
    return new AccessSampling(() -> 1, perSecond, System::nanoTime, () -> 0, 1);
  }

  @TearDown
  public void close() {
    never.close();
    always.close();
  }

  @Benchmark
  public long isNotSampled() {
    return run(never);
  }

  @Benchmark
  public long isSampled() {
    return run(always);
  }

  /** The same without anything that could be sampled. */
  @Benchmark
  public long pageAccessesAlone() {
    return accesses();
  }

  private long run(TransactionSampler sampler) {
    sampler.begun();
    if (sampler.wantsStatement()) {
      sampler.statement("SELECT c FROM t WHERE id = $1 AND name = $2", TYPES, values, TABLES);
    }
    long counted = accesses();
    sampler.ended(true);
    return counted;
  }

  private long accesses() {
    long counted = 0;
    for (int i = 0; i < ACCESSES; i++) {
      if (context.pages().countHit()) {
        long pageId = PageId.of(SystemSpaces.FIRST_USER + i % 3, 977 * (i % PAGES));
        counted += context.pages().reportHit(pageId, page, i % 4 == 0);
      }
    }
    return counted;
  }
}
