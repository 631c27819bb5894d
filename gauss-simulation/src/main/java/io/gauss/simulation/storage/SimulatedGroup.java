package io.gauss.simulation.storage;

import io.gauss.common.invariant.Invariant;
import io.gauss.simulation.storage.SimulatedEntry.Members;
import io.gauss.simulation.storage.SimulatedMember.MembersChange;
import io.gauss.simulation.storage.SimulatedMember.Pending;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupMember;
import io.gauss.storage.raft.LogPosition;
import io.gauss.storage.raft.Submitted;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;

/**
 * The members of one group, and how they agree: Raft, with its messages as events of the world. An
 * election, and the transfer of a piece of log, happen in one step each, so that few interleavings
 * of Raft itself are seen here; what its users see of it is all there: members that lag, old
 * leaders that do not know it yet, entries that are taken back.
 *
 * <p>Guarded by the lock of {@link SimulatedGroups}; events run on the world's thread.
 *
 * <p>Invariant, checked at each commit: an index that was committed once has the same entry for
 * ever.
 */
final class SimulatedGroup {
  private static final long STEP_DOWN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long PATIENCE_MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
  private static final long PATIENCE_MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);
  private static final long DEAF_NANOS = TimeUnit.SECONDS.toNanos(4);
  private static final long NOT_JOINT = Long.MIN_VALUE;
  private static final long HAND_OVER_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final SimulatedGroups world;
  private final GroupId id;
  private final TreeMap<Integer, SimulatedMember> members = new TreeMap<>();

  /** All entries that were ever committed, by index. */
  private final TreeMap<Long, SimulatedEntry> agreed = new TreeMap<>();

  SimulatedGroup(SimulatedGroups world, GroupId id) {
    this.world = world;
    this.id = id;
  }

  GroupId id() {
    return id;
  }

  SimulatedMember member(int node) {
    return members.get(node);
  }

  void add(SimulatedMember member) {
    members.put(member.node, member);
  }

  void remove(SimulatedMember member) {
    members.remove(member.node);
  }

  private LogFaults faults() {
    return world.faults();
  }

  /** Whether what {@code from} sends now is received. */
  private boolean hears(SimulatedMember from, SimulatedMember to) {
    return from == to || (isUp(from) && isUp(to) && world.links().reach(from.node, to.node));
  }

  private boolean isUp(SimulatedMember member) {
    return member.runs()
        && member.failure == null
        && !world.isPaused(member.node)
        && SimulatedGroups.now() - member.deafUntilNanos >= 0;
  }

  private boolean talk(SimulatedMember a, SimulatedMember b) {
    return hears(a, b) && hears(b, a);
  }

  // ---- time

  /** To be called every few milliseconds. */
  void tick() {
    long now = SimulatedGroups.now();
    members.values().stream()
        .mapToLong(SimulatedMember::first)
        .min()
        .ifPresent(first -> agreed.headMap(first).clear());
    for (SimulatedMember member : List.copyOf(members.values())) {
      if (!isUp(member)) {
        continue;
      }
      if (member.leads) {
        lead(member, now);
      } else if (member.members().have(member.node)
          && now - member.heardNanos > member.patienceNanos) {
        member.heardNanos = now;
        member.patienceNanos = patience();
        elect(member, now, false);
      }
    }
  }

  static long patience() {
    return PATIENCE_MIN_NANOS
        + LogFaults.random().nextLong(PATIENCE_MAX_NANOS - PATIENCE_MIN_NANOS);
  }

  private void lead(SimulatedMember leader, long now) {
    boolean isDeposed =
        members.values().stream().anyMatch(m -> talk(leader, m) && m.term > leader.term);
    if (leader.members().majority(node -> isWith(node, leader))) {
      leader.heardNanos = now;
    }
    // As Ratis: a leader that is being sent commands does not look whether it is still heard.
    boolean isIdle = now - leader.appendedNanos > STEP_DOWN_NANOS;
    if (isDeposed || isIdle && !isHeardByMajority(leader)) {
      stepDown(leader);
      return;
    }
    continueChange(leader, now);
    for (int node : receivers(leader)) {
      ship(leader, node);
    }
    preferred(leader, now);
  }

  private boolean isWith(int node, SimulatedMember leader) {
    SimulatedMember member = members.get(node);
    return member != null && talk(leader, member);
  }

  private static Set<Integer> receivers(SimulatedMember leader) {
    Set<Integer> nodes = leader.members().nodes();
    if (leader.change != null) {
      nodes.addAll(leader.change.wanted().nodes());
    }
    nodes.remove(leader.node);
    return nodes;
  }

  // ---- elections

  private void elect(SimulatedMember candidate, long now, boolean isTransfer) {
    LogPosition last = candidate.lastPosition();
    IntPredicate votes =
        node -> {
          SimulatedMember voter = members.get(node);
          return voter != null
              && talk(candidate, voter)
              && !isNewer(voter.lastPosition(), last)
              && (isTransfer || voter == candidate || !hasLeader(voter, now));
        };
    if (!candidate.members().majority(votes) || (!isTransfer && isVetoed(candidate))) {
      return;
    }
    List<SimulatedMember> voters = new ArrayList<>();
    for (int node : candidate.members().nodes()) {
      if (votes.test(node)) {
        voters.add(members.get(node));
      }
    }
    if (!voters.contains(candidate)) {
      voters.add(candidate);
    }
    long term = 1 + voters.stream().mapToLong(voter -> voter.term).max().orElseThrow();
    for (SimulatedMember voter : voters) {
      if (voter.leads) {
        stepDown(voter);
      }
      voter.term = term;
      voter.heardNanos = now;
    }
    candidate.leads = true;
    candidate.matched.clear();
    candidate.firstOwn = candidate.last() + 1;
    follow(candidate, candidate.node);
    append(candidate, null, candidate.members());
  }

  /** A member that precedes the candidate, and has as much of the log, is to lead itself. */
  private boolean isVetoed(SimulatedMember candidate) {
    Members of = candidate.members();
    return of.now().stream()
        .filter(m -> m.priority() > of.priority(candidate.node))
        .map(m -> members.get(m.node()))
        .anyMatch(
            m ->
                m != null
                    && talk(candidate, m)
                    && !isNewer(candidate.lastPosition(), m.lastPosition()));
  }

  private static boolean isNewer(LogPosition one, LogPosition than) {
    return one.term() != than.term() ? one.term() > than.term() : one.index() > than.index();
  }

  /** A member that hears from its leader does not vote for another one. */
  private boolean hasLeader(SimulatedMember voter, long now) {
    return voter.leads
        ? now - voter.heardNanos <= STEP_DOWN_NANOS
        : voter.leader.isPresent() && now - voter.heardNanos <= PATIENCE_MIN_NANOS;
  }

  private void follow(SimulatedMember member, int leader) {
    if (member.leader.isEmpty() || member.leader.getAsInt() != leader) {
      member.leader = OptionalInt.of(leader);
      var replica = member.replica;
      member.run(() -> replica.leaderChanged(member.node, OptionalInt.of(leader)));
    }
  }

  /**
   * The leader is heard no more, now and then for so long that the others forget its last entries.
   */
  void loseLead(SimulatedMember leader) {
    stepDown(leader);
    leader.deafUntilNanos = SimulatedGroups.now() + LogFaults.random().nextLong(DEAF_NANOS);
  }

  /** The member's log cannot be written any more. */
  void failLog(SimulatedMember member, Throwable cause) {
    end(member, cause);
    var replica = member.replica;
    member.run(() -> replica.logFailed(cause));
  }

  /** The member takes part in nothing until its next start. */
  void end(SimulatedMember member, Throwable cause) {
    if (member.leads) {
      stepDown(member);
    }
    member.failure = cause;
  }

  /** Commands that are under way here have an unknown outcome: another leader may have them. */
  void stepDown(SimulatedMember leader) {
    leader.leads = false;
    leader.leader = OptionalInt.empty();
    leader.heardNanos = SimulatedGroups.now();
    leader.patienceNanos = patience();
    for (Pending pending : leader.pending.values()) {
      leader.run(
          () ->
              pending
                  .outcome()
                  .complete(
                      new Submitted.Unknown(
                          new IllegalStateException(leader + " does not lead any more"))));
    }
    leader.pending.clear();
    if (leader.change != null) {
      fail(leader, "another one leads");
    }
  }

  /** Members that precede the leader take over when they have its log. */
  private void preferred(SimulatedMember leader, long now) {
    Members of = leader.members();
    if (of.before() != null || leader.change != null || leader.committed < leader.firstOwn) {
      return;
    }
    of.now().stream()
        .filter(m -> m.priority() > of.priority(leader.node))
        .map(m -> members.get(m.node()))
        .filter(m -> m != null && talk(leader, m) && m.last() == leader.last())
        .findFirst()
        .ifPresent(next -> elect(next, now, true));
  }

  /** Makes a member the leader; returns whether it is. */
  boolean transfer(SimulatedMember leader, int to) {
    SimulatedMember next = members.get(to);
    if (next == null || !talk(leader, next) || next.last() != leader.last()) {
      return false;
    }
    elect(next, SimulatedGroups.now(), true);
    return next.leads;
  }

  /** Whether a majority has heard this leader lately. */
  boolean isHeardByMajority(SimulatedMember leader) {
    return SimulatedGroups.now() - leader.heardNanos <= STEP_DOWN_NANOS;
  }

  /** Whether a majority follows this leader now, in the term in which it led before. */
  boolean isLeaderOfMajority(SimulatedMember leader, long term) {
    return leader.leads
        && leader.term == term
        && leader
            .members()
            .majority(node -> isWith(node, leader) && members.get(node).term == leader.term);
  }

  // ---- replication

  /** Appends to the leader's log. */
  SimulatedEntry append(SimulatedMember leader, ByteBuffer command, Members newMembers) {
    SimulatedEntry entry =
        new SimulatedEntry(new LogPosition(leader.term, leader.last() + 1), command, newMembers);
    leader.append(entry);
    leader.appendedNanos = SimulatedGroups.now();
    force(leader);
    for (int node : receivers(leader)) {
      ship(leader, node);
    }
    return entry;
  }

  private void ship(SimulatedMember leader, int node) {
    long term = leader.term;
    world.after(
        faults().duration(),
        () -> {
          SimulatedMember to = members.get(node);
          if (leader.leads && leader.term == term && to != null && hears(leader, to)) {
            arrive(leader, to);
          }
        });
  }

  private void arrive(SimulatedMember leader, SimulatedMember to) {
    boolean isBehind = leader.last() < to.beforeFirst().index();
    if (to.term > leader.term || to.fetching || isBehind) {
      return;
    }
    if (to.leads) {
      stepDown(to); // of an earlier term
    }
    to.term = leader.term;
    to.heardNanos = SimulatedGroups.now();
    follow(to, leader.node);
    long at = joint(leader, to);
    if (at == NOT_JOINT || to.isNew()) {
      fetch(leader, to);
      return;
    }
    to.cutAfter(at);
    for (long next = at + 1; next <= leader.last(); next++) {
      to.append(leader.at(next));
    }
    commit(to, Math.min(leader.committed, to.forced));
    if (to.forced < to.last()) {
      force(to);
    } else {
      acknowledge(leader, to);
    }
  }

  /** The last index up to which both logs are the same; {@link #NOT_JOINT} if it is purged. */
  private static long joint(SimulatedMember leader, SimulatedMember to) {
    long at = Math.min(to.last(), leader.last());
    while (at >= to.first() && at >= leader.first() && leader.at(at) != to.at(at)) {
      at--;
    }
    if (at + 1 < leader.first()) {
      return NOT_JOINT;
    }
    boolean isPurged = at < leader.first() && at >= to.first();
    return isPurged && !to.at(at).at().equals(leader.beforeFirst()) ? NOT_JOINT : at;
  }

  private void force(SimulatedMember member) {
    if (member.forcing) {
      return; // continues with what was added meanwhile
    }
    member.forcing = true;
    SimulatedEntry upTo = member.at(member.last());
    long start = member.start;
    world.after(
        faults().duration(),
        () -> {
          if (member.start != start || member.failure != null) {
            return;
          }
          member.forcing = false;
          long index = upTo.index();
          if (member.at(index) == upTo || index < member.first()) {
            member.forced = Math.max(member.forced, index);
          }
          forced(member);
          if (member.forced < member.last()) {
            force(member);
          }
        });
  }

  private void forced(SimulatedMember member) {
    if (member.leads) {
      advance(member);
    } else if (member.leader.isPresent()) {
      SimulatedMember leader = members.get(member.leader.getAsInt());
      if (leader != null) {
        acknowledge(leader, member);
      }
    }
  }

  private void acknowledge(SimulatedMember leader, SimulatedMember from) {
    long index = from.forced;
    long term = from.term;
    SimulatedEntry last = from.at(index);
    world.after(
        faults().duration(),
        () -> {
          boolean isOfThisTerm = leader.leads && leader.term == term && from.term == term;
          if (isOfThisTerm && hears(from, leader) && (last == null || leader.at(index) == last)) {
            leader.matched.merge(from.node, index, Math::max);
            advance(leader);
          }
        });
  }

  private void advance(SimulatedMember leader) {
    for (long index = leader.forced; index > leader.committed; index--) {
      if (leader.at(index).term() != leader.term) {
        return; // entries of earlier terms are committed with one of this
      }
      long upTo = index;
      boolean isOnMajority =
          leader
              .members()
              .majority(
                  node -> node == leader.node || leader.matched.getOrDefault(node, -1L) >= upTo);
      if (isOnMajority) {
        commit(leader, index);
        settle(leader);
        return;
      }
    }
  }

  private void commit(SimulatedMember member, long index) {
    for (long i = Math.max(member.committed + 1, member.first()); i <= index; i++) {
      SimulatedEntry entry = member.at(i);
      SimulatedEntry before = agreed.putIfAbsent(i, entry);
      Invariant.check(before == null || before == entry, "an entry that was committed has changed");
    }
    member.committed = Math.max(member.committed, index);
    world.apply(member);
  }

  // ---- a member that fell behind what the others keep

  private void fetch(SimulatedMember leader, SimulatedMember to) {
    to.fetching = true;
    long start = to.start;
    SimulatedEntry kept = leader.at(leader.first());
    LogPosition first = new LogPosition(kept == null ? leader.term : kept.term(), leader.first());
    var replica = to.replica;
    to.run(
        () -> {
          try {
            replica
                .fetch(OptionalInt.of(leader.node), first)
                .whenComplete((at, failure) -> to.run(() -> world.fetched(to, start, at)));
          } catch (RuntimeException e) {
            world.fetched(to, start, null);
            throw e;
          }
        });
  }

  /** Members as of a position, for a member whose log begins there. */
  Members membersAt(LogPosition at) {
    Members newest = null;
    long highest = -1;
    for (SimulatedMember member : members.values()) {
      if (member.first() - 1 <= at.index()
          && member.last() >= at.index()
          && member.term > highest) {
        newest = member.membersAt(at.index());
        highest = member.term;
      }
    }
    return newest;
  }

  // ---- members

  CompletableFuture<Void> change(SimulatedMember leader, List<GroupMember> wanted) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    if (!leader.leads || leader.change != null || leader.members().before() != null) {
      done.completeExceptionally(
          new IllegalStateException(leader + " does not lead, or members are being changed"));
      return done;
    }
    leader.change =
        new MembersChange(Members.of(wanted), done, SimulatedGroups.now() + HAND_OVER_NANOS);
    return done;
  }

  private void continueChange(SimulatedMember leader, long now) {
    MembersChange change = leader.change;
    if (change == null) {
      return;
    }
    boolean isInLog = leader.members().before() != null;
    boolean hasAll =
        change.wanted().now().stream()
            .allMatch(
                m ->
                    m.node() == leader.node
                        || leader.matched.getOrDefault(m.node(), -1L) >= leader.committed);
    if (!isInLog && hasAll && leader.committed >= leader.firstOwn) {
      append(leader, null, new Members(change.wanted().now(), leader.members().now()));
    } else if (now > change.deadline()) {
      fail(leader, "a new member does not answer");
    }
  }

  /** After a commit of the leader's: the next step of a change of members. */
  private void settle(SimulatedMember leader) {
    Members of = leader.members();
    if (leader.membersIndex() > leader.committed) {
      return;
    }
    if (of.before() != null) {
      append(leader, null, Members.of(of.now()));
    } else if (leader.change != null && leader.change.wanted().equals(of)) {
      CompletableFuture<Void> done = leader.change.done();
      leader.change = null;
      leader.run(() -> done.complete(null));
    }
  }

  private static void fail(SimulatedMember leader, String why) {
    CompletableFuture<Void> done = leader.change.done();
    leader.change = null;
    leader.run(() -> done.completeExceptionally(new IllegalStateException(why)));
  }
}
