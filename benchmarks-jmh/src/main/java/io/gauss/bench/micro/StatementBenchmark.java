package io.gauss.bench.micro;

import io.gauss.compute.node.ComputeNode;
import io.gauss.compute.node.NodeSettings;
import io.gauss.compute.session.Session;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.util.Map;
import java.util.SplittableRandom;
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
 * Statements end to end within the process: the work of a connection's event loop between reading a
 * message and having the answer's bytes, without the socket. All rows are in the buffer pool, plans
 * are in the cache.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 1,
    jvmArgs = {
      "--enable-native-access=ALL-UNNAMED",
      "-XX:+UseCompactObjectHeaders",
      "-Xmx1g",
      "-XX:MaxDirectMemorySize=1g"
    })
public class StatementBenchmark {
  private static final int ROWS = 100_000;
  private static final String UPDATE = "update";
  private static final String SELECT = "select";

  private final BindMessage message = new BindMessage();
  private final SplittableRandom random = new SplittableRandom(1);
  private final EncodedResponses out = new EncodedResponses();
  private BenchmarkDirectory directory;
  private ComputeNode node;
  private Session session;

  @Setup
  public void open() throws IOException {
    directory = new BenchmarkDirectory("statement");
    node =
        ComputeNode.start(
            NodeSettings.load(directory.path(), 0, Map.of("pool.size", "256MB")),
            new SimpleMeterRegistry());
    session = node.sessions().open(Map.of("user", "gauss"), out);
    query("CREATE TABLE t (id bigint PRIMARY KEY, n int NOT NULL, c text NOT NULL)");
    query(
        "INSERT INTO t SELECT g, g % 1000, 'a row with some text in it, number ' || g"
            + " FROM generate_series(1, "
            + ROWS
            + ") AS g");
    query("ANALYZE t");
    session.parse(SELECT, "SELECT n, c FROM t WHERE id = $1", new int[0]);
    session.parse(UPDATE, "UPDATE t SET n = n + 1 WHERE id = $1", new int[0]);
    session.sync();
  }

  private void query(String text) {
    session.startQuery(text);
    session.runQuery();
  }

  @TearDown
  public void close() throws IOException {
    session.close();
    node.close();
    directory.close();
  }

  private void execute(String statement) {
    message.begin(1, 1);
    message.putLong(1 + random.nextInt(ROWS));
    session.bind("", statement, message.end(1));
    session.execute("", 0);
    session.sync();
  }

  /** Bind, Execute and Sync of a prepared statement. */
  @Benchmark
  public long preparedPointSelect() {
    execute(SELECT);
    return out.rows();
  }

  /** A Query message whose constant is a new one each time, as psql and simple drivers send it. */
  @Benchmark
  public long simplePointSelect() {
    query("SELECT n, c FROM t WHERE id = " + (1 + random.nextInt(ROWS)));
    return out.rows();
  }

  /** With its own commit, without waiting for it. */
  @Benchmark
  public void preparedPointUpdate() {
    execute(UPDATE);
  }
}
