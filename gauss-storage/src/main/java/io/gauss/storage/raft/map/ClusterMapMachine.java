package io.gauss.storage.raft.map;

import io.gauss.storage.map.codec.MapSnapshotCodec;
import io.gauss.storage.map.message.MapSnapshot;
import io.gauss.storage.map.service.ClusterMapState;
import io.gauss.storage.raft.GroupMachine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica of the cluster map: applies the commands in its group's log. Its snapshot is the whole
 * map, in a file next to the log that is replaced when the log has grown ({@code RaftHost.forget}).
 *
 * <p>Threads: Ratis applies, snapshots and restores on one thread; {@link #position} is for any.
 */
public final class ClusterMapMachine extends GroupMachine {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterMapMachine.class);
  private static final String SNAPSHOT_FILE = "cluster-map.snapshot";

  /** Entries after which the log is shortened. */
  private static final int FORGET_EVERY = 4_096;

  private final ClusterMapState state;
  private final MapRebuild rebuild;
  private final Runnable forgettable;
  private final AtomicReference<MapSnapshot> fetched = new AtomicReference<>();
  private volatile Path file;
  private volatile TermIndex saved;
  private volatile MapSnapshot position;

  /**
   * A machine for this replica.
   *
   * @param forgettable called on the applying thread from time to time when the log should be
   *     shortened; must not block
   */
  ClusterMapMachine(ClusterMapState state, MapRebuild rebuild, Runnable forgettable) {
    this.state = state;
    this.rebuild = rebuild;
    this.forgettable = forgettable;
    this.position = new MapSnapshot(0, -1, state.map());
  }

  // ---- start

  @Override
  protected void load(Path directory) throws IOException {
    file = directory.resolve(SNAPSHOT_FILE);
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      LOG.debug("the cluster map has no snapshot yet: {}", e.getMessage());
      return;
    }
    restore(MapSnapshotCodec.decode(bytes));
  }

  private void restore(MapSnapshot from) {
    state.restore(from.map());
    position = from;
    saved = TermIndex.valueOf(from.term(), from.index());
    setLastAppliedTermIndex(saved);
  }

  // ---- applying

  @Override
  public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
    LogEntryProto entry = transaction.getLogEntry();
    byte[] result = state.apply(entry.getStateMachineLogEntry().getLogData().toByteArray());
    updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
    position = new MapSnapshot(entry.getTerm(), entry.getIndex(), state.map());
    if (entry.getIndex() % FORGET_EVERY == 0) {
      forgettable.run();
    }
    return CompletableFuture.completedFuture(
        Message.valueOf(UnsafeByteOperations.unsafeWrap(result)));
  }

  // ---- forgetting

  @Override
  public long takeSnapshot() throws IOException {
    MapSnapshot now = position;
    TermIndex last = saved;
    if (now.index() < 0 || (last != null && now.index() <= last.getIndex())) {
      return last == null ? -1 : last.getIndex();
    }
    save(now);
    return now.index();
  }

  /** Durably; the file holds the old snapshot or the new one after a crash. */
  private void save(MapSnapshot snapshot) throws IOException {
    Path fresh = file.resolveSibling(SNAPSHOT_FILE + ".new");
    try (FileChannel channel =
        FileChannel.open(
            fresh,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer bytes = ByteBuffer.wrap(MapSnapshotCodec.encode(snapshot));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    try (FileChannel directory = FileChannel.open(file.getParent())) {
      directory.force(true);
    }
    saved = TermIndex.valueOf(snapshot.term(), snapshot.index());
  }

  @Override
  protected TermIndex lastSnapshot() {
    return saved;
  }

  // ---- a replica that fell behind what the others keep

  @Override
  public CompletableFuture<TermIndex> notifyInstallSnapshotFromLeader(
      RoleInfoProto role, TermIndex firstAvailable) {
    LOG.warn(
        "this replica of the cluster map ends before Raft index {}, where the others' logs begin;"
            + " the map is fetched",
        firstAvailable.getIndex());
    return rebuild
        .fetch(leader(role))
        .thenApply(
            snapshot -> {
              if (snapshot.index() < firstAvailable.getIndex() - 1) {
                throw new IllegalStateException(
                    "the map that was fetched is of Raft index " + snapshot.index());
              }
              fetched.set(snapshot);
              return TermIndex.valueOf(snapshot.term(), snapshot.index());
            })
        .whenComplete(
            (at, failure) -> {
              if (failure != null) {
                LOG.error("the cluster map cannot be fetched", failure);
              }
            });
  }

  @Override
  protected void takeUpFetched() throws IOException {
    MapSnapshot snapshot = fetched.getAndSet(null);
    if (snapshot != null) {
      save(snapshot);
      restore(snapshot);
      LOG.info("this replica of the cluster map continues at version {}", snapshot.map().version());
    }
  }

  // ---- events

  @Override
  public void notifyLeaderChanged(RaftGroupMemberId member, RaftPeerId leader) {
    LOG.debug("{} leads the cluster map, as {} sees it", leader, member.getPeerId());
  }

  @Override
  public String toString() {
    return "the cluster map";
  }

  /** The map as of the last entry applied. */
  MapSnapshot position() {
    return position;
  }
}
