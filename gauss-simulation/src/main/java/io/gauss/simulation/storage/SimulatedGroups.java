package io.gauss.simulation.storage;

import io.gauss.common.invariant.Invariant;
import io.gauss.common.runtime.Environment;
import io.gauss.simulation.SimulatedHost;
import io.gauss.simulation.Simulation;
import io.gauss.simulation.storage.SimulatedEntry.Members;
import io.gauss.simulation.storage.SimulatedMember.Pending;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupReplica;
import io.gauss.storage.raft.LogPosition;
import io.gauss.storage.raft.Submitted;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The groups of all storage nodes of a simulated cluster, in Ratis's place: what their disks have,
 * which outlives the nodes, and the messages between their members. It is made on a thread of no
 * node, so that it outlives them, too.
 *
 * <p>All delays and choices are drawn from {@link Environment}. Messages, forces and elections are
 * events on one thread of the world's; replicas apply on threads of their nodes. The lock is held
 * for a moment and never across a wait, so that a node can be killed at any time.
 *
 * <p>An entry that was acknowledged is forced on a majority, always. What is not forced may be lost
 * with the power ({@link #end}).
 *
 * <p>Thread-safe.
 */
final class SimulatedGroups implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SimulatedGroups.class);
  private static final long TICK_MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long TICK_SPREAD_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

  private final Links links;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<GroupId, SimulatedGroup> groups =
      new TreeMap<>(Comparator.comparing(GroupId::kind).thenComparing(GroupId::number));
  private final Map<Integer, SimulatedGroupHost> hosts = new TreeMap<>();
  private final Map<Integer, Set<GroupId>> left = new HashMap<>();
  private final Set<Integer> paused = new HashSet<>();
  private final ScheduledExecutorService events;
  private volatile LogFaults faults;

  SimulatedGroups(Links links, LogFaults faults) {
    this.links = links;
    this.faults = faults;
    this.events = Environment.abruptScheduler("simulated-groups");
    after(TICK_MIN_NANOS, this::tick);
  }

  /** From now on they are this unkind. */
  void faults(LogFaults now) {
    faults = now;
  }

  LogFaults faults() {
    return faults;
  }

  Links links() {
    return links;
  }

  boolean isPaused(int node) {
    return paused.contains(node);
  }

  // ---- nodes

  /**
   * Starts a node's members of its groups. On a thread of its process.
   *
   * @param replicas makes the replicas
   */
  SimulatedGroupHost start(int node, GroupReplica.Factory replicas) {
    SimulatedGroupHost host = new SimulatedGroupHost(this, node, replicas);
    List<SimulatedMember> found =
        locked(
            () -> {
              if (hosts.putIfAbsent(node, host) != null) {
                throw new IllegalStateException("node " + node + " runs already");
              }
              return groups.values().stream()
                  .map(group -> group.member(node))
                  .filter(member -> member != null)
                  .toList();
            });
    for (SimulatedMember member : found) {
      start(member, replicas);
    }
    return host;
  }

  private void start(SimulatedMember member, GroupReplica.Factory replicas) {
    GroupReplica replica = replicas.create(member.group);
    locked(
        () -> {
          try {
            member.start(replica, now());
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          member.patienceNanos = SimulatedGroup.patience();
          return null;
        });
  }

  /**
   * A node's process has ended, however it did. No effect when it does not run.
   *
   * @param powerLost whether what was not forced may be lost
   */
  void end(int node, boolean powerLost) {
    locked(
        () -> {
          paused.remove(node);
          SimulatedGroupHost host = hosts.remove(node);
          if (host != null) {
            host.end();
            for (SimulatedGroup group : groups.values()) {
              SimulatedMember member = group.member(node);
              if (member != null && member.runs()) {
                member.ended(powerLost);
              }
            }
          }
          return null;
        });
  }

  /** A node's members neither send nor receive, nor does time pass for them. */
  void pause(int node) {
    locked(() -> paused.add(node));
  }

  /** They continue. */
  void resume(int node) {
    locked(() -> paused.remove(node));
  }

  /** A force fails on a node: its logs accept nothing until the node starts again. */
  void failLogs(int node) {
    locked(
        () -> {
          IOException cause = new IOException("Input/output error");
          for (SimulatedGroup group : groups.values()) {
            SimulatedMember member = group.member(node);
            if (member != null && member.runs() && member.failure == null) {
              group.failLog(member, cause);
            }
          }
          return null;
        });
  }

  /** All members of a node end by an error that has nothing to do with their logs. */
  void endMembers(int node) {
    locked(
        () -> {
          for (SimulatedGroup group : groups.values()) {
            SimulatedMember member = group.member(node);
            if (member != null && member.runs() && member.failure == null) {
              member.ended = true;
              group.end(member, new IllegalStateException("a thread met an error"));
            }
          }
          return null;
        });
  }

  /** Why logs of a node fail. */
  List<Throwable> logFailures(int node) {
    return locked(
        () ->
            groups.values().stream()
                .map(group -> group.member(node))
                .filter(member -> member != null && member.runs() && member.failure != null)
                .filter(member -> !member.ended)
                .map(member -> member.failure)
                .toList());
  }

  // ---- for hosts

  <T> T locked(Supplier<T> work) {
    lock.lock();
    try {
      return work.get();
    } finally {
      lock.unlock();
    }
  }

  /** Makes a node a member, unless it is one. */
  void add(SimulatedGroupHost host, GroupId id, Members founders, GroupReplica.Factory replicas) {
    SimulatedMember added =
        locked(
            () -> {
              host.checkRuns();
              SimulatedGroup group =
                  groups.computeIfAbsent(id, absent -> new SimulatedGroup(this, absent));
              if (group.member(host.node()) != null) {
                return null;
              }
              SimulatedMember member = new SimulatedMember(id, host.node(), founders);
              group.add(member);
              return member;
            });
    if (added != null) {
      start(added, replicas);
    }
  }

  /** Ends a membership. */
  void remove(SimulatedGroupHost host, GroupId id) {
    locked(
        () -> {
          SimulatedGroup group = groups.get(id);
          SimulatedMember member = group == null ? null : group.member(host.node());
          if (member != null) {
            left.computeIfAbsent(host.node(), absent -> new HashSet<>()).add(id);
            if (member.leads) {
              group.stepDown(member);
            }
            if (member.runs()) {
              member.ended(false);
            }
            group.remove(member);
          }
          return null;
        });
  }

  boolean hasLeft(int node, GroupId id) {
    return locked(() -> left.getOrDefault(node, Set.of()).contains(id));
  }

  List<GroupId> groups(int node) {
    return locked(
        () ->
            groups.values().stream()
                .filter(group -> group.member(node) != null && group.member(node).runs())
                .map(SimulatedGroup::id)
                .toList());
  }

  /** With the lock. */
  SimulatedGroup group(GroupId id) {
    return groups.get(id);
  }

  // ---- events

  /** Monotonic time of the world; each node of a simulation has a clock of its own. */
  static long now() {
    Simulation of = SimulatedHost.caller();
    return of == null ? Environment.nanoTime() : of.elapsed().toNanos();
  }

  /** With the lock, on the world's thread. */
  void after(long nanos, Runnable event) {
    if (!events.isShutdown()) {
      events.schedule(() -> happen(event), nanos, TimeUnit.NANOSECONDS);
    }
  }

  private void happen(Runnable event) {
    lock.lock();
    try {
      event.run();
    } catch (RuntimeException | Error e) {
      LOG.error("the simulated groups have failed", e);
      throw e;
    } finally {
      lock.unlock();
    }
  }

  private void tick() {
    groups.values().forEach(SimulatedGroup::tick);
    after(TICK_MIN_NANOS + LogFaults.random().nextLong(TICK_SPREAD_NANOS), this::tick);
  }

  // ---- applying

  /** Has the member apply what is committed; with the lock. */
  void apply(SimulatedMember member) {
    if (member.applying < member.committed && member.runs()) {
      member.applying = member.committed;
      long start = member.start;
      member.run(() -> applyAll(member, start));
    }
  }

  /** On the member's thread. */
  private void applyAll(SimulatedMember member, long start) {
    while (true) {
      SimulatedEntry next =
          locked(
              () ->
                  member.start == start && member.applied < member.committed
                      ? member.at(member.applied + 1)
                      : null);
      if (next == null) {
        return;
      }
      LogFaults now = faults;
      if (LogFaults.happens(now.behind())) {
        Environment.parkNanos(this, now.late());
      }
      ByteBuffer answer =
          next.command() == null
              ? null
              : member.replica.apply(next.at(), next.command().asReadOnlyBuffer());
      Pending pending =
          locked(
              () -> {
                if (member.start != start) {
                  return null;
                }
                member.applied = next.index();
                Pending of = member.pending.remove(next.index());
                Invariant.check(
                    of == null || of.entry() == next, "another command has been committed");
                return of;
              });
      if (pending != null) {
        answer(member, pending, new Submitted.Applied(answer.asReadOnlyBuffer()), now);
      }
    }
  }

  private void answer(SimulatedMember member, Pending pending, Submitted outcome, LogFaults now) {
    Submitted heard =
        LogFaults.happens(now.answerLost())
            ? new Submitted.Unknown(new IllegalStateException("the answer was lost"))
            : outcome;
    if (LogFaults.happens(now.answerLate())) {
      member.later(now.late(), () -> pending.outcome().complete(heard));
    } else {
      pending.outcome().complete(heard);
    }
  }

  /** A state was fetched for a member, or not; on the member's thread. */
  void fetched(SimulatedMember member, long start, LogPosition at) {
    LogPosition taken = at == null ? null : member.replica.takeUpFetched();
    locked(
        () -> {
          if (member.start == start) {
            member.fetching = false;
            if (taken != null) {
              Members members = groups.get(member.group).membersAt(taken);
              member.restart(taken, members == null ? member.members() : members);
              member.term = Math.max(member.term, taken.term());
              member.applied = Math.max(member.applied, taken.index());
              member.applying = member.applied;
            }
          }
          return null;
        });
  }

  /** Ends the world. Nodes must have ended. */
  @Override
  public void close() {
    events.shutdownNow();
  }
}
