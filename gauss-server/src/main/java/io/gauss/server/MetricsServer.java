package io.gauss.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Serves {@code /metrics} in Prometheus's text format (OpenMetrics for clients that accept it), and
 * {@code /health}: 200 while all is well, 503 while the node is degraded or not up yet; {@code
 * /ready}: 200 while the node serves, even if degraded, 503 otherwise. Read-only; GET and HEAD.
 * Each request has a virtual thread. Thread-safe.
 */
final class MetricsServer implements AutoCloseable {
  private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";
  private static final String OPEN_METRICS_TYPE = "application/openmetrics-text";
  private static final String OPEN_METRICS = OPEN_METRICS_TYPE + "; version=1.0.0; charset=utf-8";
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int METHOD_NOT_ALLOWED = 405;
  private static final int UNAVAILABLE = 503;

  private final HttpServer server;
  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
  private final PrometheusMeterRegistry registry;
  private final Supplier<String> state;
  private final BooleanSupplier ready;

  private record Answer(int status, String type, String body) {}

  /**
   * Listens.
   *
   * @param state UP, or the problems
   * @param ready whether the node serves
   * @throws GaussException 58030 when the address or port is not available
   */
  MetricsServer(
      InetSocketAddress address,
      PrometheusMeterRegistry registry,
      Supplier<String> state,
      BooleanSupplier ready) {
    this.registry = registry;
    this.state = state;
    this.ready = ready;
    try {
      server = HttpServer.create(address, 0);
    } catch (IOException | IllegalArgumentException e) {
      executor.close();
      throw new GaussException(
          SqlState.IO_ERROR, "cannot serve metrics on " + address + ": " + e.getMessage(), e);
    }
    server.createContext("/", this::handle);
    server.setExecutor(executor);
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      boolean head = exchange.getRequestMethod().equals("HEAD");
      Answer answer =
          head || exchange.getRequestMethod().equals("GET")
              ? answer(exchange)
              : new Answer(METHOD_NOT_ALLOWED, TEXT, "only GET and HEAD\n");
      byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", answer.type());
      exchange.sendResponseHeaders(answer.status(), head ? -1 : body.length);
      if (!head) {
        exchange.getResponseBody().write(body);
      }
    }
  }

  private Answer answer(HttpExchange exchange) {
    return switch (exchange.getRequestURI().getPath()) {
      case "/metrics" -> {
        String accepted = exchange.getRequestHeaders().getFirst("Accept");
        boolean open = accepted != null && accepted.contains(OPEN_METRICS_TYPE);
        String type = open ? OPEN_METRICS : TEXT;
        yield new Answer(OK, type, registry.scrape(type));
      }
      case "/health" -> {
        String now = state.get();
        yield new Answer(now.equals("UP") ? OK : UNAVAILABLE, TEXT, now + "\n");
      }
      case "/ready" ->
          ready.getAsBoolean()
              ? new Answer(OK, TEXT, "ready\n")
              : new Answer(UNAVAILABLE, TEXT, "not ready: " + state.get() + "\n");
      default -> new Answer(NOT_FOUND, TEXT, "there are /metrics, /health and /ready\n");
    };
  }

  @Override
  public void close() {
    server.stop(0);
    executor.close();
  }
}
