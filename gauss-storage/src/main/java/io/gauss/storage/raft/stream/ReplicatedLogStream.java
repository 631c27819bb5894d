package io.gauss.storage.raft.stream;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.health.Problem;
import io.gauss.common.runtime.ArrivalSet;
import io.gauss.common.runtime.Environment;
import io.gauss.storage.api.LogStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A log stream on several storage nodes, from the view of a compute node.
 *
 * <p>Several appends are under way at once, in order. When one is not answered, or is answered by a
 * node that does not lead, nothing more is sent until the leader is found. Then all unanswered
 * appends are sent again in order. That is safe: a repeat of an append that is in the stream is
 * answered "appended" and writes nothing, and an append that does not begin at the end is refused.
 * An append that was believed lost and arrives late can only be the same bytes at the same offset.
 * So no answer is ever guessed, and the stream has each batch once and no gap.
 *
 * <p>Without a majority of the storage nodes an append waits until there is one, and then
 * continues: its bytes may already be durable on one of them, so it can be neither given up nor
 * answered. The caller decides how long a client waits for it; meanwhile {@link #problems} names
 * the nodes that do not answer.
 *
 * <p>Invariants, in {@link #serial}: callbacks come in the order of offsets; SENT appends follow
 * answered ones and precede WAITING ones, but for those being sent again.
 */
public final class ReplicatedLogStream implements LogStream {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicatedLogStream.class);

  private static final int READ_BYTES = 1 << 20;
  private static final long TAIL_WAIT_MILLIS = 200;

  /** Appends that are unanswered for longer are a problem; a change of leaders is over by then. */
  private static final long TROUBLE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final int stream;
  private final StreamTransport transport;
  private final ClientSettings settings;
  private final ScheduledExecutorService timer;
  private final LeaderCalls leader;
  private final Serial serial = new Serial();
  private final Set<BatchTail> tails = new ArrivalSet<>();

  // In the serial.
  private final Deque<PendingAppend> pending = new ArrayDeque<>();
  private int underWay;
  private boolean searching;
  private int sendings;

  private volatile long acknowledged;
  private volatile Throwable failure;
  private volatile boolean closed;
  private volatile long troubledSince; // nanos; 0 = the last append was answered

  private ReplicatedLogStream(
      int stream, List<Integer> nodes, StreamTransport transport, ClientSettings settings) {
    this.stream = stream;
    this.transport = transport;
    this.settings = settings;
    this.timer = Environment.scheduler("gauss-stream-" + stream);
    this.leader = new LeaderCalls(transport, nodes, settings, timer);
  }

  /**
   * Opens a stream; waits until a majority of its storage nodes answers.
   *
   * @param nodes the stream's storage nodes, with the preferred leader first
   * @throws GaussException 57P03 when no majority answers before the deadline
   */
  public static ReplicatedLogStream open(
      int stream, List<Integer> nodes, StreamTransport transport, ClientSettings settings) {
    ReplicatedLogStream opened = new ReplicatedLogStream(stream, nodes, transport, settings);
    try {
      opened.acknowledged = opened.info().end();
    } catch (GaussException e) {
      opened.close();
      throw e;
    }
    return opened;
  }

  /** From now on these are its storage nodes: replicas have been moved. */
  public void nodes(List<Integer> now) {
    leader.nodes(now);
  }

  // ---- appending

  @Override
  public void append(
      int epoch,
      long offset,
      long firstLsn,
      long lastLsn,
      ByteBuffer bytes,
      AppendCallback callback) {
    int length = bytes.remaining();
    if (length == 0 || length > settings.maxBatchBytes()) {
      throw new IllegalArgumentException(
          "a batch of " + length + " bytes; at most " + settings.maxBatchBytes());
    }
    StreamRequest.Append request =
        new StreamRequest.Append(
            stream,
            StreamEntryLayout.append(
                stream, epoch, offset, firstLsn, lastLsn, acknowledged, bytes));
    PendingAppend append = new PendingAppend(request, offset, offset + length, callback);
    serial.run(() -> take(append));
  }

  private void take(PendingAppend append) {
    if (closed) {
      append.callback.done(
          new AppendResult.Failed(new IllegalStateException("the log stream is closed")));
    } else if (failure != null) {
      append.callback.done(new AppendResult.Failed(failure));
    } else {
      pending.add(append);
      send();
    }
  }

  private void send() {
    if (searching || underWay >= settings.appendsInFlight()) {
      return;
    }
    int node = leader.leader();
    for (PendingAppend append : pending) {
      if (append.state == PendingAppend.State.WAITING) {
        append.state = PendingAppend.State.SENT;
        append.sending = ++sendings;
        append.endWhenSent = acknowledged;
        underWay++;
        int sending = append.sending;
        transport
            .call(node, append.request, settings.callTimeout())
            .exceptionally(failure -> new StreamAnswer.Unknown(String.valueOf(failure)))
            .thenAccept(answer -> serial.run(() -> answered(append, sending, node, answer)));
        if (underWay >= settings.appendsInFlight()) {
          return;
        }
      }
    }
  }

  private void answered(PendingAppend append, int sending, int node, StreamAnswer answer) {
    if (append.state != PendingAppend.State.SENT || append.sending != sending) {
      return; // an answer to an earlier sending; the later one will also be answered
    }
    underWay--;
    if (LeaderCalls.isFinal(answer)) {
      append.state = PendingAppend.State.ANSWERED;
      append.answer = answer;
      deliver();
    } else {
      append.state = PendingAppend.State.WAITING;
      search(node, answer);
    }
    send();
  }

  /** Finds the leader; until then nothing is sent. */
  private void search(int node, StreamAnswer why) {
    if (searching || failure != null) {
      return;
    }
    searching = true;
    if (troubledSince == 0) {
      troubledSince = Environment.nanoTime() | 1;
    }
    LOG.debug("stream {} looks for its leader: {}", stream, why);
    ask(leader.askAfter(node, why, new StreamRequest.Ask(stream)));
  }

  private void ask(CompletableFuture<StreamAnswer> question) {
    question.whenComplete((answer, e) -> serial.run(() -> found(e)));
  }

  private void found(Throwable notFound) {
    if (failure != null) {
      return;
    }
    if (notFound == null) {
      searching = false;
      send();
    } else if (isNoQuorum(unwrapped(notFound))) {
      ask(leader.ask(new StreamRequest.Ask(stream)));
    } else {
      fail(unwrapped(notFound));
    }
  }

  private static boolean isNoQuorum(Throwable failure) {
    return failure instanceof GaussException known && known.state() == SqlState.CANNOT_CONNECT_NOW;
  }

  /** Calls the callbacks of answered appends, from the front. */
  private void deliver() {
    while (!pending.isEmpty() && pending.peek().state == PendingAppend.State.ANSWERED) {
      PendingAppend append = pending.peek();
      if (append.answer instanceof StreamAnswer.WrongOffset wrong
          && wrong.endOffset() < append.endWhenSent) {
        fail(lost(wrong.endOffset(), append.endWhenSent));
        return;
      }
      if (append.answer instanceof StreamAnswer.WrongOffset wrong
          && wrong.endOffset() < append.offset
          && acknowledged == append.offset) {
        // It overtook the append before it, which was sent again and is in the stream now.
        append.state = PendingAppend.State.WAITING;
        send();
        return;
      }
      pending.remove();
      troubledSince = 0;
      AppendResult result = result(append.answer);
      if (result instanceof AppendResult.Appended appended) {
        acknowledged = Math.max(acknowledged, appended.endOffset());
      }
      append.callback.done(result);
    }
  }

  private GaussException lost(long end, long expected) {
    return new GaussException(
        SqlState.DATA_CORRUPTED,
        "stream "
            + stream
            + " ends at "
            + end
            + " on its storage nodes, but was durable up to "
            + expected);
  }

  private AppendResult result(StreamAnswer answer) {
    return switch (answer) {
      case StreamAnswer.Appended appended -> new AppendResult.Appended(appended.endOffset());
      case StreamAnswer.WrongOffset wrong -> new AppendResult.WrongOffset(wrong.endOffset());
      case StreamAnswer.Fenced fenced -> new AppendResult.Fenced(fenced.epoch());
      case StreamAnswer.DiskFull full -> new AppendResult.DiskFull(full.file());
      case StreamAnswer.Refused refused -> {
        GaussException cause = refusal(refused);
        fail(cause);
        yield new AppendResult.Failed(cause);
      }
      default -> throw new IllegalStateException("answer to an append: " + answer);
    };
  }

  private void fail(Throwable cause) {
    if (failure != null) {
      return;
    }
    failure = cause;
    while (!pending.isEmpty()) {
      pending.remove().callback.done(new AppendResult.Failed(cause));
    }
  }

  // ---- other queries; they wait for their answer

  @Override
  public int streamId() {
    return stream;
  }

  /** The stream after everything that was committed before this call. */
  StreamInfo info() {
    return state(new StreamRequest.Ask(stream));
  }

  @Override
  public long endOffset() {
    return info().end();
  }

  /** Highest offset known here to be durable, from acknowledgements or from opening. */
  @Override
  public long durableOffset() {
    return acknowledged;
  }

  @Override
  public long startOffset() {
    return info().start();
  }

  @Override
  public long lastLsn() {
    return info().lastLsn();
  }

  @Override
  public long seal(int epoch) {
    return state(new StreamRequest.Seal(stream, epoch)).end();
  }

  /**
   * Opens the stream for this process as the only writer of an epoch, and returns its end.
   *
   * @throws GaussException 55000 when the epoch is below the stream's, or has a writer
   */
  public long openEpoch(int epoch) {
    long token = Environment.random().nextLong(1, Long.MAX_VALUE);
    return state(new StreamRequest.Open(stream, epoch, token)).end();
  }

  @Override
  public void trim(long offset) {
    state(new StreamRequest.Trim(stream, offset));
  }

  @Override
  public OptionalLong locate(long csn) {
    StreamAnswer answer = await(leader.ask(new StreamRequest.Locate(stream, csn, acknowledged)));
    if (answer instanceof StreamAnswer.Located located) {
      return located.offset();
    }
    throw unexpected(answer);
  }

  private StreamInfo state(StreamRequest request) {
    StreamAnswer answer = await(leader.ask(request));
    if (answer instanceof StreamAnswer.State state) {
      return state.info();
    }
    throw unexpected(answer);
  }

  private GaussException unexpected(StreamAnswer answer) {
    return switch (answer) {
      case StreamAnswer.Fenced fenced ->
          new GaussException(
              SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
              "stream " + stream + " has epoch " + fenced.epoch() + " already");
      case StreamAnswer.Refused refused -> refusal(refused);
      default -> new GaussException(SqlState.INTERNAL_ERROR, "unexpected answer: " + answer);
    };
  }

  private static GaussException refusal(StreamAnswer.Refused refused) {
    SqlState state =
        Arrays.stream(SqlState.values())
            .filter(known -> known.code().equals(refused.sqlState()))
            .findFirst()
            .orElse(SqlState.INTERNAL_ERROR);
    return new GaussException(state, refused.message());
  }

  private static <T> T await(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof GaussException known) {
        // A new exception, so that the trace shows the caller.
        throw new GaussException(known.state(), known.getMessage(), known);
      }
      throw e;
    }
  }

  private static Throwable unwrapped(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  // ---- reading

  @Override
  public LogReader read(long fromOffset) {
    return reader(fromOffset, 0);
  }

  private BatchReader reader(long fromOffset, long waitMillis) {
    StreamInfo now = info();
    if (fromOffset < now.start()) {
      throw StreamReads.forgotten(stream, fromOffset, now.start());
    }
    if (fromOffset > now.end()) {
      throw new IllegalArgumentException(
          "offset " + fromOffset + " is behind the end " + now.end());
    }
    return new BatchReader(fromOffset, offset -> fetch(offset, waitMillis));
  }

  private List<StreamAnswer.Batch> fetch(long offset, long waitMillis) {
    long atLeast = Math.max(offset, acknowledged);
    StreamAnswer answer =
        await(leader.ask(new StreamRequest.Read(stream, offset, atLeast, READ_BYTES, waitMillis)));
    if (answer instanceof StreamAnswer.Batches batches) {
      return batches.batches();
    }
    throw unexpected(answer);
  }

  @Override
  public AutoCloseable tail(long fromOffset, TailListener listener) {
    BatchTail tail =
        new BatchTail(stream, reader(fromOffset, TAIL_WAIT_MILLIS), listener, tails::remove);
    tails.add(tail);
    return tail.start();
  }

  // ---- state

  @Override
  public List<Problem> problems() {
    Throwable failed = failure;
    if (failed != null) {
      return List.of(new Problem("stream " + stream + " has failed", failed.getMessage()));
    }
    long since = troubledSince;
    return since == 0 || Environment.nanoTime() - since < TROUBLE_NANOS
        ? List.of()
        : List.of(new Problem("stream " + stream + " has no quorum", leader.complaints()));
  }

  /** Stops sending. Unanswered appends fail; they may still be in the stream. */
  @Override
  public void close() {
    closed = true;
    tails.forEach(BatchTail::stop);
    leader.close();
    serial.run(() -> fail(new IllegalStateException("the log stream is closed")));
    tails.forEach(BatchTail::close);
    timer.shutdownNow();
  }
}
