package io.gauss.storage.raft;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.LifeCycle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ratis's state machine around a {@link GroupReplica}. A snapshot is a position in the log that the
 * replica has recorded itself; Ratis transfers no files.
 *
 * <p>Threads: Ratis loads, applies, snapshots and restores on one thread, and calls {@link #flush}
 * and {@link #notifyLogFailed} on the one that writes the log.
 */
public class GroupMachine extends BaseStateMachine implements ForcedAnswers.LogState {
  private static final Logger LOG = LoggerFactory.getLogger(GroupMachine.class);

  private final GroupReplica replica;
  private Path current;
  private final Object members = new Object();
  private LogEntryProto unkeptMembers; // null when there is a copy; guarded by members
  private volatile SegmentDirectory segments;
  private volatile Throwable logFailure;
  private volatile int restarts;
  private volatile LongConsumer applied = index -> {};
  private volatile LongConsumer force = index -> {};

  public GroupMachine(GroupReplica replica) {
    this.replica = replica;
  }

  @Override
  public void initialize(RaftServer server, RaftGroupId group, RaftStorage storage)
      throws IOException {
    super.initialize(server, group, storage);
    current = storage.getStorageDir().getCurrentDir().toPath();
    MetadataCopies.settle(current); // of a group that was added now
    // Ratis forces none of the directories that it has made, and from now on this member answers.
    GroupDirectories.forceUpwards(current);
    segments = new SegmentDirectory(current, GroupDirectories::force);
    ReplicaFiles files = ReplicaFiles.in(storage.getStorageDir().getStateMachineDir().toPath());
    getLifeCycle()
        .startAndTransition(
            () -> {
              LogPosition at = replica.load(files);
              if (at != null) {
                UnforcedTail.beginBehind(current, at.index());
              }
              continueAt(at);
            });
  }

  private void continueAt(LogPosition at) {
    if (at != null) {
      setLastAppliedTermIndex(TermIndex.valueOf(at.term(), at.index()));
    }
  }

  // ---- the log

  /** Called before entries of the log are forced, and then counted as forced. */
  @Override
  public CompletableFuture<Void> flush(long index) {
    force.accept(index);
    try {
      segments.beforeForce();
      return CompletableFuture.completedFuture(null);
    } catch (IOException | UncheckedIOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * From now on called before each force of the log, with the last index that is forced, on the
   * thread that writes it.
   */
  void onForce(LongConsumer listener) {
    force = listener;
  }

  @Override
  public void notifyLogFailed(Throwable cause, LogEntryProto entry) {
    if (logFailure == null) { // called again for each new entry
      logFailure = cause;
      LOG.error("the log of {} cannot be written; its replica here stops", replica, cause);
      replica.logFailed(cause);
    }
  }

  @Override
  public Throwable logFailure() {
    return logFailure;
  }

  @Override
  public int restarts() {
    return restarts;
  }

  // ---- applying

  /** From now on called with the index of each entry that was applied, on the applying thread. */
  void onApplied(LongConsumer listener) {
    applied = listener;
  }

  @Override
  protected boolean updateLastAppliedTermIndex(TermIndex to) {
    boolean updated = super.updateLastAppliedTermIndex(to);
    applied.accept(to.getIndex());
    return updated;
  }

  @Override
  public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
    LogEntryProto entry = transaction.getLogEntry();
    ByteBuffer answer =
        replica.apply(
            new LogPosition(entry.getTerm(), entry.getIndex()),
            entry.getStateMachineLogEntry().getLogData().asReadOnlyByteBuffer());
    updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
    return CompletableFuture.completedFuture(message(answer));
  }

  @Override
  public CompletableFuture<Message> query(Message question) {
    return CompletableFuture.completedFuture(
        message(replica.query(question.getContent().asReadOnlyByteBuffer())));
  }

  private static Message message(ByteBuffer answer) {
    ByteString bytes = UnsafeByteOperations.unsafeWrap(answer);
    return Message.valueOf(bytes);
  }

  // ---- snapshots

  @Override
  public long takeSnapshot() throws IOException {
    keepMembers(); // entries that say who they are may be forgotten from now on
    return replica.takeSnapshot(new RatisLog(member()));
  }

  /** This node's member of the group in Ratis. */
  RaftServer.Division member() throws IOException {
    return getServer().join().getDivision(getGroupId());
  }

  @Override
  public SnapshotInfo getLatestSnapshot() {
    LogPosition last = replica.lastSnapshot();
    return last == null ? null : new Pointer(TermIndex.valueOf(last.term(), last.index()));
  }

  /** A snapshot without files. */
  private record Pointer(TermIndex termIndex) implements SnapshotInfo {
    @Override
    public TermIndex getTermIndex() {
      return termIndex;
    }

    @Override
    public long getIndex() {
      return termIndex.getIndex();
    }

    @Override
    public List<FileInfo> getFiles() {
      return List.of();
    }
  }

  @Override
  public CompletableFuture<TermIndex> notifyInstallSnapshotFromLeader(
      RoleInfoProto role, TermIndex firstAvailable) {
    return replica
        .fetch(leader(role), RatisLog.position(firstAvailable))
        .thenApply(at -> at == null ? null : TermIndex.valueOf(at.term(), at.index()));
  }

  /** The leading storage node according to a follower's role; empty when it is unknown. */
  private static OptionalInt leader(RoleInfoProto role) {
    if (!role.hasFollowerInfo()) {
      return OptionalInt.empty();
    }
    String peer = role.getFollowerInfo().getLeaderInfo().getId().getId().toStringUtf8();
    return peer.length() > 1
        ? OptionalInt.of(Integer.parseInt(peer.substring(1)))
        : OptionalInt.empty();
  }

  /** What is queued for the disk is dropped next, and the log begins behind what was fetched. */
  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // one restoration after another
  public void pause() {
    restarts++;
    getLifeCycle().transition(LifeCycle.State.PAUSING);
    getLifeCycle().transition(LifeCycle.State.PAUSED);
  }

  @Override
  public void reinitialize() {
    continueAt(replica.takeUpFetched());
    getLifeCycle().transition(LifeCycle.State.STARTING);
    getLifeCycle().transition(LifeCycle.State.RUNNING);
  }

  // ---- events

  /** When this member's own file has been written, or could not be. */
  @Override
  public void notifyConfigurationChanged(long term, long index, RaftConfigurationProto now) {
    synchronized (members) {
      unkeptMembers = MetadataCopies.members(term, index, now);
    }
    try {
      keepMembers();
    } catch (IOException e) {
      LOG.warn("who the members of {} are is copied later", replica, e);
    }
  }

  private void keepMembers() throws IOException {
    synchronized (members) {
      if (unkeptMembers != null) {
        MetadataCopies.keepMembers(current, unkeptMembers);
        unkeptMembers = null;
      }
    }
  }

  @Override
  public void notifyLeaderChanged(RaftGroupMemberId member, RaftPeerId leader) {
    replica.leaderChanged(
        GroupMember.node(member.getPeerId()),
        leader == null ? OptionalInt.empty() : OptionalInt.of(GroupMember.node(leader)));
  }

  @Override
  public void close() throws IOException {
    replica.close();
    SegmentDirectory opened = segments;
    if (opened != null) {
      opened.close();
    }
  }
}
