package io.gauss.storage.raft.stream;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.health.Problem;
import io.gauss.common.id.Lsn;
import io.gauss.common.runtime.Environment;
import io.gauss.storage.api.LogStream.LogReader;
import io.gauss.storage.api.LogStream.TailListener;
import io.gauss.storage.raft.GroupHost;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupMachine;
import io.gauss.storage.raft.GroupMember;
import io.gauss.storage.raft.LogEvidence;
import io.gauss.storage.raft.Submitted;
import io.gauss.storage.wire.LogHold;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log streams of a storage node: answers requests of other nodes, and serves the reads of its
 * own page store.
 *
 * <p>Appends, seals, openings, trims, subscriptions and queries for the end are answered by the
 * replica that leads the stream's group, reads by any. Nothing here blocks its caller except {@link
 * #tail}'s own thread and readers; futures never complete exceptionally. Thread-safe.
 */
public final class StreamService implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StreamService.class);

  /** The JDK's message for ENOSPC. */
  private static final String NO_ROOM = "No space left on device";

  private static final long DISK_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long TAIL_WAIT_MILLIS = 1_000;
  private static final long RETRY_MILLIS = 500;
  private static final int READ_BYTES = 1 << 20;
  private static final int READ_THREADS = 2;

  private final StreamHooks hooks;
  private final LongSupplier usableBytes;
  private final long reserveBytes;
  private final ConcurrentMap<Integer, StreamStateMachine> machines = new ConcurrentHashMap<>();
  private final ExecutorService reads;
  private final ExecutorService forgetting;
  private final DamagedBatches damaged = new DamagedBatches();
  private final FollowerNeeds followers = new FollowerNeeds(damaged);
  private final LogRepair repair = new LogRepair(damaged);
  private volatile OtherReplicas others = OtherReplicas.none();
  private volatile GroupHost host;
  private volatile long diskCheckedNanos = Environment.nanoTime() - DISK_CHECK_NANOS;
  private volatile boolean diskFull;

  /**
   * @param usableBytes room on the disk of the logs
   * @param reserveBytes appends are refused with less room than this, so that a log is never cut
   *     off in the middle of a segment
   */
  public StreamService(StreamHooks hooks, LongSupplier usableBytes, long reserveBytes) {
    this.hooks = hooks;
    this.usableBytes = usableBytes;
    this.reserveBytes = reserveBytes;
    this.reads = Environment.pool("gauss-stream-read-", READ_THREADS);
    this.forgetting = Environment.scheduler("gauss-stream-forget");
  }

  /** Makes Ratis's state machine of a stream's group; for the server's {@code MachineFactory}. */
  public GroupMachine machine(GroupId group) {
    return new GroupMachine(newReplica(group));
  }

  /** Makes the replica of a stream's group. */
  public StreamStateMachine newReplica(GroupId group) {
    StreamStateMachine machine = new StreamStateMachine(group, hooks);
    machine.onTrim(() -> forgettable(group.number()));
    machines.put(group.number(), machine);
    return machine;
  }

  /** The evidence of streams' entries about damage; for the server's start. */
  public static Map<GroupId.Kind, LogEvidence> evidence() {
    return Map.of(GroupId.Kind.STREAM, StreamEvidence::wasDurable);
  }

  /** From now on requests are answered. */
  public void attach(GroupHost groupHost) {
    host = groupHost;
  }

  /**
   * From now on {@link #read} and {@link #tail} read batches that are damaged here from these
   * replicas.
   */
  public void others(OtherReplicas replicas) {
    others = replicas;
  }

  /**
   * Makes this node a replica of a stream; to be called on every replica, with the same members.
   */
  public void addStream(int stream, List<GroupMember> replicas) {
    host.addGroup(GroupId.stream(stream), replicas);
  }

  /** Ends this node's replica; its log is moved aside. */
  public void removeStream(int stream) {
    StreamStateMachine machine = machines.remove(stream);
    if (machine != null) {
      machine.durableEnd().close();
    }
    host.removeGroup(GroupId.stream(stream));
  }

  /**
   * To be called when a part of this node needs less of the stream's log: log that is no longer
   * needed is purged in the background.
   */
  public void forgettable(int stream) {
    forgetting.execute(
        () -> {
          if (host != null) {
            forget(stream)
                .exceptionally(
                    failure -> {
                      LOG.warn("the log of stream {} is not purged", stream, failure);
                      return null;
                    });
          }
        });
  }

  /** Purges the log that nothing on this node needs; completes when that is done. */
  public CompletableFuture<Void> forget(int stream) {
    return host.forget(GroupId.stream(stream));
  }

  // ---- requests

  /** Answers a request. */
  public CompletableFuture<StreamAnswer> handle(StreamRequest request) {
    StreamStateMachine machine = machines.get(request.stream());
    if (machine == null || host == null) {
      return now(new StreamAnswer.NotLeader(OptionalInt.empty()));
    }
    try {
      return switch (request) {
        case StreamRequest.Append append -> append(machine, append);
        case StreamRequest.Ask ask ->
            host.query(group(ask), new byte[0]).thenApply(StreamService::answer);
        case StreamRequest.Seal seal ->
            submit(seal, new StreamEntry.Seal(seal.stream(), seal.epoch()));
        case StreamRequest.Open open ->
            submit(open, new StreamEntry.Open(open.stream(), open.epoch(), open.token()));
        case StreamRequest.Trim trim ->
            submit(
                trim, new StreamEntry.Trim(trim.stream(), 0, batchStart(machine, trim.offset())));
        case StreamRequest.Subscribe asked ->
            submit(
                asked,
                new StreamEntry.Subscribe(
                    asked.stream(),
                    asked.node(),
                    asked.tenure(),
                    batchStart(machine, asked.offset())));
        case StreamRequest.Raise asked ->
            submit(
                asked,
                new StreamEntry.Raise(
                    asked.stream(),
                    asked.node(),
                    asked.tenure(),
                    batchStart(machine, asked.offset())));
        case StreamRequest.Unsubscribe asked ->
            submit(
                asked, new StreamEntry.Unsubscribe(asked.stream(), asked.node(), asked.tenure()));
        case StreamRequest.Read read -> read(machine, read);
        case StreamRequest.Locate locate -> locate(machine, locate);
        case StreamRequest.Entry entry -> entry(machine, entry);
      };
    } catch (RuntimeException e) {
      return now(failed(e));
    }
  }

  private CompletableFuture<StreamAnswer> append(
      StreamStateMachine machine, StreamRequest.Append request) {
    ByteBuffer bytes = ByteBuffer.wrap(request.entry()).order(ByteOrder.LITTLE_ENDIAN);
    String flaw = StreamEntryLayout.flaw(bytes);
    if (flaw != null) {
      return now(
          refused(SqlState.DATA_CORRUPTED, "an append to stream " + request.stream() + " " + flaw));
    }
    StreamEntry.Append entry = StreamEntryLayout.appendOrNull(bytes);
    if (entry == null || entry.stream() != request.stream() || entry.length() == 0) {
      return now(refused(SqlState.INTERNAL_ERROR, "not an append to stream " + request.stream()));
    }
    GroupId group = group(request);
    if (!host.leads(group)) {
      return now(new StreamAnswer.NotLeader(host.leader(group)));
    }
    if (entry.epoch() >= machine.state().info().epoch() && machine.state().isThere(entry)) {
      return now(new StreamAnswer.Appended(entry.end())); // a repeat need not go into the log
    }
    if (isDiskFull()) {
      return now(new StreamAnswer.DiskFull("the log of stream " + request.stream()));
    }
    return host.submit(group, request.entry()).thenApply(StreamService::answer);
  }

  /** Whether appends are refused because the disk is nearly full. */
  boolean isDiskFull() {
    long now = Environment.nanoTime();
    if (now - diskCheckedNanos >= DISK_CHECK_NANOS) {
      diskFull = usableBytes.getAsLong() < reserveBytes;
      diskCheckedNanos = now;
    }
    return diskFull;
  }

  private CompletableFuture<StreamAnswer> submit(
      StreamRequest request, StreamEntry.Command command) {
    byte[] entry = StreamEntryLayout.command(command);
    return host.submit(group(request), entry).thenApply(StreamService::answer);
  }

  /** A stream starts with a whole batch, so that a reader from its start finds an MTR. */
  private static long batchStart(StreamStateMachine machine, long offset) {
    EntryIndex.Position batch = machine.state().index().holding(offset);
    return batch == null ? offset : batch.offset();
  }

  private CompletableFuture<StreamAnswer> read(
      StreamStateMachine machine, StreamRequest.Read request) {
    long awaited = Math.max(request.atLeast(), request.from() + 1);
    return machine
        .durableEnd()
        .reached(awaited, request.waitMillis())
        .<StreamAnswer>thenApplyAsync(
            reached -> {
              long durable = machine.durableEnd().offset();
              if (durable < request.atLeast()) {
                return new StreamAnswer.Busy("this replica is durable up to " + durable);
              }
              return new StreamAnswer.Batches(
                  batches(machine, request.from(), request.maxBytes()), durable);
            },
            reads)
        .exceptionally(StreamService::failed);
  }

  private CompletableFuture<StreamAnswer> locate(
      StreamStateMachine machine, StreamRequest.Locate request) {
    long durable = machine.durableEnd().offset();
    if (durable < request.atLeast()) {
      return now(new StreamAnswer.Busy("this replica is durable up to " + durable));
    }
    OptionalLong found = locate(request.stream(), request.csn());
    long start = machine.state().info().start();
    if (found.isPresent() && found.getAsLong() < start) {
      // This replica has it, but others may have purged it.
      throw StreamReads.forgottenLsn(request.stream(), request.csn(), start);
    }
    return now(new StreamAnswer.Located(found));
  }

  private CompletableFuture<StreamAnswer> entry(
      StreamStateMachine machine, StreamRequest.Entry request) {
    return CompletableFuture.<StreamAnswer>supplyAsync(
            () ->
                reads(machine)
                    .entry(request.raftIndex())
                    .<StreamAnswer>map(StreamAnswer.Entry::new)
                    .orElseGet(() -> new StreamAnswer.Busy("this replica has no such entry")),
            reads)
        .exceptionally(StreamService::failed);
  }

  private static StreamAnswer answer(Submitted outcome) {
    return switch (outcome) {
      case Submitted.Applied applied -> StreamAnswers.decode(applied.answer());
      case Submitted.NotLeader notLeader -> new StreamAnswer.NotLeader(notLeader.leader());
      case Submitted.Unknown unknown -> new StreamAnswer.Unknown(String.valueOf(unknown.cause()));
      case Submitted.Busy busy -> new StreamAnswer.Busy(busy.reason());
    };
  }

  private static StreamAnswer failed(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause instanceof GaussException known && isAboutTheStream(known)
        ? refused(known.state(), known.getMessage())
        : new StreamAnswer.Unknown(String.valueOf(cause));
  }

  /**
   * True for trimmed or damaged; any other failure is one of this node, and another one may answer.
   */
  private static boolean isAboutTheStream(GaussException failure) {
    return failure.state() == SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE
        || failure.state() == SqlState.DATA_CORRUPTED;
  }

  private static StreamAnswer refused(SqlState state, String message) {
    return new StreamAnswer.Refused(state.code(), message);
  }

  private static CompletableFuture<StreamAnswer> now(StreamAnswer answer) {
    return CompletableFuture.completedFuture(answer);
  }

  private static GroupId group(StreamRequest request) {
    return GroupId.stream(request.stream());
  }

  // ---- for this node itself

  /** Streams of which this node has a replica. */
  public List<Integer> streams() {
    return machines.keySet().stream().sorted().toList();
  }

  private StreamStateMachine replica(int stream) {
    StreamStateMachine machine = machines.get(stream);
    if (machine == null) {
      throw new GaussException(
          SqlState.UNDEFINED_OBJECT, "this storage node has no replica of stream " + stream);
    }
    return machine;
  }

  private StreamReads reads(StreamStateMachine machine) {
    return new StreamReads(
        machine.stream(), machine.state(), host.log(GroupId.stream(machine.stream())));
  }

  /**
   * @throws GaussException XX001 when this replica is damaged there
   */
  private List<StreamAnswer.Batch> batches(StreamStateMachine machine, long from, int maxBytes) {
    try {
      return reads(machine).from(from, maxBytes);
    } catch (GaussException e) {
      if (e.state() == SqlState.DATA_CORRUPTED) {
        EntryIndex.Position at = machine.state().index().holding(from);
        if (at != null) { // null: forgotten meanwhile
          damaged.found(machine.stream(), from, at.raftIndex(), e);
        }
      }
      throw e;
    }
  }

  /** This replica's view of the stream: durable up to its end, which may be behind the stream's. */
  public StreamInfo local(int stream) {
    return replica(stream).state().info();
  }

  /**
   * Lowest offset that can be read here, which may be below the stream's start while this node
   * needs it.
   */
  public long localStart(int stream) {
    return replica(stream).state().index().start();
  }

  /** Who needs the stream's log, as far as entries are applied here. */
  public Subscriptions subscriptions(int stream) {
    return replica(stream).state().subscriptions();
  }

  /** What subscriptions keep of the stream's log, ascending by node. */
  public List<LogHold> holds(int stream) {
    return replica(stream).holds();
  }

  /** Number of batches at or behind an offset that this replica has; each takes memory. */
  public int batchesFrom(int stream, long offset) {
    return replica(stream).state().index().countFrom(offset);
  }

  /** Offset from which this replica has so many batches, or all that it has. */
  public long offsetOfLast(int stream, int batches) {
    return replica(stream).state().index().offsetOfLast(batches);
  }

  /**
   * The end of the log here, after its last append. That append may not be on a majority yet, and
   * may then still be replaced by another.
   */
  public long logEnd(int stream) {
    return reads(replica(stream)).logEnd(host.status(GroupId.stream(stream)).appliedIndex());
  }

  /**
   * From now on the listener receives the stream's durable end on this replica: at once, and
   * whenever it moves, on the thread that applies entries, which it must not block. One listener
   * per stream.
   */
  public void onDurable(int stream, LongConsumer listener) {
    replica(stream).durableEnd().onPublish(listener);
  }

  /** Reads the durable part of this replica; damaged batches are read from others. */
  public LogReader read(int stream, long fromOffset) {
    return reader(replica(stream), fromOffset, 0);
  }

  private BatchReader reader(StreamStateMachine machine, long fromOffset, long waitMillis) {
    long start = machine.state().index().start();
    if (fromOffset < start) {
      throw StreamReads.forgotten(machine.stream(), fromOffset, start);
    }
    return new BatchReader(
        fromOffset,
        offset -> {
          machine.durableEnd().reached(offset + 1, waitMillis).join();
          if (machine.durableEnd().isClosed()) {
            throw new GaussException(
                SqlState.ADMIN_SHUTDOWN,
                "the replica of stream " + machine.stream() + " here is closed");
          }
          return batchesOfAny(machine, offset, waitMillis > 0);
        });
  }

  /**
   * Batches of this replica or, where it is damaged, of another: bytes at an offset are the same
   * everywhere.
   *
   * @param patient whether to return no batches, after a pause, when no other replica can be
   *     reached at present; otherwise the damage is thrown
   */
  private List<StreamAnswer.Batch> batchesOfAny(
      StreamStateMachine machine, long offset, boolean patient) {
    try {
      return batches(machine, offset, READ_BYTES);
    } catch (GaussException damage) {
      if (damage.state() != SqlState.DATA_CORRUPTED) {
        throw damage;
      }
      try {
        return others.read(machine.stream(), offset, READ_BYTES);
      } catch (GaussException absent) {
        if (!patient) {
          damage.addSuppressed(absent);
          throw damage;
        }
        LOG.debug("no other replica gives offset {} now", offset, absent);
        machine.durableEnd().reached(Long.MAX_VALUE, RETRY_MILLIS).join();
        return List.of();
      }
    }
  }

  /** Follows the stream as it becomes durable on this replica, on a dedicated thread. */
  public AutoCloseable tail(int stream, long fromOffset, TailListener listener) {
    StreamStateMachine machine = replica(stream);
    BatchTail tail =
        new BatchTail(stream, reader(machine, fromOffset, TAIL_WAIT_MILLIS), listener, t -> {})
            .start();
    return () -> {
      tail.stop();
      machine.durableEnd().wakeAll(); // it need not wait for its time to be up
      tail.close();
    };
  }

  /**
   * Offset of the batch with the first record at or above the LSN, as far as known here.
   *
   * @throws GaussException 55000 when this replica has purged the record
   */
  public OptionalLong locate(int stream, long csn) {
    EntryIndex index = replica(stream).state().index();
    long forgotten = index.forgottenLsn();
    if (forgotten != Lsn.NONE && csn <= forgotten) {
      throw StreamReads.forgottenLsn(stream, csn, index.start());
    }
    EntryIndex.Position position = index.locate(csn);
    return position == null ? OptionalLong.empty() : OptionalLong.of(position.offset());
  }

  /**
   * The state from which a replica that is rebuilt from this node's pages starts; null before a
   * snapshot.
   */
  public StreamSnapshot snapshot(int stream) {
    return replica(stream).snapshot();
  }

  /** The problems that keep this node's replicas from working. */
  public List<Problem> problems() {
    List<Problem> problems = new ArrayList<>();
    machines.forEach(
        (stream, machine) -> {
          Throwable failure = machine.logFailure();
          if (failure != null) {
            problems.add(
                new Problem("the log of stream " + stream + " cannot be written", "" + failure));
          }
          Problem damage = damaged.problem(stream, machine.state().index().start());
          if (damage != null) {
            problems.add(damage);
          }
        });
    if (diskFull) {
      problems.add(new Problem("the disk of the logs is full", usableBytes.getAsLong() + " bytes"));
    }
    return problems;
  }

  /**
   * Whether the log of a member on this node has failed, and a new process may do better. After a
   * failed write a Raft log accepts nothing until it is opened again, which needs a new process;
   * what the failed one wrote is settled then ({@code UnforcedTail}). Meanwhile the group continues
   * without this member. With a full disk there has to be room again first.
   */
  public boolean mustStartAgain() {
    Stream<Throwable> ofStreams = machines.values().stream().map(StreamStateMachine::logFailure);
    Stream<Throwable> ofHost = host == null ? Stream.of() : host.logFailures().stream();
    List<Throwable> failures =
        Stream.concat(ofStreams, ofHost).filter(Objects::nonNull).distinct().toList();
    return !failures.isEmpty()
        && (failures.stream().noneMatch(StreamService::isForWantOfRoom) || hasRoom());
  }

  /** Whether there is room for logs on the disk. */
  public boolean hasRoom() {
    return usableBytes.getAsLong() >= reserveBytes;
  }

  private static boolean isForWantOfRoom(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause.getMessage() != null && cause.getMessage().contains(NO_ROOM)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Checks whether followers of streams that this node leads need entries that are damaged here,
   * see {@link #problems}. For one thread.
   */
  public void lookAtFollowers() {
    for (StreamStateMachine machine : machines.values()) {
      GroupId group = GroupId.stream(machine.stream());
      if (host != null && host.groups().contains(group) && host.leads(group)) {
        followers.look(machine, host.log(group));
      }
    }
  }

  /**
   * Repairs known damage in the logs here with entries of other storage nodes. For one thread,
   * which waits for them.
   */
  public void repairLogs() {
    for (StreamStateMachine machine : machines.values()) {
      GroupId group = GroupId.stream(machine.stream());
      if (host != null
          && host.groups().contains(group)
          && damaged.count(machine.stream(), machine.state().index().start()) > 0) {
        repair.repair(machine, host.log(group), others);
      }
    }
  }

  /**
   * Whether this node is fit to lead a group: there is room on its disk, and its log can be read or
   * is about to be repaired.
   */
  public boolean mayLead(GroupId group) {
    StreamStateMachine machine =
        group.kind() == GroupId.Kind.STREAM ? machines.get(group.number()) : null;
    return !isDiskFull()
        && (machine == null || !damaged.isStuck(machine.stream(), machine.state().index().start()));
  }

  /** Entries of the logs that were repaired since the start. */
  public long repairedEntries() {
    return repair.repaired();
  }

  /** Number of unreadable batches of this node's replicas, see {@link #problems}. */
  public int damagedBatches() {
    return machines.values().stream()
        .mapToInt(machine -> damaged.count(machine.stream(), machine.state().index().start()))
        .sum();
  }

  /** Ends waiting reads. The server is closed by its creator. */
  @Override
  public void close() {
    machines.values().forEach(machine -> machine.durableEnd().close());
    forgetting.shutdownNow();
    reads.shutdown();
  }
}
