package io.gauss.bench.micro;

import io.gauss.common.memory.Memory;
import io.gauss.compute.engine.Engine;
import io.gauss.compute.engine.EngineSettings;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.store.Outcome;
import io.gauss.compute.store.RowVersion;
import io.gauss.compute.store.Store;
import io.gauss.compute.store.VersionedScan;
import io.gauss.compute.store.VersionedTree;
import io.gauss.compute.tree.TreeCursor;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.Transactions;
import io.gauss.compute.txn.WaitPolicy;
import io.gauss.compute.txn.base.TransactionSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
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
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One session on a cached tree of a million rows of about 100 bytes: structure only, rows by
 * snapshot, writes with undo and redo, scans.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 1,
    jvmArgs = {
      "--enable-native-access=ALL-UNNAMED",
      "-XX:+UseCompactObjectHeaders",
      "-Xmx768m",
      "-XX:MaxDirectMemorySize=1g"
    })
public class TreeBenchmark {
  private static final int SCANNED = 1_000_000;
  private static final int ROWS_OF_A_COMMIT = 1000;
  private static final int BATCH = 100;

  @Param("1000000")
  private int rows;

  private Path directory;
  private Engine engine;
  private Transactions transactions;
  private VersionedTree tree;
  private VersionedTree inserts;
  private Transaction txn;
  private EngineContext ctx;
  private VersionedScan scan;
  private final RowVersion version = new RowVersion();
  private final byte[] key = new byte[8];
  private final byte[] row = new byte[92];
  private long random = 88172645463325252L;
  private long next = 1L << 40;

  @Setup
  public void open() throws IOException {
    directory = Files.createTempDirectory("gauss-tree");
    engine = Engine.openLocal(directory, EngineSettings.ofPoolBytes(512L << 20));
    ctx = engine.newContext();
    transactions =
        new Transactions(
            engine.log(),
            engine.pool(),
            engine.spaces(),
            TransactionSettings.DEFAULT,
            System::nanoTime);
    Store store = new Store(engine.pool(), engine.spaces(), transactions);
    transactions.format(ctx);
    transactions.start();
    tree = store.tree(store.create(ctx));
    inserts = store.tree(store.create(ctx));
    txn = transactions.session(ctx);
    for (int i = 0; i < rows; i += ROWS_OF_A_COMMIT) {
      begin();
      for (int j = i; j < Math.min(rows, i + ROWS_OF_A_COMMIT); j++) {
        setKey(j);
        tree.insert(txn, key, 0, 8, row, 0, row.length, null);
      }
      commit();
    }
    scan = tree.newScan(ctx);
    engine.log().awaitDurable(ctx, engine.log().reservedLsn());
    begin();
  }

  @TearDown
  public void close() throws IOException {
    txn.rollback();
    txn.close();
    transactions.stop();
    engine.close();
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(TreeBenchmark::delete);
    }
  }

  private static void delete(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void begin() {
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
  }

  private void commit() {
    txn.endStatement();
    txn.commit();
  }

  private void setKey(long value) {
    ByteBuffer.wrap(key).putLong(value);
  }

  private long random() {
    random ^= random << 13;
    random ^= random >>> 7;
    random ^= random << 17;
    return random;
  }

  private void randomKey() {
    setKey(Long.remainderUnsigned(random(), rows));
  }

  /** Descent to a leaf of a cached 3-level tree, and its release. */
  @Benchmark
  public int findLeaf() {
    randomKey();
    TreeCursor cursor = TreeCursor.of(ctx);
    tree.btree().findLeaf(ctx, cursor, key, 0, 8, false);
    cursor.guard.close();
    return cursor.slot;
  }

  /** Point read by snapshot with the row copied out. */
  @Benchmark
  public boolean get() {
    randomKey();
    return tree.get(txn, txn.snapshot(), key, 0, 8, version);
  }

  /** Insert at a random place with undo and redo; a commit for each hundred. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public void insertRandom() {
    for (int i = 0; i < BATCH; i++) {
      setKey(random());
      require(inserts.insert(txn, key, 0, 8, row, 0, row.length, null));
    }
    commit();
    begin();
  }

  /** Insert in ascending order with undo and redo; a commit for each hundred. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public void insertAscending() {
    for (int i = 0; i < BATCH; i++) {
      setKey(next++);
      require(inserts.insert(txn, key, 0, 8, row, 0, row.length, null));
    }
    commit();
    begin();
  }

  /** Read for writing and update of 8 bytes of a random row; a commit for each hundred. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public void update() {
    for (int i = 0; i < BATCH; i++) {
      randomKey();
      Outcome outcome = tree.readNewest(txn, txn.snapshot(), key, 0, 8, WaitPolicy.WAIT, version);
      if (outcome == Outcome.SELF) {
        continue;
      }
      version.row[40]++;
      require(tree.update(txn, version, version.row, 0, version.rowLength));
    }
    commit();
    begin();
  }

  /** A row of full scans, until a million are read: visibility and one value read. */
  @Benchmark
  @OperationsPerInvocation(SCANNED)
  public long scan() {
    long sum = 0;
    for (int left = SCANNED; left > 0; ) {
      scan.open(txn, txn.snapshot(), null, 0, true, null, 0, true, false);
      while (left > 0 && scan.next()) {
        sum += Memory.getLong(scan.rowAddress());
        left--;
      }
      scan.close();
    }
    return sum;
  }

  private static void require(Outcome outcome) {
    if (outcome != Outcome.OK) {
      throw new IllegalStateException(outcome.toString());
    }
  }
}
