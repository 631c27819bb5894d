package io.gauss.storage.raft.stream;

import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupMachine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.statemachine.TransactionContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica of a log stream: applies the commands in its group's log.
 *
 * <p>The stream's bytes stay in the Raft log. In memory there are an index of them and a few
 * numbers ({@link StreamState}), rebuilt from the log at start. Ratis's snapshot is the state at
 * the index up to which the log can be purged; it is taken on request ({@code RaftHost.forget}),
 * and is before the applied index.
 *
 * <p>Threads: Ratis applies, snapshots and restores on one thread; all else may be called by any.
 */
public final class StreamStateMachine extends GroupMachine {
  private static final Logger LOG = LoggerFactory.getLogger(StreamStateMachine.class);
  private static final String SNAPSHOT_FILE = "stream.snapshot";

  private final int stream;
  private final StreamHooks hooks;
  private final StreamState state;
  private final DurableEnd durableEnd = new DurableEnd();
  private volatile Path snapshotFile;
  private volatile StreamSnapshot snapshot;
  private final AtomicReference<StreamSnapshot> rebuilt = new AtomicReference<>();
  private volatile Runnable trimmed = () -> {};

  StreamStateMachine(GroupId group, StreamHooks hooks) {
    this.stream = group.number();
    this.hooks = hooks;
    this.state = new StreamState(stream);
  }

  // ---- start

  @Override
  protected void load(Path directory) throws IOException {
    snapshotFile = directory.resolve(SNAPSHOT_FILE);
    StreamSnapshot found = StreamSnapshot.load(snapshotFile).orElse(null);
    if (found != null) {
      restore(found);
    }
  }

  private void restore(StreamSnapshot from) {
    if (from.stream() != stream) {
      throw new IllegalStateException(
          "a snapshot of stream " + from.stream() + " in the group of stream " + stream);
    }
    state.restore(from);
    snapshot = from;
    setLastAppliedTermIndex(from.termIndex());
    durableEnd.publish(from.end());
  }

  // ---- applying

  @Override
  public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
    LogEntryProto proto = transaction.getLogEntry();
    ByteBuffer bytes =
        proto
            .getStateMachineLogEntry()
            .getLogData()
            .asReadOnlyByteBuffer()
            .order(ByteOrder.LITTLE_ENDIAN);
    String flaw = StreamEntryLayout.flaw(bytes);
    if (flaw != null) {
      // The entry may be intact on another replica, so continuing would make this one diverge.
      throw new IllegalStateException(
          "Raft index " + proto.getIndex() + " of stream " + stream + " " + flaw);
    }
    StreamEntry entry = StreamEntryLayout.read(bytes);
    long startBefore = state.info().start();
    StreamAnswer answer = state.apply(proto.getIndex(), entry);
    updateLastAppliedTermIndex(proto.getTerm(), proto.getIndex());
    durableEnd.publish(state.info().end());
    if (state.info().start() > startBefore) {
      trimmed.run();
    }
    return CompletableFuture.completedFuture(Message.valueOf(StreamAnswers.encode(answer)));
  }

  @Override
  public CompletableFuture<Message> query(Message question) {
    return CompletableFuture.completedFuture(
        Message.valueOf(StreamAnswers.encode(new StreamAnswer.State(state.info()))));
  }

  // ---- forgetting

  /**
   * Saves the state at the index up to which this node does not need the log. Ratis then purges the
   * segments that lie wholly before it.
   */
  @Override
  public long takeSnapshot() throws IOException {
    long needed = Math.min(state.info().start(), hooks.floor().neededFrom(stream));
    long index = state.dispensable(needed);
    StreamSnapshot last = snapshot;
    if (index < 0 || (last != null && index <= last.raftIndex())) {
      return last == null ? -1 : last.raftIndex();
    }
    StreamSnapshot taken = state.asOf(termOf(index), index);
    taken.save(snapshotFile);
    snapshot = taken;
    state.forgetUpTo(index);
    return index;
  }

  private long termOf(long index) throws IOException {
    TermIndex at = getServer().join().getDivision(getGroupId()).getRaftLog().getTermIndex(index);
    if (at == null) {
      throw new IOException("Raft index " + index + " of stream " + stream + " is not in the log");
    }
    return at.getTerm();
  }

  @Override
  protected TermIndex lastSnapshot() {
    StreamSnapshot last = snapshot;
    return last == null ? null : last.termIndex();
  }

  // ---- a replica that fell behind what the others keep

  @Override
  public CompletableFuture<TermIndex> notifyInstallSnapshotFromLeader(
      RoleInfoProto role, TermIndex firstAvailable) {
    LOG.info(
        "the replica of stream {} is to begin at what the others keep, at Raft index {}",
        stream,
        firstAvailable.getIndex());
    return hooks
        .rebuild()
        .rebuild(stream, leader(role), firstAvailable.getIndex())
        .thenApply(
            fetched -> {
              rebuilt.set(fetched.orElse(null));
              return fetched.map(StreamSnapshot::termIndex).orElse(null);
            })
        .whenComplete(
            (at, failure) -> {
              if (failure != null) {
                LOG.error("the replica of stream {} is not rebuilt", stream, failure);
              }
            });
  }

  @Override
  protected void takeUpFetched() throws IOException {
    StreamSnapshot fetched = rebuilt.getAndSet(null);
    if (fetched != null) {
      fetched.save(snapshotFile);
      restore(fetched);
      LOG.info("the replica of stream {} continues at offset {}", stream, fetched.end());
    }
  }

  // ---- events

  @Override
  public void notifyLeaderChanged(RaftGroupMemberId member, RaftPeerId leader) {
    if (member.getPeerId().equals(leader)) {
      LOG.info("{} leads stream {}", leader, stream);
    } else {
      LOG.debug("{} leads stream {}, as {} sees it", leader, stream, member.getPeerId());
    }
  }

  @Override
  public void close() throws IOException {
    durableEnd.close();
    super.close();
  }

  @Override
  public String toString() {
    return "stream " + stream;
  }

  // ---- for the service

  int stream() {
    return stream;
  }

  StreamState state() {
    return state;
  }

  DurableEnd durableEnd() {
    return durableEnd;
  }

  /** Called on the applying thread whenever the stream's start has moved. */
  void onTrim(Runnable action) {
    trimmed = action;
  }

  /** The last snapshot, for a replica that has to be rebuilt; null when there is none. */
  StreamSnapshot snapshot() {
    return snapshot;
  }
}
