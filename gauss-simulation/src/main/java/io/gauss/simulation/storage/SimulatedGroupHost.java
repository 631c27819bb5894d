package io.gauss.simulation.storage;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.health.Problem;
import io.gauss.common.runtime.Environment;
import io.gauss.simulation.storage.SimulatedEntry.Members;
import io.gauss.simulation.storage.SimulatedMember.Pending;
import io.gauss.storage.raft.GroupHost;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupLog;
import io.gauss.storage.raft.GroupMember;
import io.gauss.storage.raft.GroupReplica;
import io.gauss.storage.raft.GroupStatus;
import io.gauss.storage.raft.LogPosition;
import io.gauss.storage.raft.RaftCounts;
import io.gauss.storage.raft.SegmentRepair;
import io.gauss.storage.raft.Submitted;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.LongFunction;

/** A node's members of {@link SimulatedGroups}, for one start of the node. Thread-safe. */
final class SimulatedGroupHost implements GroupHost {
  private static final long SET_SECONDS = 30;
  private static final long TRANSFER_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final SimulatedGroups world;
  private final int node;
  private final GroupReplica.Factory replicas;
  private final RaftCounts counts = new RaftCounts(); // there is no server that has work
  private volatile boolean ended;

  SimulatedGroupHost(SimulatedGroups world, int node, GroupReplica.Factory replicas) {
    this.world = world;
    this.node = node;
    this.replicas = replicas;
  }

  void end() {
    ended = true;
  }

  void checkRuns() {
    if (ended) {
      throw new GaussException(SqlState.IO_ERROR, "storage node " + node + " has ended");
    }
  }

  @Override
  public int node() {
    return node;
  }

  /** Does something with this node's member, under the lock. */
  private <T> T with(GroupId id, BiFunction<SimulatedGroup, SimulatedMember, T> work) {
    return world.locked(
        () -> {
          checkRuns();
          SimulatedGroup group = world.group(id);
          SimulatedMember member = group == null ? null : group.member(node);
          if (member == null || !member.runs()) {
            throw new GaussException(
                SqlState.IO_ERROR,
                "storage node " + node + " is not a member of the group of " + id);
          }
          return work.apply(group, member);
        });
  }

  // ---- groups

  @Override
  public void addGroup(GroupId group, List<GroupMember> members) {
    world.add(this, group, Members.of(members), replicas);
  }

  @Override
  public boolean hasLeft(GroupId group) {
    return world.hasLeft(node, group);
  }

  @Override
  public void removeGroup(GroupId group) {
    checkRuns();
    world.remove(this, group);
  }

  @Override
  public List<GroupId> groups() {
    return ended ? List.of() : world.groups(node);
  }

  @Override
  public void setMembers(GroupId group, List<GroupMember> members) {
    String what = "members of " + group + " cannot be changed";
    try {
      Environment.get(changeMembers(group, members), SET_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new GaussException(SqlState.IO_ERROR, what + ": " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GaussException(SqlState.IO_ERROR, what + ": interrupted", e);
    }
  }

  @Override
  public CompletableFuture<Void> changeMembers(GroupId group, List<GroupMember> members) {
    return with(group, (of, member) -> of.change(member, members));
  }

  @Override
  public CompletableFuture<Void> giveLead(GroupId group, int to, Duration time) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    giveLead(group, to, SimulatedGroups.now() + time.toNanos(), done);
    return done;
  }

  private void giveLead(GroupId group, int to, long deadline, CompletableFuture<Void> done) {
    boolean given =
        with(
            group,
            (of, member) -> {
              boolean transferred = member.leads && of.transfer(member, to);
              if (!transferred && member.leads && SimulatedGroups.now() < deadline) {
                member.later(TRANSFER_POLL_NANOS, () -> giveLead(group, to, deadline, done));
              } else if (!transferred) {
                member.run(
                    () ->
                        done.completeExceptionally(
                            new IllegalStateException("the lead is not handed over")));
              }
              return transferred;
            });
    if (given) {
      done.complete(null);
    }
  }

  @Override
  public boolean areMembersSettled(GroupId group) {
    return with(
        group,
        (of, member) -> {
          Members now = member.members();
          return !now.now().isEmpty()
              && now.before() == null
              && member.membersIndex() <= member.committed;
        });
  }

  @Override
  public List<GroupMember> members(GroupId group) {
    return with(group, (of, member) -> member.members().now());
  }

  @Override
  public CompletableFuture<Void> forget(GroupId group) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    with(
        group,
        (of, member) -> {
          long start = member.start;
          GroupReplica replica = member.replica;
          member.run(
              () -> {
                try {
                  long index = replica.takeSnapshot(new Log(group));
                  world.locked(
                      () -> {
                        if (member.start == start) {
                          member.purgeUpTo(Math.min(index, member.forced));
                        }
                        return null;
                      });
                  done.complete(null);
                } catch (IOException | RuntimeException e) {
                  done.completeExceptionally(e);
                }
              });
          return null;
        });
    return done;
  }

  // ---- commands and questions

  @Override
  public CompletableFuture<Submitted> submit(GroupId group, byte[] command) {
    if (ended) {
      return CompletableFuture.completedFuture(new Submitted.NotLeader(OptionalInt.empty()));
    }
    return with(
        group,
        (of, member) -> {
          Optional<Submitted> refused = refused(member);
          if (refused.isPresent()) {
            return CompletableFuture.completedFuture(refused.get());
          }
          CompletableFuture<Submitted> outcome = new CompletableFuture<>();
          SimulatedEntry entry =
              of.append(member, ByteBuffer.wrap(command.clone()).asReadOnlyBuffer(), null);
          member.pending.put(entry.index(), new Pending(entry, outcome));
          if (LogFaults.happens(world.faults().leadLost())) {
            of.loseLead(member);
          }
          return outcome;
        });
  }

