package io.gauss.bench.cost;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What all nodes of a cluster use between two points in time, as far as they are on this machine.
 * The nodes are those that {@code gauss.nodes} shows in the beginning. For one thread.
 *
 * <p>Looking costs, too, so of the processor time only what lies between the two looks counts, and
 * nodes' own counts are taken as rates of the time between the looks at these.
 */
public final class ClusterWatch implements AutoCloseable {
  /**
   * A process, if it is to be seen, and its meters.
   *
   * @param role several, joined by "+", of a process that has several
   */
  private record Watched(
      String role, Optional<ServerProcess> process, Optional<NodeMeters> meters) {}

  private record Look(Map<Watched, ProcessUse> uses, Map<Watched, NodeCounts> counts) {}

  private final List<Watched> nodes = new ArrayList<>();
  private final Watched client =
      new Watched(
          RoleCost.CLIENT,
          Optional.of(new ServerProcess(ProcessHandle.current().pid())),
          Optional.empty());
  private Look first;
  private Look last;

  private ClusterWatch(List<ClusterMember> members) {
    Map<ServerProcess, Set<String>> rolesOfProcesses = new LinkedHashMap<>();
    for (ClusterMember member : members) {
      Optional<ServerProcess> process = member.process();
      if (process.isPresent()) {
        rolesOfProcesses.computeIfAbsent(process.get(), any -> new TreeSet<>()).add(member.role());
      } else {
        nodes.add(new Watched(member.role(), process, Optional.empty()));
      }
    }
    rolesOfProcesses.forEach(
        (process, roles) ->
            nodes.add(
                new Watched(
                    String.join("+", roles), Optional.of(process), NodeMeters.of(process.pid()))));
  }

  /**
   * Watches the cluster that one is connected to; empty when the server is not Gauss. It also reads
   * what is counted once, so that the nodes have loaded the code for that.
   */
  public static Optional<ClusterWatch> of(Connection connection) throws SQLException {
    List<ClusterMember> members = ClusterMember.all(connection);
    if (members.isEmpty()) {
      return Optional.empty();
    }
    ClusterWatch watch = new ClusterWatch(members);
    watch.counts();
    return Optional.of(watch);
  }

  /** The time that is looked at begins. */
  public void begin() {
    Map<Watched, NodeCounts> counts = counts();
    first = new Look(uses(), counts);
    last = null;
  }

  /** It ends. */
  public void end() {
    Map<Watched, ProcessUse> uses = uses();
    last = new Look(uses, counts());
  }

  private Map<Watched, ProcessUse> uses() {
    Map<Watched, ProcessUse> uses = new HashMap<>();
    for (Watched node : nodes) {
      node.process().flatMap(ServerProcess::use).ifPresent(use -> uses.put(node, use));
    }
    client.process().flatMap(ServerProcess::use).ifPresent(use -> uses.put(client, use));
    return uses;
  }

  private Map<Watched, NodeCounts> counts() {
    Map<Watched, NodeCounts> counts = new HashMap<>();
    for (Watched node : nodes) {
      node.meters().flatMap(NodeMeters::read).ifPresent(count -> counts.put(node, count));
    }
    return counts;
  }

  /**
   * What a transaction has cost: a line for each role, one for the cluster, one for this process.
   * None when not a single node is to be seen.
   *
   * @param transactionsPerSecond that ended meanwhile
   */
  public List<RoleCost> costs(double transactionsPerSecond) {
    Map<String, RoleCost> roles = new TreeMap<>();
    RoleCost cluster = RoleCost.nothing(RoleCost.CLUSTER);
    for (Watched node : nodes) {
      RoleCost cost = cost(node, transactionsPerSecond);
      roles.merge(node.role(), cost, RoleCost::plus);
      cluster = cluster.plus(cost);
    }
    if (roles.values().stream().noneMatch(RoleCost::isSeen)) {
      return List.of();
    }
    List<RoleCost> costs = new ArrayList<>(roles.values());
    costs.add(cluster);
    costs.add(cost(client, transactionsPerSecond));
    return costs;
  }

  private RoleCost cost(Watched of, double transactionsPerSecond) {
    ProcessUse before = first.uses().get(of);
    ProcessUse after = last.uses().get(of);
    NodeCounts countsBefore = first.counts().get(of);
    NodeCounts countsAfter = last.counts().get(of);
    return RoleCost.of(
        of.role(),
        before == null || after == null ? ProcessUse.Rates.UNKNOWN : after.since(before),
        countsBefore == null || countsAfter == null ? null : countsAfter.since(countsBefore),
        transactionsPerSecond);
  }

  @Override
  public void close() {
    nodes.forEach(node -> node.meters().ifPresent(NodeMeters::close));
  }
}
