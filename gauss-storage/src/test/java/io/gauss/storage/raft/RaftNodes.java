package io.gauss.storage.raft;

import io.gauss.common.task.FreePorts;
import io.gauss.common.transport.ClusterKey;
import io.gauss.common.transport.Transport;
import io.gauss.storage.raft.stream.StreamService;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * Raft hosts of several storage nodes in one JVM, which can be stopped and started one by one. Node
 * numbers start at 0; node 0 has the highest priority.
 */
public final class RaftNodes implements GroupNodes {
  /** By which members in tests recognise each other. */
  public static final ClusterKey KEY =
      new ClusterKey(new UUID(1, 2), "a secret of tests".getBytes(StandardCharsets.UTF_8));

  private final List<RaftSettings> settings = new ArrayList<>();
  private final IntFunction<RaftHost.MachineFactory> machines;
  private final UnaryOperator<Transport> transports;
  private final RaftHost[] hosts;

  public RaftNodes(int nodes, Path directory, IntFunction<RaftHost.MachineFactory> machines) {
    this(nodes, directory, machines, s -> s);
  }

  public RaftNodes(
      int nodes,
      Path directory,
      IntFunction<RaftHost.MachineFactory> machines,
      UnaryOperator<RaftSettings> change) {
    this(nodes, directory, machines, change, transport -> transport);
  }

  /**
   * @param transports stands between the members and their transport
   */
  RaftNodes(
      int nodes,
      Path directory,
      IntFunction<RaftHost.MachineFactory> machines,
      UnaryOperator<RaftSettings> change,
      UnaryOperator<Transport> transports) {
    this.machines = machines;
    this.transports = transports;
    this.hosts = new RaftHost[nodes];
    int[] ports = FreePorts.several(nodes);
    for (int node = 0; node < nodes; node++) {
      settings.add(
          change.apply(
              RaftSettings.of(node, "127.0.0.1", ports[node], directory.resolve("s" + node), KEY)
                  .withElectionTimeout(Duration.ofMillis(300), Duration.ofMillis(600))));
    }
  }

  @Override
  public int size() {
    return hosts.length;
  }

  public RaftSettings settings(int node) {
    return settings.get(node);
  }

  @Override
  public List<GroupMember> members() {
    List<GroupMember> members = new ArrayList<>();
    for (RaftSettings node : settings) {
      members.add(node.member(settings.size() - node.node()));
    }
    return members;
  }

  @Override
  public RaftHost start(int node) {
    if (hosts[node] == null) {
      hosts[node] =
          RaftHost.start(
              settings.get(node), machines.apply(node), StreamService.evidence(), transports);
    }
    return hosts[node];
  }

  @Override
  public void stop(int node) {
    if (hosts[node] != null) {
      hosts[node].close();
      hosts[node] = null;
    }
  }

  public boolean runs(int node) {
    return hosts[node] != null;
  }

  @Override
  public RaftHost host(int node) {
    return hosts[node];
  }

  /** See {@link GroupNodes#await}. */
  public static void await(String what, BooleanSupplier condition) {
    GroupNodes.await(what, condition);
  }

  @Override
  public void close() {
    Together.run(
        IntStream.range(0, hosts.length).<Runnable>mapToObj(node -> () -> stop(node)).toList());
  }
}
