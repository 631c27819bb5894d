package io.gauss.storage.raft;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.util.LifeCycle;

/**
 * The common part of the state machines of all groups. A snapshot is a position in the log that the
 * machine has recorded itself; Ratis transfers no files. A replica that fell behind the others'
 * logs fetches the state that it needs ({@link #notifyInstallSnapshotFromLeader}) and continues
 * from there.
 *
 * <p>Threads: Ratis loads, applies, snapshots and restores on one thread.
 */
public abstract class GroupMachine extends BaseStateMachine {

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
    Path directory = storage.getStorageDir().getStateMachineDir().toPath();
    getLifeCycle().startAndTransition(() -> load(directory));
  }

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
