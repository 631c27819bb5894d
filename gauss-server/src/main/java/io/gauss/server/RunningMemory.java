package io.gauss.server;

import io.gauss.common.health.Problem;
import io.gauss.common.transport.tcp.TcpOptions;
import io.gauss.common.transport.tcp.TcpTransport;
import io.gauss.common.transport.tcp.TransportTls;
import io.gauss.memory.node.MemoryNode;
import io.gauss.memory.node.MemoryNodeSettings;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** A memory node as a process runs it. */
record RunningMemory(MemoryNode node) implements NodeRunner.Running {
  static RunningMemory start(MemoryNodeSettings settings, NodeMetrics metrics) {
    TcpOptions options = new TcpOptions(TcpOptions.Io.BEST, 1, TransportTls.of(settings.tls()));
    return new RunningMemory(
        MemoryNode.start(
            settings, config -> new TcpTransport(config, options), metrics.registry()));
  }

  @Override
  public String host() {
    return node.address().host();
  }

  @Override
  public int port() {
    return node.address().port();
  }

  @Override
  public String state() {
    List<Problem> problems = node.problems();
    return problems.isEmpty()
        ? "UP"
        : problems.stream()
            .map(Problem::toString)
            .collect(Collectors.joining("; ", "degraded: ", ""));
  }

  @Override
  public CompletableFuture<String> lost() {
    return node.lost();
  }

  @Override
  public void close() {
    node.close();
  }
}
