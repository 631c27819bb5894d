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
 * What the state machines of all groups have in common: a snapshot is a place in the log that the
 * machine has noted by itself, Ratis carries no files, and a replica that fell behind what the
 * others keep fetches what it needs ({@link #notifyInstallSnapshotFromLeader}) and continues from
 * there.
 *
 * <p>Threads: Ratis loads, applies, snapshots and restores on one thread.
 */
public abstract class GroupMachine extends BaseStateMachine {

  /**
   * Takes up what this replica has on disk, at start.
   *
   * @param directory of the machine's own files
   * @throws IOException when it cannot be read; the replica does not start then
   */
  protected abstract void load(Path directory) throws IOException;

  /** Place in the log of the last snapshot; null when there is none. For any thread. */
  protected abstract TermIndex lastSnapshot();

  /**
   * Takes up what was fetched, if anything was, durably.
   *
   * @throws IOException when it cannot be kept; the replica stops then
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

  /** Storage node that leads, as a follower's role tells; empty when it does not know. */
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