  private Optional<Submitted> refused(SimulatedMember member) {
    if (!member.leads) {
      return Optional.of(new Submitted.NotLeader(member.leader));
    }
    if (member.applied < member.firstOwn) {
      return Optional.of(new Submitted.Busy(member + " is not ready yet"));
    }
    return LogFaults.happens(world.faults().refused())
        ? Optional.of(new Submitted.Busy(member + " is overloaded"))
        : Optional.empty();
  }

  @Override
  public CompletableFuture<Submitted> query(GroupId group, byte[] question) {
    if (ended) {
      return CompletableFuture.completedFuture(new Submitted.NotLeader(OptionalInt.empty()));
    }
    CompletableFuture<Submitted> outcome = new CompletableFuture<>();
    with(
        group,
        (of, member) -> {
          Optional<Submitted> refused = refused(member);
          if (refused.isPresent()) {
            outcome.complete(refused.get());
            return null;
          }
          ByteBuffer asked = ByteBuffer.wrap(question.clone()).asReadOnlyBuffer();
          long term = member.term;
          long atLeast = member.committed;
          GroupReplica replica = member.replica;
          world.after(
              world.faults().duration(),
              () -> {
                // Heard by a majority after the question came: no other one led before it came.
                if (!of.isLeaderOfMajority(member, term)) {
                  member.run(() -> outcome.complete(unknown(member)));
                } else {
                  member.run(() -> answer(member, replica, atLeast, asked, outcome));
                }
              });
          return null;
        });
    return outcome;
  }

  private static Submitted unknown(SimulatedMember member) {
    return new Submitted.Unknown(
        new IllegalStateException(member + " does not know whether it leads"));
  }

  /** On the member's thread, behind all that was to be applied. */
  private static void answer(
      SimulatedMember member,
      GroupReplica replica,
      long atLeast,
      ByteBuffer asked,
      CompletableFuture<Submitted> outcome) {
    outcome.complete(
        member.applied >= atLeast
            ? new Submitted.Applied(replica.query(asked).asReadOnlyBuffer())
            : unknown(member));
  }

  // ---- how it stands

  @Override
  public boolean leads(GroupId group) {
    return with(group, (of, member) -> member.leads && member.applied >= member.firstOwn);
  }

  @Override
  public boolean leadsMajority(GroupId group) {
    return with(
        group,
        (of, member) ->
            member.leads && member.applied >= member.firstOwn && of.isHeardByMajority(member));
  }

  @Override
  public OptionalInt leader(GroupId group) {
    return with(group, (of, member) -> member.leader);
  }

  @Override
  public GroupStatus status(GroupId group) {
    return with(
        group,
        (of, member) ->
            new GroupStatus(
                group,
                member.failure == null,
                member.leads && member.applied >= member.firstOwn,
                member.leader,
                member.term,
                member.last(),
                member.forced,
                member.committed,
                member.applied));
  }

  @Override
  public GroupLog log(GroupId group) {
    return with(group, (of, member) -> new Log(group));
  }

  @Override
  public List<Throwable> logFailures() {
    return world.logFailures(node);
  }

  @Override
  public List<GroupId> ended() {
    return groups().stream().filter(group -> with(group, (of, member) -> member.ended)).toList();
  }

  @Override
  public RaftCounts counts() {
    return counts;
  }

  @Override
  public List<Problem> problems() {
    List<Problem> problems = new ArrayList<>();
    for (GroupId group : groups()) {
      if (!status(group).alive()) {
        problems.add(new Problem("group of " + group + " stopped on this node", "see the log"));
      } else if (leader(group).isEmpty() && !members(group).isEmpty()) {
        problems.add(new Problem("group of " + group + " has no leader", "no majority answers"));
      }
    }
    return problems;
  }

  /** Reads this node's log. */
  private final class Log implements GroupLog {
    private final GroupId group;

    Log(GroupId group) {
      this.group = group;
    }

    @Override
    public long committedIndex() {
      return with(group, (of, member) -> member.committed);
    }

    @Override
    public long nextIndex() {
      return with(group, (of, member) -> member.last() + 1);
    }

    @Override
    public Entry entry(long index) {
      SimulatedEntry entry = with(group, (of, member) -> member.at(index));
      return entry == null
          ? null
          : new Entry(
              entry.at(),
              entry.command() == null ? null : entry.command().duplicate(),
              entry.size(),
              entry::bytes);
    }

    @Override
    public LogPosition position(long index) {
      Entry entry = entry(index);
      return entry == null ? null : entry.at();
    }

    @Override
    public long[] followersNext() {
      return with(
          group,
          (of, member) ->
              member.matched.values().stream().mapToLong(matched -> matched + 1).toArray());
    }

    /** Nothing here is ever damaged. */
    @Override
    public Optional<SegmentRepair.Repaired> repair(long index, LongFunction<byte[]> intact) {
      return Optional.empty();
    }
  }

  /** The process ends normally: everything is forced. */
  @Override
  public void close() {
    if (!ended) {
      world.end(node, false);
    }
  }
}
