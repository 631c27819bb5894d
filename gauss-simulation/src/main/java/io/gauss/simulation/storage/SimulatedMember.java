package io.gauss.simulation.storage;

import io.gauss.common.runtime.Environment;
import io.gauss.simulation.storage.SimulatedEntry.Members;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupReplica;
import io.gauss.storage.raft.LogPosition;
import io.gauss.storage.raft.ReplicaFiles;
import io.gauss.storage.raft.Submitted;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node's member of a group: what its disk has, and, while it runs, what it is about to do.
 *
 * <p>Guarded by the lock of {@link SimulatedGroups}, except that the replica is used by the
 * member's own thread, of the node's process.
 */
final class SimulatedMember {
  /** A command that was accepted here as the leader. */
  record Pending(SimulatedEntry entry, CompletableFuture<Submitted> outcome) {}

  private static final Logger LOG = LoggerFactory.getLogger(SimulatedMember.class);

  final GroupId group;
  final int node;

  // ---- on disk

  /** From {@code before} on; the part behind {@link #forced} may be lost with the power. */
  private final List<SimulatedEntry> log = new ArrayList<>();

  private final Map<String, byte[]> files = new HashMap<>();
  private LogPosition before = new LogPosition(0, -1);
  private Members base;

  /** Highest term in which this member has voted or accepted entries; forced at once. */
  long term;

  long forced = -1;

  // ---- while it runs

  /** Counts the starts; what an earlier one left behind is recognised by it. */
  long start;

  GroupReplica replica;
  ScheduledExecutorService thread;
  boolean leads;
  OptionalInt leader = OptionalInt.empty();

  /** When it last heard from its leader or, as the leader, from a majority. */
  long heardNanos;

  /** As the leader: when it was last sent a command. */
  long appendedNanos;

  /** Why its log cannot be written; null while it can. Until its next start it takes no part. */
  Throwable failure;

  /** Whether that is for another reason than its log. */
  boolean ended;

  /** Until then it neither sends nor receives. */
  long deafUntilNanos;

  /** How long it waits for the leader. */
  long patienceNanos;

  long committed = -1;
  long applied = -1;
  long applying = -1;
  boolean forcing;
  private boolean asked;
  boolean fetching;

  /** As the leader: up to where each member's forced log equals this one's. */
  final Map<Integer, Long> matched = new TreeMap<>();

  /** As the leader: members that are to be added once they have the log. */
  MembersChange change;

  /** As the leader: index of the first entry of its term. */
  long firstOwn;

  final TreeMap<Long, Pending> pending = new TreeMap<>();

  /** A change of members, not yet in the log. */
  record MembersChange(Members wanted, CompletableFuture<Void> done, long deadline) {}

  SimulatedMember(GroupId group, int node, Members founders) {
    this.group = group;
    this.node = node;
    this.base = founders;
  }

  /** Whether it has joined an existing group, and has not been asked yet to fetch a state. */
  boolean isNew() {
    boolean isNew = !asked && last() < 0 && base.now().isEmpty();
    asked = true;
    return isNew;
  }

  boolean runs() {
    return replica != null;
  }

  // ---- the log

  long last() {
    return before.index() + log.size();
  }

  LogPosition lastPosition() {
    return log.isEmpty() ? before : log.getLast().at();
  }

  /** Index of the first entry that is there. */
  long first() {
    return before.index() + 1;
  }

  LogPosition beforeFirst() {
    return before;
  }

  /** Null when it is purged or not there. */
  SimulatedEntry at(long index) {
    return index < first() || index > last() ? null : log.get((int) (index - first()));
  }

  void append(SimulatedEntry entry) {
    if (entry.index() != last() + 1) {
      throw new IllegalStateException(entry + " does not follow " + lastPosition());
    }
    log.add(entry);
  }

  void cutAfter(long index) {
    if (index < committed) {
      throw new IllegalStateException(
          "entries after %d of %s on node %d are cut off, but they are committed up to %d"
              .formatted(index, group, node, committed));
    }
    while (last() > index) {
      log.removeLast();
    }
    forced = Math.min(forced, index);
  }

