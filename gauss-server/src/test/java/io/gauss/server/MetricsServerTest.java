package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a scraper and a supervisor get. */
class MetricsServerTest {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final HttpClient client = HttpClient.newHttpClient();
  private volatile String state = "UP";
  private volatile boolean ready = true;
  private MetricsServer server;

  @BeforeEach
  void start() {
    server =
        new MetricsServer(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            registry,
            () -> state,
            () -> ready);
  }

  @AfterEach
  void stop() {
    server.close();
    client.close();
  }

  private HttpResponse<String> get(String path, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void aMeterIsScrapedWithItsTags() throws Exception {
    registry.counter("gauss.log.bytes", "stream", "1").increment(5);
    HttpResponse<String> answer = get("/metrics");
    assertEquals(200, answer.statusCode());
    assertTrue(answer.headers().firstValue("Content-Type").orElse("").startsWith("text/plain"));
    assertTrue(answer.body().contains("gauss_log_bytes_total{stream=\"1\"} 5.0"), answer.body());
  }

  @Test
  void openMetricsIsServedToWhoeverAcceptsIt() throws Exception {
    registry.counter("gauss.log.bytes").increment();
    HttpResponse<String> answer =
        get("/metrics", "Accept", "application/openmetrics-text; version=1.0.0");
    assertTrue(answer.body().endsWith("# EOF\n"), answer.body());
  }

  @Test
  void healthIs503WhileSomethingIsWrong() throws Exception {
    assertEquals(200, get("/health").statusCode());
    state = "degraded: damaged pages";
    HttpResponse<String> answer = get("/health");
    assertEquals(503, answer.statusCode());
    assertEquals("degraded: damaged pages\n", answer.body());
  }

  @Test
  void aDegradedNodeIsReadyAndOneThatDoesNotServeIsNot() throws Exception {
    state = "degraded: damaged pages";
    assertEquals(200, get("/ready").statusCode());
    state = "STARTING";
    ready = false;
    HttpResponse<String> answer = get("/ready");
    assertEquals(503, answer.statusCode());
    assertEquals("not ready: STARTING\n", answer.body());
  }

  @Test
  void otherPathsAndMethodsAreRefused() throws Exception {
    assertEquals(404, get("/other").statusCode());
    HttpRequest post =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/metrics"))
            .POST(HttpRequest.BodyPublishers.ofString("x"))
            .build();
    assertEquals(405, client.send(post, HttpResponse.BodyHandlers.discarding()).statusCode());
  }

  @Test
  void aPortThatIsTakenIsAnErrorAtTheStart() {
    InetSocketAddress taken =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
    GaussException error =
        assertThrows(
            GaussException.class,
            () -> new MetricsServer(taken, registry, () -> state, () -> ready));
    assertEquals(SqlState.IO_ERROR, error.state());
  }
}
