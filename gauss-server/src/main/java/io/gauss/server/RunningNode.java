package io.gauss.server;

import io.gauss.common.health.Problem;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.PeerTls;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.tcp.NodesOfProcess;
import io.gauss.common.transport.tcp.SocketIo;
import io.gauss.common.transport.tcp.TcpOptions;
import io.gauss.common.transport.tcp.TcpTransport;
import io.gauss.common.transport.tcp.TransportTls;
import io.gauss.memory.node.MemoryNode;
import io.gauss.memory.node.MemoryNodeSettings;
import io.gauss.storage.disk.DataDirectory;
import io.gauss.storage.node.StorageNode;
import io.gauss.storage.node.StorageNodeSettings;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A storage or memory node as a process runs it.
 *
 * @param ready whether it serves
 * @param lost completes with the reason when the node has lost its place in the cluster
 * @param drained completes when the node has nothing to do any more, at the cluster's request
 */
record RunningNode(
    NodeAddress address,
    Supplier<List<Problem>> problems,
    BooleanSupplier ready,
    CompletableFuture<String> lost,
    CompletableFuture<Void> drained,
    Runnable stop)
    implements NodeRunner.Running {

  static RunningNode start(StorageNodeSettings settings, MeterRegistry registry) {
    return start(settings, registry, null);
  }

  /**
   * @param process other nodes of this process; null = none
   */
  static RunningNode start(
      StorageNodeSettings settings, MeterRegistry registry, NodesOfProcess process) {
    StorageNode node =
        StorageNode.start(settings, config -> open(config, settings.tls(), process), registry);
    return new RunningNode(
        node.address(),
        node::problems,
        node::isMember,
        node.lost(),
        new CompletableFuture<>(),
        node::close);
  }

  /**
   * A memory node keeps nothing in its directory, but a second process in it would have the first
   * one's number, and the cluster would ask again and again which of the two lives.
   *
   * @throws io.gauss.common.error.GaussException 55006 when another process has the directory
   */
  static RunningNode start(MemoryNodeSettings settings, Path directory, MeterRegistry registry) {
    return start(settings, directory, registry, null);
  }

  /**
   * @param process other nodes of this process; null = none
   */
  static RunningNode start(
      MemoryNodeSettings settings, Path directory, MeterRegistry registry, NodesOfProcess process) {
    DataDirectory taken = DataDirectory.take(directory);
    try {
      MemoryNode node =
          MemoryNode.start(settings, config -> open(config, settings.tls(), process), registry);
      return new RunningNode(
          node.address(),
          node::problems,
          node::isMember,
          node.lost(),
          node.drained(),
          () -> {
            try (taken) {
              node.close();
            }
          });
    } catch (RuntimeException | Error e) {
      try (taken) {
        throw e;
      }
    }
  }

  private static Transport open(TransportConfig config, PeerTls files, NodesOfProcess process) {
    TransportTls tls = TransportTls.of(files, config.self());
    return new TcpTransport(config, new TcpOptions(SocketIo.best(), 1, tls, process));
  }

  @Override
  public String host() {
    return address.host();
  }

  @Override
  public int port() {
    return address.port();
  }

  @Override
  public String state() {
    List<Problem> now = problems.get();
    return now.isEmpty()
        ? "UP"
        : now.stream().map(Problem::toString).collect(Collectors.joining("; ", "degraded: ", ""));
  }

  @Override
  public boolean isReady() {
    return ready.getAsBoolean();
  }

  @Override
  public void close() {
    stop.run();
  }
}
