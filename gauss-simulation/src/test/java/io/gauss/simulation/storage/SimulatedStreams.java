package io.gauss.simulation.storage;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.runtime.Environment;
import io.gauss.storage.raft.GroupHost;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupMember;
import io.gauss.storage.raft.stream.ClientSettings;
import io.gauss.storage.raft.stream.LocalStreamTransport;
import io.gauss.storage.raft.stream.ReplicatedLogStream;
import io.gauss.storage.raft.stream.StreamHooks;
import io.gauss.storage.raft.stream.StreamService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Storage nodes 0, 1 and 2 with streams in simulated groups, and the transport to them. */
final class SimulatedStreams implements AutoCloseable {
  private static final int NODES = 3;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(180);

  private final SimulatedGroups groups;
  private final LocalStreamTransport transport = new LocalStreamTransport();
  private final Map<Integer, StreamService> services = new TreeMap<>();
  private final Map<Integer, GroupHost> hosts = new TreeMap<>();

  SimulatedStreams(LogFaults faults) {
    this(Links.WHOLE, faults);
  }

  SimulatedStreams(Links links, LogFaults faults) {
    groups = new SimulatedGroups(links, faults);
    startAll();
  }

  SimulatedGroups groups() {
    return groups;
  }

  GroupHost host(int node) {
    return hosts.get(node);
  }

  StreamService service(int node) {
    return services.get(node);
  }

  void startAll() {
    for (int node = 0; node < NODES; node++) {
      start(node);
    }
  }

  void start(int node) {
    StreamService service = new StreamService(StreamHooks.logOnly(), () -> Long.MAX_VALUE, 1);
    GroupHost host = groups.start(node, service::newReplica);
    service.attach(host);
    services.put(node, service);
    hosts.put(node, host);
    transport.connect(node, service);
  }

  void stop(int node) {
    end(node);
    hosts.remove(node).close();
  }

  void kill(int node, boolean powerLost) {
    groups.end(node, powerLost);
    end(node);
    hosts.remove(node);
  }

  private void end(int node) {
    transport.disconnect(node);
    services.remove(node).close();
  }

  void restartAll() {
    for (int node : List.copyOf(hosts.keySet())) {
      stop(node);
    }
    startAll();
  }

  void addStream(int stream) {
    hosts.values().forEach(host -> host.addGroup(GroupId.stream(stream), members()));
  }

  /** The lower the number, the higher the priority. */
  static List<GroupMember> members() {
    List<GroupMember> members = new ArrayList<>();
    for (int node = 0; node < NODES; node++) {
      members.add(new GroupMember(node, "simulated", 7000 + node, NODES - node));
    }
    return members;
  }

  ReplicatedLogStream open(int stream) {
    return ReplicatedLogStream.open(
        stream,
        List.of(0, 1, 2),
        transport,
        ClientSettings.defaults().withDeadline(Duration.ofSeconds(60)));
  }

  int awaitLeader(GroupId group) {
    int[] leader = {-1};
    await(
        "a leader",
        () -> {
          hosts.forEach(
              (node, host) -> {
                if (host.groups().contains(group) && host.leads(group)) {
                  leader[0] = node;
                }
              });
          return leader[0] >= 0;
        });
    return leader[0];
  }

  static void await(String what, BooleanSupplier condition) {
    long start = Environment.nanoTime();
    while (!condition.getAsBoolean()) {
      assertTrue(Environment.nanoTime() - start < PATIENCE_NANOS, "waited in vain for " + what);
      Environment.parkNanos(5_000_000);
    }
  }

  @Override
  public void close() {
    for (int node : List.copyOf(hosts.keySet())) {
      stop(node);
    }
    groups.close();
  }
}
