package io.gauss.bench.micro;

import io.gauss.compute.node.ComputeNode;
import io.gauss.compute.node.NodeSettings;
import io.gauss.compute.row.ColumnVector;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.session.Session;
import io.gauss.compute.session.message.RowEncoder;
import io.gauss.compute.sql.plan.ResultColumn;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.TypeContext;
import io.gauss.compute.type.Value;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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
 * The protocol's codec: encoding result rows of four columns, and reading a Bind message with four
 * parameters, in text and in binary.
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
public class ProtocolBenchmark {
  private static final int ROWS = 64;
  private static final List<PgType> TYPES =
      List.of(PgType.INT8, PgType.TEXT, PgType.NUMERIC, PgType.TIMESTAMP);
  private static final List<String> VALUES =
      List.of("1234567", "a row with some text in it", "12345.67", "2026-01-02 03:04:05.678");

  @Param({"text", "binary"})
  private String format;

  private final ByteSink sink = new ByteSink(64 << 10);
  private final BindMessage message = new BindMessage();
  private RowBatch batch;
  private RowEncoder encoder;
  private BenchmarkDirectory directory;
  private ComputeNode node;
  private Session session;

  @Setup
  public void open() throws IOException {
    short code = (short) (format.equals("binary") ? 1 : 0);
    ColumnVector[] columns = new ColumnVector[TYPES.size()];
    Value value = new Value();
    message.begin(code, TYPES.size());
    for (int i = 0; i < columns.length; i++) {
      TypeCodec codec = TypeCodec.of(TYPES.get(i));
      columns[i] = new ColumnVector(TYPES.get(i).kind());
      codec.fromText(VALUES.get(i), TypeContext.DEFAULT, value);
      for (int row = 0; row < ROWS; row++) {
        columns[i].set(row, value);
      }
      message.put(parameter(codec, i, code, value));
    }
    message.end(code);
    batch = new RowBatch(columns);
    batch.size = ROWS;
    encoder =
        new RowEncoder(
            TYPES.stream().map(type -> new ResultColumn("c", type, 0, 0)).toList(),
            new short[] {code, code, code, code},
            TypeContext.DEFAULT);
    directory = new BenchmarkDirectory("protocol");
    node =
        ComputeNode.start(
            NodeSettings.load(directory.path(), 0, Map.of("pool.size", "16MB")),
            new SimpleMeterRegistry());
    session = node.sessions().open(Map.of("user", "gauss"), new EncodedResponses());
    session.parse("four", "SELECT $1::int8, $2::text, $3::numeric, $4::timestamp", new int[0]);
    session.sync();
  }

  private static byte[] parameter(TypeCodec codec, int column, int code, Value value) {
    if (code == 0) {
      return VALUES.get(column).getBytes(StandardCharsets.UTF_8);
    }
    ByteSink bytes = new ByteSink(64);
    codec.writeBinary(value, bytes);
    return bytes.toByteArray();
  }

  @TearDown
  public void close() throws IOException {
    session.close();
    node.close();
    directory.close();
  }

  /** Per row. */
  @Benchmark
  @OperationsPerInvocation(ROWS)
  public int encodeRow() {
    sink.clear();
    for (int row = 0; row < ROWS; row++) {
      encoder.encode(batch, row, sink);
    }
    return sink.length;
  }

  /** A Bind message of a prepared statement, to a portal that can be executed. */
  @Benchmark
  public void bind() {
    session.bind("", "four", message.read());
  }
}
