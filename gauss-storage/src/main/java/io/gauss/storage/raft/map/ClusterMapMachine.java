package io.gauss.storage.raft.map;

import io.gauss.common.runtime.Environment;
import io.gauss.storage.map.codec.MapSnapshotCodec;
import io.gauss.storage.map.message.MapSnapshot;
import io.gauss.storage.map.service.ClusterMapState;
import io.gauss.storage.raft.GroupLog;
import io.gauss.storage.raft.GroupReplica;
import io.gauss.storage.raft.LogPosition;
import io.gauss.storage.raft.ReplicaFiles;
import io.gauss.storage.raft.SnapshotFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica of the cluster map: applies the commands in its group's log. Its snapshot is the whole
 * map, in a file next to the log that is replaced when the log has grown ({@code
 * GroupHost.forget}).
 *
 * <p>Threads: see {@link GroupReplica}; {@link #position} is for any.
 */
public final class ClusterMapMachine implements GroupReplica {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterMapMachine.class);
  private static final String SNAPSHOT_FILE = "cluster-map.snapshot";

  /** Entries after which the log is shortened: a start applies up to twice as many again. */
  private static final int FORGET_EVERY = 512;

  private final ClusterMapState state;
  private final MapRebuild rebuild;
  private final Runnable forgettable;
  private final AtomicReference<MapSnapshot> fetched = new AtomicReference<>();
  private volatile SnapshotFile file;
  private volatile LogPosition saved;
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
  public LogPosition load(ReplicaFiles from) throws IOException {
    file = new SnapshotFile(from, SNAPSHOT_FILE);
    byte[] bytes = file.read();
    if (bytes == null) {
      LOG.debug("the cluster map has no snapshot yet");
      return null;
    }
    MapSnapshot found = MapSnapshotCodec.decode(bytes);
    file.holds(found.index());
    return restore(found);
  }

  private LogPosition restore(MapSnapshot from) {
    state.restore(from.map());
    position = from;
    saved = new LogPosition(from.term(), from.index());
    return saved;
  }

  // ---- applying

  @Override
  public ByteBuffer apply(LogPosition at, ByteBuffer command) {
    byte[] bytes = new byte[command.remaining()];
    command.get(bytes);
    byte[] result = state.apply(bytes);
    position = new MapSnapshot(at.term(), at.index(), state.map());
    if (at.index() % FORGET_EVERY == 0) {
      forgettable.run();
    }
    return ByteBuffer.wrap(result);
  }

  /** Nothing is asked: whoever reads the map reads this node's. */
  @Override
  public ByteBuffer query(ByteBuffer question) {
    throw new UnsupportedOperationException("the cluster map's group answers no queries");
  }

  // ---- forgetting

  @Override
  public long takeSnapshot(GroupLog log) throws IOException {
    MapSnapshot now = position;
    LogPosition last = saved;
    if (now.index() < 0 || (last != null && now.index() <= last.index())) {
      return last == null ? -1 : last.index();
    }
    save(now);
    saved = new LogPosition(now.term(), now.index());
    return now.index();
  }

  private void save(MapSnapshot snapshot) throws IOException {
    file.save(snapshot.index(), MapSnapshotCodec.encode(snapshot));
  }

  @Override
  public LogPosition lastSnapshot() {
    return saved;
  }

  // ---- a replica that fell behind what the others keep

  @Override
  public CompletableFuture<LogPosition> fetch(OptionalInt leader, LogPosition firstAvailable) {
    LOG.warn(
        "this replica of the cluster map ends before Raft index {}, where the others' logs begin;"
            + " the map is fetched",
        firstAvailable.index());
    return rebuild
        .fetch(leader)
        .thenApplyAsync(
            snapshot -> fetched(snapshot, firstAvailable),
            saving -> Environment.start("gauss-map-fetched", saving))
        .whenComplete(
            (at, failure) -> {
              if (failure != null) {
                LOG.error("the cluster map cannot be fetched", failure);
              }
            });
  }

  private LogPosition fetched(MapSnapshot snapshot, LogPosition firstAvailable) {
    if (snapshot.index() < firstAvailable.index() - 1) {
      throw new IllegalStateException(
          "the map that was fetched is of Raft index " + snapshot.index());
    }
    try {
      save(snapshot);
    } catch (IOException e) {
      throw new UncheckedIOException(SNAPSHOT_FILE + " cannot be written", e);
    }
    fetched.set(snapshot);
    return new LogPosition(snapshot.term(), snapshot.index());
  }

  @Override
  public LogPosition takeUpFetched() {
    MapSnapshot snapshot = fetched.getAndSet(null);
    if (snapshot == null) {
      return null;
    }
    LOG.info("this replica of the cluster map continues at version {}", snapshot.map().version());
    return restore(snapshot);
  }

  // ---- events

  @Override
  public void leaderChanged(int self, OptionalInt leader) {
    LOG.debug("{} leads the cluster map, as storage node {} sees it", leader, self);
  }

  @Override
  public void logFailed(Throwable cause) {
    LOG.debug("{} stops here", this, cause);
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