  void purgeUpTo(long index) {
    while (!log.isEmpty() && first() <= index) {
      SimulatedEntry gone = log.removeFirst();
      before = gone.at();
      if (gone.members() != null) {
        base = gone.members();
      }
    }
  }

  /** Continues behind a fetched state. */
  void restart(LogPosition at, Members members) {
    SimulatedEntry same = at(at.index());
    if (same != null && same.term() == at.term()) {
      purgeUpTo(at.index());
    } else {
      log.clear();
      before = at;
      base = members;
    }
    forced = Math.max(Math.min(forced, last()), at.index());
    committed = Math.max(Math.min(committed, last()), at.index());
  }

  /** Members by the newest entry that tells them, committed or not. */
  Members members() {
    for (int i = log.size() - 1; i >= 0; i--) {
      if (log.get(i).members() != null) {
        return log.get(i).members();
      }
    }
    return base;
  }

  /** Members as of an entry. */
  Members membersAt(long index) {
    for (long i = Math.min(index, last()); i >= first(); i--) {
      if (at(i).members() != null) {
        return at(i).members();
      }
    }
    return base;
  }

  long membersIndex() {
    for (long i = last(); i >= first(); i--) {
      if (at(i).members() != null) {
        return i;
      }
    }
    return before.index();
  }

  // ---- start and end

  /** On a thread of the node's process. */
  void start(GroupReplica of, long now) throws IOException {
    start++;
    LogPosition from = of.load(new Files(start));
    if (from != null && from.index() > last()) {
      restart(from, members()); // the process before had fetched that state
    }
    applied = from == null ? -1 : from.index();
    if (applied < before.index()) {
      throw new IllegalStateException(
          "%s on node %d has applied %d entries, but its log begins behind %s"
              .formatted(group, node, applied, before));
    }
    applying = applied;
    committed = Math.max(applied, before.index());
    forced = last(); // what is found is forced before anything is answered
    thread = Environment.abruptScheduler("simulated-" + group + "-of-" + node);
    heardNanos = now;
    failure = null;
    ended = false;
    deafUntilNanos = now;
    leader = OptionalInt.empty();
    replica = of;
  }

  /**
   * The process has ended.
   *
   * @param powerLost whether entries that were not forced may be lost
   */
  void ended(boolean powerLost) {
    start++;
    replica = null;
    thread.shutdownNow();
    thread = null;
    leads = false;
    fetching = false;
    forcing = false;
    matched.clear();
    pending.clear();
    change = null;
    if (powerLost && last() > forced) {
      long kept = forced + LogFaults.random().nextLong(last() - forced + 1);
      while (last() > kept) {
        log.removeLast();
      }
    }
    committed = -1;
  }

  /** Runs a task on the member's thread, unless it has ended by then. */
  void run(Runnable task) {
    ScheduledExecutorService on = thread;
    if (on == null) {
      return;
    }
    try {
      on.execute(
          () -> {
            try {
              task.run();
            } catch (RuntimeException | Error e) {
              LOG.error("{} has failed", this, e);
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("{} ends just now", this, e);
    }
  }

  /** Runs a task on the member's thread after a while, unless it has ended by then. */
  void later(long nanos, Runnable task) {
    ScheduledExecutorService on = thread;
    if (on == null) {
      return;
    }
    try {
      on.schedule(task, nanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("{} ends just now", this, e);
    }
  }

  /** Small files, for one start; each is replaced at once and durably. */
  private final class Files implements ReplicaFiles {
    private final long of;

    Files(long of) {
      this.of = of;
    }

    @Override
    public byte[] read(String name) {
      return files.get(name);
    }

    @Override
    public void replace(String name, byte[] content) throws IOException {
      if (start != of) {
        throw new IOException("the process of " + SimulatedMember.this + " has ended");
      }
      files.put(name, content.clone());
    }
  }

  @Override
  public String toString() {
    return group + " on node " + node;
  }
}
