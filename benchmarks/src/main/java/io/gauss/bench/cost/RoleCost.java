package io.gauss.bench.cost;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What the nodes of a role cost together, per transaction. Figures are null when that of one of the
 * nodes is unknown, as that of a node on another machine.
 *
 * @param role compute, memory, storage, or several joined by "+" where a process has several;
 *     cluster for all of these, client for this process
 * @param nodes number of them
 * @param cpuMillis processor time, ms, without children
 * @param childrenCpuMillis that of processes which they started, such as the one that trains
 * @param messages sent to other nodes; of Raft those that came and their answers, which is the same
 *     over all nodes. Forwarded transactions are not in it
 * @param logForces forces of logs to disk
 * @param pageTransfers pages that came from other compute nodes
 * @param threadSwitches how often a thread has given up the processor by itself, mostly to wait
 * @param readsAndWrites system calls that read or write, as the operating system counts them: not
 *     those that wait, or send and receive on sockets only
 * @param forwarded transactions that were forwarded to other nodes
 * @param messagesByType the messages by their type
 */
public record RoleCost(
    String role,
    int nodes,
    Double cpuMillis,
    Double childrenCpuMillis,
    Double messages,
    Double logForces,
    Double pageTransfers,
    Double threadSwitches,
    Double readsAndWrites,
    Double forwarded,
    Map<String, Double> messagesByType) {
  public static final String CLUSTER = "cluster";
  public static final String CLIENT = "client";

  public RoleCost {
    messagesByType = new TreeMap<>(messagesByType);
  }

  /**
   * Of a single node.
   *
   * @param counts null when unknown
   */
  static RoleCost of(
      String role, ProcessUse.Rates use, NodeCounts.Rates counts, double transactionsPerSecond) {
    Map<String, Double> messages = new TreeMap<>();
    if (counts != null) {
      counts
          .messages()
          .forEach((type, rate) -> messages.put(type, known(rate / transactionsPerSecond)));
      messages.values().removeIf(Objects::isNull);
    }
    Function<Double, Double> each = rate -> known(rate / transactionsPerSecond);
    return new RoleCost(
        role,
        1,
        each.apply(1000 * use.cpu()),
        each.apply(1000 * use.childrenCpu()),
        counts == null ? null : each.apply(sum(counts.messages())),
        counts == null ? null : each.apply(counts.logForces()),
        counts == null ? null : each.apply(counts.pageTransfers()),
        each.apply(use.switches()),
        each.apply(use.readsAndWrites()),
        counts == null ? null : each.apply(counts.forwarded()),
        messages);
  }

  /** Null for what is no number, as without any transaction. */
  private static Double known(double figure) {
    return Double.isFinite(figure) ? figure : null;
  }

  private static double sum(Map<String, Double> messages) {
    return messages.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  /** Of no nodes. */
  static RoleCost nothing(String role) {
    return new RoleCost(role, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, Map.of());
  }

  /** Of a role of which nothing is known. */
  public static RoleCost unknown(String role) {
    return of(role, ProcessUse.Rates.UNKNOWN, null, 1);
  }

  /** Both together, with the role of this. */
  RoleCost plus(RoleCost other) {
    Map<String, Double> types = new TreeMap<>(messagesByType);
    other.messagesByType.forEach((type, count) -> types.merge(type, count, Double::sum));
    return new RoleCost(
        role,
        nodes + other.nodes,
        sum(other, RoleCost::cpuMillis),
        sum(other, RoleCost::childrenCpuMillis),
        sum(other, RoleCost::messages),
        sum(other, RoleCost::logForces),
        sum(other, RoleCost::pageTransfers),
        sum(other, RoleCost::threadSwitches),
        sum(other, RoleCost::readsAndWrites),
        sum(other, RoleCost::forwarded),
        types);
  }

  private Double sum(RoleCost other, Function<RoleCost, Double> figure) {
    return sum(figure.apply(this), figure.apply(other));
  }

  private static Double sum(Double a, Double b) {
    return a == null || b == null ? null : a + b;
  }

  /** Processor time with that of children, ms; null when unknown. */
  public Double allCpuMillis() {
    return sum(cpuMillis, childrenCpuMillis);
  }

  /** Whether anything is known. */
  boolean isSeen() {
    return Stream.of(cpuMillis, messages, threadSwitches).anyMatch(Objects::nonNull);
  }
}
