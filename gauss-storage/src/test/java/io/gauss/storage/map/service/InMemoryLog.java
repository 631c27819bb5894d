package io.gauss.storage.map.service;

import io.gauss.storage.map.message.MapSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/**
 * The map's group in memory: commands are applied to all replicas that are not cut off, at once and
 * in order. Thread-safe.
 */
final class InMemoryLog {
  private final List<Replica> replicas = new ArrayList<>();
  private final List<byte[]> log = new ArrayList<>();
  private volatile int leader;
  private boolean losesAnswers;
  private volatile boolean waiting;
  private final List<Runnable> waitingProposals = new ArrayList<>();
  private final List<Runnable> waitingAnswers = new ArrayList<>();

  /** A replica on a storage node. */
  final class Replica implements ReplicatedLog {
    final int node;
    final ClusterMapState state = new ClusterMapState();
    private int applied;
    private volatile boolean cutOff;

    private Replica(int node) {
      this.node = node;
    }

    @Override
    public CompletableFuture<Proposed> propose(byte[] command) {
      return InMemoryLog.this.proposeOrWait(this, command);
    }

    @Override
    public MapSnapshot snapshot() {
      synchronized (InMemoryLog.this) {
        return new MapSnapshot(1, applied, state.map());
      }
    }

    /** Without the log's monitor, which the applying thread holds while listeners run. */
    @Override
    public boolean leads() {
      return leader == node && !cutOff;
    }

    @Override
    public boolean leadsMajority() {
      return leads() && !waiting;
    }

    @Override
    public OptionalInt leader() {
      int now = leader;
      return now == 0 || cutOff ? OptionalInt.empty() : OptionalInt.of(now);
    }
  }

  InMemoryLog(int nodes) {
    for (int node = 1; node <= nodes; node++) {
      replicas.add(new Replica(node));
    }
    leader = 1;
  }

  List<Replica> replicas() {
    return replicas;
  }

  private synchronized CompletableFuture<ReplicatedLog.Proposed> proposeOrWait(
      Replica by, byte[] command) {
    if (!waiting) {
      return CompletableFuture.completedFuture(propose(by, command));
    }
    CompletableFuture<ReplicatedLog.Proposed> later = new CompletableFuture<>();
    waitingProposals.add(
        () -> {
          ReplicatedLog.Proposed outcome = propose(by, command);
          waitingAnswers.add(() -> later.complete(outcome));
        });
    return later;
  }

  private synchronized ReplicatedLog.Proposed propose(Replica by, byte[] command) {
    if (!by.leads()) {
      return new ReplicatedLog.Proposed.NotTaken("node " + by.node + " does not lead");
    }
    log.add(command.clone());
    byte[] result = null;
    for (Replica replica : replicas) {
      if (!replica.cutOff) {
        byte[] own = catchUp(replica);
        result = replica == by ? own : result;
      }
    }
    if (losesAnswers) {
      losesAnswers = false;
      return new ReplicatedLog.Proposed.Unknown(new IllegalStateException("stepped down"));
    }
    return new ReplicatedLog.Proposed.Applied(result);
  }

  private byte[] catchUp(Replica replica) {
    byte[] result = null;
    while (replica.applied < log.size()) {
      result = replica.state.apply(log.get(replica.applied++));
    }
    return result;
  }

  /** 0 = nobody leads. */
  synchronized void lead(int node) {
    leader = node;
  }

  /** No majority answers the leader, which does not notice: nothing is committed meanwhile. */
  void loseMajority() {
    waiting = true;
  }

  /** What was proposed in the meantime is committed now, in this order, and answered then. */
  synchronized void majorityIsBack() {
    waiting = false;
    List.copyOf(waitingProposals).forEach(Runnable::run);
    waitingProposals.clear();
    List<Runnable> answers = List.copyOf(waitingAnswers);
    waitingAnswers.clear();
    answers.forEach(Runnable::run);
  }

  /** The next command is carried out, and its proposer gets no answer. */
  synchronized void loseNextAnswer() {
    losesAnswers = true;
  }

  synchronized void cutOff(int node, boolean cut) {
    Replica replica = replicas.get(node - 1);
    replica.cutOff = cut;
    if (!cut) {
      catchUp(replica);
    }
  }
}
