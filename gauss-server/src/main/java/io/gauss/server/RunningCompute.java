package io.gauss.server;

import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.transport.tcp.NodesOfProcess;
import io.gauss.compute.node.ComputeNode;
import io.gauss.compute.node.NodeSettings;
import io.gauss.server.routing.PublishedBetterNode;
import io.gauss.server.routing.PublishedRoutes;
import io.gauss.server.routing.ReadablePublications;
import io.gauss.server.routing.RoutingLearner;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.CompletableFuture;

/**
 * A compute node as a process runs it.
 *
 * @param routes where transactions belong according to the publications
 * @param learner null when it does not learn where transactions belong
 * @param host an address of this machine on which it listens for clients
 */
record RunningCompute(ComputeNode node, PublishedRoutes routes, RoutingLearner learner, String host)
    implements NodeRunner.Running {
  static RunningCompute start(NodeSettings settings, MeterRegistry registry) {
    return start(settings, registry, null);
  }

  /**
   * @param process other nodes of this process; null = none
   */
  static RunningCompute start(
      NodeSettings settings, MeterRegistry registry, NodesOfProcess process) {
    ComputeNode node = ComputeNode.start(settings, registry, process);
    node.routing().filterBy(new ReadablePublications());
    PublishedBetterNode better = null;
    if (node.reroutes() != null) {
      better = PublishedBetterNode.of(node);
      node.reroutes().route(better);
    }
    return new RunningCompute(
        node,
        PublishedRoutes.tellBy(node, better),
        settings.get(NodeSettingTable.ROUTING_LEARNING) && node.isInCluster()
            ? RoutingLearner.start(
                node,
                settings.data().resolve("djl"),
                settings.get(NodeSettingTable.ROUTING_EXCLUDE),
                registry)
            : null,
        settings.listensAt());
  }

  @Override
  public int port() {
    return node.port();
  }

  @Override
  public String state() {
    return node.engine().health().state();
  }

  @Override
  public boolean isReady() {
    return node.takesClients();
  }

  @Override
  public CompletableFuture<Void> drained() {
    return node.drained();
  }

  @Override
  public CompletableFuture<String> lost() {
    return node.lost();
  }

  @Override
  public void close() {
    if (learner != null) {
      learner.close();
    }
    node.close();
    routes.close();
  }
}
