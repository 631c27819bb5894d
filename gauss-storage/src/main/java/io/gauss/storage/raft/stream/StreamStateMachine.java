package io.gauss.storage.raft.stream;

import io.gauss.common.runtime.Environment;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupLog;
import io.gauss.storage.raft.GroupReplica;
import io.gauss.storage.raft.LogPosition;
import io.gauss.storage.raft.ReplicaFiles;
import io.gauss.storage.raft.SnapshotFile;
import io.gauss.storage.wire.LogHold;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica of a log stream: applies the commands in its group's log.
 *
 * <p>The stream's bytes stay in the Raft log. In memory there are an index of them and a few
 * numbers ({@link StreamState}), rebuilt from the log at start. The snapshot is the state at the
 * index up to which the log can be purged; it is taken on request ({@code GroupHost.forget}), and
 * is before the applied index.
 *
 * <p>Threads: see {@link GroupReplica}.
 */
public final class StreamStateMachine implements GroupReplica {
  private static final Logger LOG = LoggerFactory.getLogger(StreamStateMachine.class);
  private static final String SNAPSHOT_FILE = "stream.snapshot";

  private final int stream;
  private final StreamHooks hooks;
  private final StreamState state;
  private final DurableEnd durableEnd = new DurableEnd();
  private final LogHolds holds = new LogHolds(Environment::nanoTime);
  private volatile SnapshotFile file;
  private volatile StreamSnapshot snapshot;
  private volatile Throwable logFailure;
  private final AtomicReference<StreamSnapshot> rebuilt = new AtomicReference<>();
  private volatile Runnable trimmed = () -> {};

  StreamStateMachine(GroupId group, StreamHooks hooks) {
    this.stream = group.number();
    this.hooks = hooks;
    this.state = new StreamState(stream);
  }

  // ---- start

  @Override
  public LogPosition load(ReplicaFiles from) throws IOException {
    file = new SnapshotFile(from, SNAPSHOT_FILE);
    byte[] found = file.read();
    if (found == null) {
      return null;
    }
    try {
      StreamSnapshot decoded = StreamSnapshot.decode(found);
      file.holds(decoded.raftIndex());
      return restore(decoded);
    } catch (IOException e) {
      throw new IOException(SNAPSHOT_FILE + " of stream " + stream + ": " + e.getMessage(), e);
    }
  }

  private LogPosition restore(StreamSnapshot from) {
    if (from.stream() != stream) {
      throw new IllegalStateException(
          "a snapshot of stream " + from.stream() + " in the group of stream " + stream);
    }
    state.restore(from);
    holds.applied(state.subscriptions(), from.end());
    snapshot = from;
    durableEnd.publish(from.end());
    return from.position();
  }

  // ---- applying

  @Override
  public ByteBuffer apply(LogPosition at, ByteBuffer command) {
    ByteBuffer bytes = command.order(ByteOrder.LITTLE_ENDIAN);
    String flaw = StreamEntryLayout.flaw(bytes);
    if (flaw != null) {
      // The entry may be intact on another replica, so continuing would make this one diverge.
      throw new IllegalStateException(
          "Raft index " + at.index() + " of stream " + stream + " " + flaw);
    }
    StreamEntry entry = StreamEntryLayout.read(bytes);
    long startBefore = state.info().start();
    StreamAnswer answer = state.apply(at.index(), entry);
    holds.applied(state.subscriptions(), state.info().end());
    durableEnd.publish(state.info().end());
    if (state.info().start() > startBefore) {
      trimmed.run();
    }
    return StreamAnswers.encode(answer);
  }

  @Override
  public ByteBuffer query(ByteBuffer question) {
    return StreamAnswers.encode(new StreamAnswer.State(state.info()));
  }

  // ---- forgetting

  /**
   * Saves the state at the index up to which this node does not need the log. Ratis then purges the
   * segments that lie wholly before it.
   */
  @Override
  public long takeSnapshot(GroupLog log) throws IOException {
    long needed = Math.min(state.info().start(), hooks.floor().neededFrom(stream));
    long index = state.dispensable(needed);
    StreamSnapshot last = snapshot;
    if (index < 0 || (last != null && index <= last.raftIndex())) {
      return last == null ? -1 : last.raftIndex();
    }
    StreamSnapshot taken = state.asOf(termOf(log, index), index);
    file.save(index, taken.encode());
    snapshot = taken;
    state.forgetUpTo(index);
    return index;
  }

  private long termOf(GroupLog log, long index) throws IOException {
    LogPosition at = log.position(index);
    if (at == null) {
      throw new IOException("Raft index " + index + " of stream " + stream + " is not in the log");
    }
    return at.term();
  }

  @Override
  public LogPosition lastSnapshot() {
    StreamSnapshot last = snapshot;
    return last == null ? null : last.position();
  }

  // ---- a replica that fell behind what the others keep

  @Override
  public CompletableFuture<LogPosition> fetch(OptionalInt leader, LogPosition firstAvailable) {
    LOG.info(
        "the replica of stream {} is to begin at what the others keep, at Raft index {}",
        stream,
        firstAvailable.index());
    return hooks
        .rebuild()
        .rebuild(stream, leader, firstAvailable.index())
        .thenApply(
            fetched -> {
              fetched.ifPresent(this::save);
              rebuilt.set(fetched.orElse(null));
              return fetched.map(StreamSnapshot::position).orElse(null);
            })
        .whenComplete(
            (at, failure) -> {
              if (failure != null) {
                LOG.error("the replica of stream {} is not rebuilt", stream, failure);
              }
            });
  }

  /** The log begins anew as soon as the fetch is done, and what it skips must be here then. */
  private void save(StreamSnapshot fetched) {
    try {
      file.save(fetched.raftIndex(), fetched.encode());
    } catch (IOException e) {
      throw new UncheckedIOException(SNAPSHOT_FILE + " cannot be written", e);
    }
  }

  @Override
  public LogPosition takeUpFetched() {
    StreamSnapshot fetched = rebuilt.getAndSet(null);
    if (fetched == null) {
      return null;
    }
    LOG.info("the replica of stream {} continues at offset {}", stream, fetched.end());
    return restore(fetched);
  }

  // ---- events

  @Override
  public void leaderChanged(int self, OptionalInt leader) {
    if (leader.isPresent() && leader.getAsInt() == self) {
      LOG.info("storage node {} leads stream {}", self, stream);
    } else {
      LOG.debug("{} leads stream {}, as storage node {} sees it", leader, stream, self);
    }
  }

  @Override
  public void logFailed(Throwable cause) {
    logFailure = cause;
  }

  @Override
  public void close() {
    durableEnd.close();
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

  /** What subscriptions keep of the log now, and since when. */
  List<LogHold> holds() {
    return holds.all(state.info().end());
  }

  /** Why the log here accepts no more entries; null while it does. */
  Throwable logFailure() {
    return logFailure;
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
