package io.gauss.compute.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.gauss.compute.engine.TestEngine;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.routing.data.RoutingMode;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What sampling costs transactions that are not sampled. */
class SamplerCostTest {
  private static final int TRANSACTIONS = 100_000;
  private static final PgType[] NO_TYPES = {};
  private static final Value[] NO_VALUES = {};
  private static final int[] NO_TABLES = {};

  private long nanos;
  private final AccessSampling sampling = new AccessSampling(() -> 1, 1, () -> nanos, () -> 0, 7);

  private static void run(TransactionSampler sampler, int transactions) {
    for (int i = 0; i < transactions; i++) {
      sampler.begun();
      if (sampler.wantsStatement()) {
        sampler.statement("SELECT 1", NO_TYPES, NO_VALUES, NO_TABLES);
      }
      sampler.ended(true);
    }
  }

  @Test
  void aTransactionThatIsNotSampledAllocatesNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (TestEngine engine = new TestEngine(64)) {
      EngineContext context = engine.newContext();
      try (TransactionSampler sampler = sampling.session(context)) {
        run(sampler, TRANSACTIONS);
        nanos += TimeUnit.SECONDS.toNanos(1);
        sampling.adapt();
        run(sampler, TRANSACTIONS);
        long before = threads.getCurrentThreadAllocatedBytes();
        run(sampler, TRANSACTIONS);
        long bytes = threads.getCurrentThreadAllocatedBytes() - before;
        assertTrue(bytes < TRANSACTIONS / 2, bytes + " bytes");
        RoutingCounts counts = sampling.counts().get(RoutingMode.OFF);
        assertEquals(3L * TRANSACTIONS, counts.transactions());
      }
      assertEquals(
          3L * TRANSACTIONS,
          sampling.counts().get(RoutingMode.OFF).transactions(),
          "what a session counted stays when it ends");
    }
  }

  /** What was drawn at a high load would have lasted for thousands of transactions. */
  @Test
  void afterABusyTimeTheNextTransactionsAreSampled() {
    try (TestEngine engine = new TestEngine(64);
        TransactionSampler sampler = sampling.session(engine.newContext())) {
      run(sampler, TRANSACTIONS);
      nanos += TimeUnit.SECONDS.toNanos(1);
      sampling.adapt();
      assertEquals(TRANSACTIONS, sampling.interval());
      run(sampler, 1);
      nanos += TimeUnit.SECONDS.toNanos(1);
      sampling.adapt();
      assertEquals(1, sampling.interval());
      sampler.begun();
      assertTrue(sampler.wantsStatement());
      sampler.ended(true);
    }
  }

  @Test
  void transactionsCountForTheModeInWhichTheyRan() {
    try (TestEngine engine = new TestEngine(64);
        TransactionSampler sampler = sampling.session(engine.newContext())) {
      run(sampler, 3);
      sampler.mode(RoutingMode.MODEL);
      run(sampler, 5);
      sampler.mode(RoutingMode.OFF);
      run(sampler, 7);
      assertEquals(10, sampling.counts().get(RoutingMode.OFF).transactions());
      assertEquals(5, sampling.counts().get(RoutingMode.MODEL).transactions());
    }
  }
}
