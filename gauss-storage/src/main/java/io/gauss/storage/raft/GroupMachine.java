package io.gauss.storage.raft;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.util.LifeCycle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The common part of the state machines of all groups. A snapshot is a position in the log that the
 * machine has recorded itself; Ratis transfers no files. A replica that fell behind the others'
 * logs fetches the state that it needs ({@link #notifyInstallSnapshotFromLeader}) and continues
 * from there.
 *
 * <p>Threads: Ratis loads, applies, snapshots and restores on one thread, and calls {@link #flush}
 * and {@link #notifyLogFailed} on the one that writes the log.
 */
public abstract class GroupMachine extends BaseStateMachine {
  private static final Logger LOG = LoggerFactory.getLogger(GroupMachine.class);

  private volatile SegmentDirectory segments;
  private volatile Throwable logFailure;
  private volatile LongConsumer applied = index -> {};

  /**
   * Loads this replica's state from disk, at start.
   *
   * @param directory of the machine's own files
   * @throws IOException when it cannot be read; the replica does not start then
   */
  protected abstract void load(Path directory) throws IOException;

  /** Position in the log of the last snapshot; null when there is none. For any thread. */
  protected abstract TermIndex lastSnapshot();

  /**
   * Durably takes over the fetched state, if there is any.
   *
   * @throws IOException when it cannot be stored; the replica then stops
   */
  protected abstract void takeUpFetched() throws IOException;

  @Override
  public final void initialize(RaftServer server, RaftGroupId group, RaftStorage storage)
      throws IOException {
    super.initialize(server, group, storage);
    segments =
        new SegmentDirectory(
            storage.getStorageDir().getCurrentDir().toPath(), GroupDirectories::force);
    Path directory = storage.getStorageDir().getStateMachineDir().toPath();
    getLifeCycle().startAndTransition(() -> load(directory));
  }

  // ---- the log

  /** Called before entries of the log are forced, and then counted as forced. */
  @Override
  public final CompletableFuture<Void> flush(long index) {
    try {
      segments.beforeForce();
      return CompletableFuture.completedFuture(null);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public final void notifyLogFailed(Throwable cause, LogEntryProto entry) {
    if (logFailure == null) { // called again for each new entry
      logFailure = cause;
      LOG.error("the log of {} cannot be written; its replica here stops", this, cause);
    }
  }

  /** Why the log here accepts no more entries; null while it does. */
  public final Throwable logFailure() {
    return logFailure;
  }

  /** From now on called with the index of each entry that was applied, on the applying thread. */
  final void onApplied(LongConsumer listener) {
    applied = listener;
  }

  @Override
  protected final boolean updateLastAppliedTermIndex(TermIndex to) {
    boolean updated = super.updateLastAppliedTermIndex(to);
    applied.accept(to.getIndex());
    return updated;
  }

  @Override
  public void close() throws IOException {
    SegmentDirectory opened = segments;
    if (opened != null) {
      opened.close();
    }
  }

  // ---- snapshots

  @Override
  public final SnapshotInfo getLatestSnapshot() {
    TermIndex last = lastSnapshot();
    return last == null ? null : new Pointer(last);
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

  /** The leading storage node according to a follower's role; empty when it is unknown. */
  protected static OptionalInt leader(RoleInfoProto role) {
    if (!role.hasFollowerInfo()) {
      return OptionalInt.empty();
    }
    String peer = role.getFollowerInfo().getLeaderInfo().getId().getId().toStringUtf8();
    return peer.length() > 1
        ? OptionalInt.of(Integer.parseInt(peer.substring(1)))
        : OptionalInt.empty();
  }

  @Override
  public final void pause() {
    getLifeCycle().transition(LifeCycle.State.PAUSING);
    getLifeCycle().transition(LifeCycle.State.PAUSED);
  }

  @Override
  public final void reinitialize() throws IOException {
    takeUpFetched();
    getLifeCycle().transition(LifeCycle.State.STARTING);
    getLifeCycle().transition(LifeCycle.State.RUNNING);
  }
}
