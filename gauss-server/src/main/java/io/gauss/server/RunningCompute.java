package io.gauss.server;

import io.gauss.compute.node.ComputeNode;
import io.gauss.compute.node.NodeSettings;
import java.util.concurrent.CompletableFuture;

/** A compute node as a process runs it. */
record RunningCompute(ComputeNode node) implements NodeRunner.Running {
  static RunningCompute start(NodeSettings settings, NodeMetrics metrics) {
    return new RunningCompute(ComputeNode.start(settings, metrics.registry()));
  }

  @Override
  public String host() {
    return "127.0.0.1";
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
  public CompletableFuture<Void> drained() {
    return node.drained();
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
