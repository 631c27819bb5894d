package io.gauss.bench.micro;

import io.gauss.compute.engine.Engine;
import io.gauss.compute.engine.EngineSettings;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.Transactions;
import io.gauss.compute.txn.Visibility;
import io.gauss.compute.txn.base.TransactionSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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

/** Measures the cost of a transaction besides its rows, with 2,000 idle sessions open. */
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
public class TransactionBenchmark {
  private static final int IDLE_SESSIONS = 2_000;
  private static final int TABLE = 4711;

  private Path directory;
  private Engine engine;
  private Transactions transactions;
  private Transaction txn;
  private Transaction reader;
  private long ancientXid;
  private long recentXid;

  @Setup
  public void open() throws IOException {
    directory = Files.createTempDirectory("gauss-txn");
    engine = Engine.openLocal(directory, EngineSettings.ofPoolBytes(64L << 20));
    EngineContext ctx = engine.newContext();
    transactions =
        new Transactions(
            engine.log(),
            engine.pool(),
            engine.spaces(),
            TransactionSettings.DEFAULT,
            System::nanoTime);
    transactions.recover(ctx);
    transactions.start();
    for (int i = 0; i < IDLE_SESSIONS; i++) {
      transactions.session(ctx);
    }
    txn = transactions.session(engine.newContext());
    ancientXid = commitSomething();
    engine.log().awaitDurable(ctx, engine.log().reservedLsn());
    while (!transactions.horizon().passed(ancientXid)) {
      Thread.onSpinWait();
    }
    Transaction holdsBack = transactions.session(engine.newContext());
    holdsBack.begin(IsolationLevel.REPEATABLE_READ);
    holdsBack.startStatement();
    recentXid = commitSomething();
    engine.log().awaitDurable(ctx, engine.log().reservedLsn());
    reader = transactions.session(engine.newContext());
    reader.begin(IsolationLevel.REPEATABLE_READ);
    reader.startStatement();
  }

  private long commitSomething() {
    txn.begin(IsolationLevel.READ_COMMITTED);
    long xid = txn.ensureXid();
    txn.commit();
    return xid;
  }

  @TearDown
  public void close() throws IOException {
    reader.rollback();
    transactions.stop();
    engine.close();
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(TransactionBenchmark::delete);
    }
  }

  private static void delete(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Aim: below 200 ns, no allocation. */
  @Benchmark
  public long readOnlyStatement() {
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.lockTable(TABLE, TableLockMode.ACCESS_SHARE);
    txn.startStatement();
    long snapshot = txn.snapshot().lsn();
    txn.endStatement();
    return snapshot + txn.commit();
  }

  /** An xid and a commit record, but no rows. */
  @Benchmark
  public long emptyWriteTransaction() {
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    txn.ensureXid();
    txn.endStatement();
    return txn.commit();
  }

  @Benchmark
  public boolean visibilityBelowTheHorizon() {
    return transactions.visibility().judge(reader, reader.snapshot(), ancientXid, 1)
        == Visibility.SEEN;
  }

  @Benchmark
  public boolean visibilityOfARecentCommit() {
    return transactions.visibility().judge(reader, reader.snapshot(), recentXid, 1)
        == Visibility.SEEN;
  }
}
