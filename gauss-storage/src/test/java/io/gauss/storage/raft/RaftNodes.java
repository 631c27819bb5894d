package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.raft.stream.StreamService;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * Raft hosts of several storage nodes in one JVM, which can be stopped and started one by one. Node
 * numbers start at 0; node 0 has the highest priority.
 */
public final class RaftNodes implements AutoCloseable {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final List<RaftSettings> settings = new ArrayList<>();
  private final IntFunction<RaftHost.MachineFactory> machines;
  private final RaftHost[] hosts;

  public RaftNodes(int nodes, Path directory, IntFunction<RaftHost.MachineFactory> machines) {
    this(nodes, directory, machines, s -> s);
  }

  public RaftNodes(
      int nodes,
      Path directory,
      IntFunction<RaftHost.MachineFactory> machines,
      UnaryOperator<RaftSettings> change) {
    this.machines = machines;
    this.hosts = new RaftHost[nodes];
    int[] ports = freePorts(nodes);
    for (int node = 0; node < nodes; node++) {
      settings.add(
          change.apply(
              RaftSettings.of(node, "127.0.0.1", ports[node], directory.resolve("s" + node))
                  .withElectionTimeout(Duration.ofMillis(300), Duration.ofMillis(600))));
    }
  }

  /** Ports that are free now. */
  public static int[] freePorts(int count) {
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      int[] ports = new int[count];
      for (int i = 0; i < count; i++) {
        ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        sockets.add(socket);
        ports[i] = socket.getLocalPort();
      }
      for (ServerSocket socket : sockets) {
        socket.close();
      }
      return ports;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int size() {
    return hosts.length;
  }

  public RaftSettings settings(int node) {
    return settings.get(node);
  }

  /** All nodes as members; the lower the number, the higher the priority. */
  public List<GroupMember> members() {
    List<GroupMember> members = new ArrayList<>();
    for (RaftSettings node : settings) {
      members.add(node.member(settings.size() - node.node()));
    }
    return members;
  }

  public void startAll() {
    for (int node = 0; node < hosts.length; node++) {
      start(node);
    }
  }

  public RaftHost start(int node) {
    if (hosts[node] == null) {
      hosts[node] =
          RaftHost.start(settings.get(node), machines.apply(node), StreamService.evidence());
    }
    return hosts[node];
  }

  public void stop(int node) {
    if (hosts[node] != null) {
      hosts[node].close();
      hosts[node] = null;
    }
  }

  public boolean runs(int node) {
    return hosts[node] != null;
  }

  public RaftHost host(int node) {
    return hosts[node];
  }

  /** Adds the group on all running nodes. */
  public void addGroup(GroupId group) {
    for (RaftHost host : hosts) {
      if (host != null) {
        host.addGroup(group, members());
      }
    }
  }

  /** The node that leads; waits until there is one. */
  public int awaitLeader(GroupId group) {
    int[] leader = {-1};
    await(
        "a leader of " + group,
        () -> {
          for (RaftHost host : hosts) {
            if (host != null && host.groups().contains(group) && host.leads(group)) {
              leader[0] = host.node();
            }
          }
          return leader[0] >= 0;
        });
    return leader[0];
  }

  /** Waits until the condition holds, for a minute at most. */
  public static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < deadline, "waited in vain for " + what);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  @Override
  public void close() {
    Together.run(
        IntStream.range(0, hosts.length).<Runnable>mapToObj(node -> () -> stop(node)).toList());
  }
}
