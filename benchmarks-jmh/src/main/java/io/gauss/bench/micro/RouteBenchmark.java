package io.gauss.bench.micro;

import io.gauss.jdbc.routing.ClusterNode;
import io.gauss.jdbc.routing.Decision;
import io.gauss.jdbc.routing.ModelRouter;
import io.gauss.jdbc.routing.RouteRequest;
import io.gauss.jdbc.routing.Router;
import io.gauss.jdbc.routing.Routers;
import io.gauss.jdbc.routing.RoutingMode;
import io.gauss.jdbc.routing.TableRouter;
import io.gauss.jdbc.routing.Topology;
import io.gauss.jdbc.routing.model.PublicationException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
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
 * Measures what choosing a node costs the driver per transaction, with a model of the size of
 * TPC-C's ({@link TpccSizedModel}): from the cache, computed by plain Java and by DJL, by the
 * table, and sticky. Plain pgjdbc does none of this.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgs = "-Dai.djl.offline=true")
public class RouteBenchmark {
  private static final int STATEMENTS = 1024;
  private static final int WAREHOUSES = 1000;

  @Param({"hit", "miss-java", "miss-djl", "table", "sticky"})
  private String path;

  private final RouteRequest[] requests = new RouteRequest[STATEMENTS];
  private Router router;
  private int next;

  @Setup
  public void open() throws PublicationException {
    Topology topology =
        new Topology(
            1,
            List.of(
                new ClusterNode(1, "a", 1, ClusterNode.State.UP, 0.3),
                new ClusterNode(2, "b", 2, ClusterNode.State.UP, 0.4),
                new ClusterNode(3, "c", 3, ClusterNode.State.UP, 0.5)));
    for (int i = 0; i < STATEMENTS; i++) {
      List<Object> parameters =
          Collections.unmodifiableList(Arrays.asList(12.5, 1 + i % WAREHOUSES, 1 + i % 10));
      requests[i] =
          new RouteRequest(TpccSizedModel.SQL, parameters, topology, topology.nodes().get(0));
    }
    router = router();
  }

  private Router router() throws PublicationException {
    Properties properties = new Properties();
    switch (path) {
      case "table" -> {
        TableRouter table = Routers.table(properties);
        table.load(new TpccSizedModel().table());
        return table;
      }
      case "sticky" -> {
        return Routers.create(RoutingMode.STICKY, properties);
      }
      default -> {
        properties.setProperty("routing.engine", path.equals("miss-djl") ? "djl" : "java");
        properties.setProperty("routing.cacheSize", path.equals("hit") ? "16384" : "0");
        ModelRouter model = Routers.model(properties);
        model.load(new TpccSizedModel().model());
        return model;
      }
    }
  }

  @TearDown
  public void close() {
    router.close();
  }

  @Benchmark
  public Decision route() {
    next = (next + 1) % STATEMENTS;
    return router.route(requests[next]);
  }
}
