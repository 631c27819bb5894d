package io.gauss.bench.micro;

import io.gauss.jdbc.routing.ClusterNode;
import io.gauss.jdbc.routing.ModelRouter;
import io.gauss.jdbc.routing.RouteRequest;
import io.gauss.jdbc.routing.Routers;
import io.gauss.jdbc.routing.Topology;
import io.gauss.jdbc.routing.model.PublicationException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.List;
import java.util.Locale;
import java.util.Properties;

/**
 * Measures what the driver costs a process that begins to use it: time until the driver is found by
 * its URL, until a model of the size of TPC-C's is loaded, and until the first decision; memory of
 * the heap and of the process (Linux) before and after. One run is one process; to be run several
 * times.
 *
 * <p>{@code DriverFootprint none|java|djl}: only the driver, or routing by that engine.
 */
public final class DriverFootprint {
  private static final double NANOS_PER_MS = 1e6;
  private static final double BYTES_PER_MB = 1 << 20;
  private static final double KB_PER_MB = 1 << 10;

  private DriverFootprint() {}

  /** See the class. */
  public static void main(String[] arguments) throws Exception {
    String engine = arguments.length == 0 ? "java" : arguments[0];
    byte[] model = new TpccSizedModel().model();
    report(System.out, engine, model);
  }

  private static void report(PrintStream out, String engine, byte[] model)
      throws IOException, PublicationException, java.sql.SQLException {
    double heapBefore = heap();
    double processBefore = process();
    long begun = System.nanoTime();
    DriverManager.getDriver("jdbc:gauss://127.0.0.1:1/gauss");
    long found = System.nanoTime();
    out.printf(Locale.ROOT, "driver found      %8.1f ms%n", (found - begun) / NANOS_PER_MS);
    if (!engine.equals("none")) {
      Properties properties = new Properties();
      properties.setProperty("routing.engine", engine);
      ModelRouter router = Routers.model(properties);
      router.load(model);
      long loaded = System.nanoTime();
      Topology topology =
          new Topology(1, List.of(new ClusterNode(1, "a", 1, ClusterNode.State.UP, 0)));
      router.route(new RouteRequest(TpccSizedModel.SQL, List.of(1.5, 3, 4), topology, null));
      long decided = System.nanoTime();
      out.printf(Locale.ROOT, "model loaded      %8.1f ms%n", (loaded - found) / NANOS_PER_MS);
      out.printf(Locale.ROOT, "first decision    %8.1f ms%n", (decided - loaded) / NANOS_PER_MS);
      out.printf(Locale.ROOT, "model             %8d bytes%n", model.length);
    }
    out.printf(Locale.ROOT, "heap              %+8.1f MB%n", heap() - heapBefore);
    out.printf(Locale.ROOT, "process (RSS)     %+8.1f MB%n", process() - processBefore);
  }

  /** MB in use after a collection. */
  private static double heap() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return (runtime.totalMemory() - runtime.freeMemory()) / BYTES_PER_MB;
  }

  /** MB of the process in memory. */
  private static double process() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status"), StandardCharsets.UTF_8).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToDouble(line -> Double.parseDouble(line.replaceAll("\\D", "")) / KB_PER_MB)
        .findFirst()
        .orElse(Double.NaN);
  }
}
