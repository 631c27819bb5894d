package io.gauss.common.transport.link;

import io.gauss.common.error.SqlState;
import io.gauss.common.transport.EpochGuard;
import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.RemoteNode;
import io.gauss.common.transport.StreamCall;
import io.gauss.common.transport.StreamReceiver;
import io.gauss.common.transport.TransportException;
import io.gauss.common.transport.TransportException.Reason;
import io.gauss.common.transport.TransportSettings;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.agrona.collections.Int2ObjectHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * A {@link Peer} over a {@link Dialer}: maintains a connection, and tracks the messages under way.
 *
 * <p>Messages go from any thread into a queue, and from there, on the loop, to the connection while
 * its wire is writable. A message that waits longer than its deadline is never sent. States:
 *
 * <pre>
 * DIALING -> UP       the hello is done
 * DIALING -> PAUSED   the attempt failed
 * UP      -> DIALING  the connection broke after it had lasted for a while
 * UP      -> PAUSED   ... after a short life: a node that accepts and drops is not redialed at once
 * PAUSED  -> DIALING  after the backoff
 * any     -> CLOSED
 * </pre>
 */
final class ReconnectingPeer implements Peer {
  private static final Logger LOG = LoggerFactory.getLogger("io.gauss.common.transport");

  private enum State {
    DIALING,
    UP,
    PAUSED,
    CLOSED
  }

  private final LinkEnvironment environment;
  private final TransportSettings settings;
  private final Loop loop;
  private final Dialer dialer;
  private final NodeAddress address;
  private final int expectedNode;
  private final Consumer<ReconnectingPeer> onClosed;
  private final LoopQueue<Outbound> queue;
  private final Outstanding outstanding;

  private volatile State state = State.DIALING;
  private volatile RemoteNode remote;
  private volatile String lastFailure = "it was never connected";
  private volatile Wire wire;

  // Confined to the loop.
  private final ArrayDeque<Outbound> backlog = new ArrayDeque<>();
  private final Int2ObjectHashMap<LinkMeters.OfType> meters = new Int2ObjectHashMap<>();
  private List<CompletableFuture<RemoteNode>> waiting = new ArrayList<>();
  private volatile TransportException refusal;
  private ClientLink link;
  private final Backoff backoff;
  private int attempt;
  private boolean everUp;
  private String loggedFailure;
  private long upSinceNanos;
  private Loop.Timer timer;
  private final DeadlineTimer deadlines;

  /**
   * @param onClosed called, on the loop, when this peer was closed
   */
  ReconnectingPeer(
      LinkEnvironment environment,
      Loop loop,
      Dialer dialer,
      NodeAddress address,
      int expectedNode,
      Consumer<ReconnectingPeer> onClosed) {
    this.environment = environment;
    this.settings = environment.config().settings();
    this.loop = loop;
    this.dialer = dialer;
    this.address = address;
    this.expectedNode = expectedNode;
    this.onClosed = onClosed;
    this.outstanding = new Outstanding(settings, address);
    this.backoff = new Backoff(settings, environment::jitter);
    this.deadlines = new DeadlineTimer(loop, this::expire);
    this.queue = new LoopQueue<>(loop, backlog::addLast, this::pumpBatch, m -> drop(m, "closed"));
  }

  /** Begins to connect. */
  void start() {
    loop.execute(this::dial);
  }

  @Override
  public NodeAddress address() {
    return address;
  }

  @Override
  public RemoteNode remote() {
    return remote;
  }

  @Override
  public boolean isConnected() {
    return state == State.UP;
  }

  @Override
  public CompletableFuture<RemoteNode> connected() {
    CompletableFuture<RemoteNode> future = new CompletableFuture<>();
    try {
      loop.execute(() -> await(future));
    } catch (RejectedExecutionException e) {
      future.completeExceptionally(notConnected());
    }
    return future;
  }

  private void await(CompletableFuture<RemoteNode> future) {
    if (state == State.UP) {
      future.complete(remote);
    } else if (state == State.CLOSED) {
      future.completeExceptionally(notConnected());
    } else if (refusal != null) {
      future.completeExceptionally(refusal);
    } else {
      waiting.add(future);
    }
  }

  @Override
  public CompletableFuture<ByteBuf> call(MessageType type, ByteBuf payload, long timeoutNanos) {
    if (timeoutNanos <= 0 || timeoutNanos == NO_DEADLINE) {
      payload.release();
      throw new IllegalArgumentException("a call with a time-out of " + timeoutNanos + " ns");
    }
    long now = loop.nanoTime();
    ReplyCall call = new ReplyCall(type, payload, now, now + timeoutNanos, this::cancelled);
    TransportException refused = submit(call);
    if (refused != null) {
      call.fail(refused);
    }
    return call.future();
  }

  @Override
  public void send(MessageType type, ByteBuf payload) {
    TransportException refused = submit(new OneWayMessage(type, payload));
    if (refused != null) {
      throw refused;
    }
  }

  @Override
  public StreamCall stream(
      MessageType type,
      ByteBuf payload,
      long timeoutNanos,
      int creditBytes,
      StreamReceiver receiver) {
    if (timeoutNanos <= 0 || creditBytes <= 0) {
      payload.release();
      throw new IllegalArgumentException(
          "a stream with a time-out of %d ns and %d bytes of credit"
              .formatted(timeoutNanos, creditBytes));
    }
    boolean limited = timeoutNanos != NO_DEADLINE;
    StreamingCall call =
        new StreamingCall(
            this,
            type,
            payload,
            limited,
            limited ? loop.nanoTime() + timeoutNanos : 0,
            creditBytes,
            receiver);
    TransportException refused = submit(call);
    if (refused != null) {
      runInLoop(() -> call.fail(refused));
    }
    return call;
  }

  @Override
  public void execute(Runnable task) {
    loop.execute(task);
  }

  @Override
  public void schedule(Runnable task, long delayNanos) {
    loop.schedule(task, delayNanos);
  }

  /** Null when the message was accepted; otherwise the failure, and its payload is released. */
  private TransportException submit(Outbound message) {
    TransportException refused = admit(message);
    if (refused != null) {
      environment.meters().failed(refused.reason());
      message.releasePayload();
      return refused;
    }
    queue.offer(message);
    return null;
  }

  private TransportException admit(Outbound message) {
    if (message.bytes > settings.maxPayloadBytes()) {
      return new TransportException(
          Reason.REFUSED,
          SqlState.PROGRAM_LIMIT_EXCEEDED,
          false,
          "%s of %d bytes exceeds the limit of %d"
              .formatted(message.type, message.bytes, settings.maxPayloadBytes()));
    }
    State now = state;
    if (now == State.PAUSED || now == State.CLOSED) {
      return notConnected();
    }
    boolean oneWay = message.kind() == MessageKind.ONE_WAY;
    Wire current = wire;
    return outstanding.admit(message, oneWay && current != null ? current.pendingBytes() : 0);
  }

  private TransportException notConnected() {
    return notConnected(state == State.CLOSED ? "it was closed" : lastFailure);
  }

  /** If this side's epoch is dead, which is permanent, the SQLSTATE informs callers. */
  private TransportException notConnected(String why) {
    TransportException refused = refusal;
    boolean dead = refused != null && refused.state() == EpochGuard.DEAD;
    return new TransportException(
        Reason.DISCONNECTED,
        dead ? EpochGuard.DEAD : SqlState.CONNECTION_FAILURE,
        false,
        "no connection to %s: %s".formatted(address, why));
  }

  private void runInLoop(Runnable action) {
    if (loop.inLoop()) {
      action.run();
      return;
    }
    try {
      loop.execute(action);
    } catch (RejectedExecutionException e) {
      LOG.debug("the loop of {} has ended", address);
      action.run();
    }
  }

  // Everything below runs on the loop.

  private void dial() {
    if (state == State.CLOSED) {
      return;
    }
    state = State.DIALING;
    int thisAttempt = ++attempt;
    attemptTimer("connection", settings.connectTimeout());
    dialer.dial(
        loop,
        address,
        new Dialer.Outcome() {
          @Override
          public WireHandler opened(Wire opened) {
            return opened(thisAttempt, opened);
          }

          private WireHandler opened(int forAttempt, Wire opened) {
            ClientLink fresh =
                new ClientLink(
                    environment,
                    opened,
                    environment.connecting(opened, expectedNode),
                    ReconnectingPeer.this);
            fresh.begin();
            if (forAttempt != attempt || state != State.DIALING || link != null) {
              fresh.close("the attempt was given up");
            } else {
              link = fresh;
              if (opened.isEncrypted()) {
                timer.cancel();
                attemptTimer("hello", settings.helloTimeout(true));
              }
            }
            return fresh;
          }

          @Override
          public void failed(String reason) {
            attemptFailed(thisAttempt, reason, null);
          }
        });
  }

  private void attemptTimer(String wanted, Duration time) {
    int thisAttempt = attempt;
    timer =
        loop.schedule(
            () -> attemptFailed(thisAttempt, "no %s in %s".formatted(wanted, time), null),
            time.toNanos());
  }

  private void attemptFailed(int failedAttempt, String reason, SqlState refused) {
    if (failedAttempt != attempt || state != State.DIALING) {
      return;
    }
    attempt++;
    ClientLink abandoned = link;
    link = null;
    if (abandoned != null) {
      abandoned.close(reason);
    }
    timer.cancel();
    pause(reason, refused);
  }

  private void pause(String reason, SqlState refused) {
    lastFailure = reason;
    if (refused != null) {
      refusal = new TransportException(Reason.REFUSED, refused, false, address + ": " + reason);
    }
    if (!reason.equals(loggedFailure)) {
      // Logged once per reason: attempts continue while the other side is away.
      LOG.atLevel(environment.config().self().role() == NodeRole.TOOL ? Level.DEBUG : Level.WARN)
          .log("cannot connect to {}: {}; trying again", address, reason);
      loggedFailure = reason;
    }
    state = State.PAUSED;
    failWaiting(refused != null ? refusal : null);
    failBacklog();
    timer = loop.schedule(this::dial, backoff.nextNanos());
  }

  private void failWaiting(TransportException failure) {
    if (failure != null && !waiting.isEmpty()) {
      List<CompletableFuture<RemoteNode>> told = waiting;
      waiting = new ArrayList<>();
      told.forEach(future -> future.completeExceptionally(failure));
    }
  }

  private void failBacklog() {
    Outbound message;
    while ((message = backlog.poll()) != null) {
      drop(message, lastFailure);
    }
  }

  void linkUp(ClientLink fresh) {
    timer.cancel();
    link = fresh;
    wire = fresh.wire;
    remote = fresh.remote();
    refusal = null;
    loggedFailure = null;
    upSinceNanos = loop.nanoTime();
    state = State.UP;
    if (everUp) {
      environment.meters().reconnected();
    }
    everUp = true;
    List<CompletableFuture<RemoteNode>> told = waiting;
    waiting = new ArrayList<>();
    told.forEach(future -> future.complete(remote));
    pump();
  }

  void linkDown(ClientLink lost, String reason, SqlState refused, Outbound[] open) {
    if (lost == link) {
      link = null;
      wire = null;
      if (state == State.UP) {
        lastFailure = reason;
        attempt++;
        // A connection that lasted longer than the due pause counts as a success.
        if (loop.nanoTime() - upSinceNanos >= backoff.fullNanos()) {
          backoff.reset();
          state = State.DIALING;
          loop.execute(this::dial);
        } else {
          pause(reason, refused);
        }
      } else {
        attemptFailed(attempt, reason, refused);
      }
    }
    for (Outbound call : open) {
      fail(
          call,
          new TransportException(
              Reason.DISCONNECTED,
              true,
              "%s: the connection to %s ended: %s".formatted(call.type, address, reason)));
    }
  }

  private void pumpBatch() {
    if (link != null && state == State.UP) {
      link.batch(this::pump);
    } else {
      pump();
    }
  }

  /** Sends waiting messages, as far as the connection accepts them. */
  void pump() {
    while (!backlog.isEmpty()) {
      if (state == State.UP) {
        if (!link.writable()) {
          break;
        }
        sendNext();
      } else if (state == State.DIALING) {
        break;
      } else {
        drop(backlog.poll(), lastFailure);
      }
    }
    if (!backlog.isEmpty()) {
      backlog.forEach(deadlines::arm);
    }
  }

  private void sendNext() {
    Outbound message = backlog.poll();
    if (message.abandoned()) {
      fail(message, cancelledError(message, false));
    } else if (message.late(loop.nanoTime())) {
      fail(message, timeout(message));
    } else {
      link.start(message);
      if (message.kind() == MessageKind.ONE_WAY) {
        release(message);
      } else {
        deadlines.arm(message);
      }
    }
  }

  /**
   * Fails late messages and sets the timer again for the rest. Calls that are answered in time
   * never touch the timer, so one run handles many.
   */
  private void expire() {
    long now = loop.nanoTime();
    List<Outbound> late = new ArrayList<>();
    List<Outbound> rest = new ArrayList<>();
    Consumer<Outbound> sort = message -> (message.late(now) ? late : rest).add(message);
    backlog.forEach(sort);
    if (link != null) {
      link.forEachCall(sort);
    }
    backlog.removeIf(message -> message.late(now));
    for (Outbound message : late) {
      if (link != null && message.sent()) {
        link.cancel(message);
      }
      fail(message, timeout(message));
    }
    rest.forEach(deadlines::arm);
  }

  private TransportException timeout(Outbound message) {
    return new TransportException(
        Reason.TIMEOUT,
        message.sent(),
        "%s: no answer of %s in time%s"
            .formatted(message.type, address, message.sent() ? "" : "; it was not sent"));
  }

  private static TransportException cancelledError(Outbound message, boolean sent) {
    return new TransportException(Reason.CANCELLED, sent, message.type + " was cancelled");
  }

  /** The caller no longer waits. Any thread. */
  void cancelled(Outbound message) {
    runInLoop(
        () -> {
          boolean sent = link != null && message.sent() && link.cancel(message);
          boolean waitingStill = !sent && backlog.remove(message);
          if (sent || waitingStill) {
            fail(message, cancelledError(message, sent));
          }
        });
  }

  /** Any thread. */
  void grant(StreamingCall call, int bytes) {
    runInLoop(
        () -> {
          if (link != null) {
            link.grant(call, bytes);
          }
        });
  }

  /** The answer arrived. */
  void answered(Outbound call) {
    release(call);
    if (call instanceof ReplyCall) {
      meters(call)
          .calls()
          .record(Math.max(0, loop.nanoTime() - call.startNanos), TimeUnit.NANOSECONDS);
    }
  }

  LinkMeters.OfType meters(Outbound message) {
    LinkMeters.OfType found = meters.get(message.type.id());
    if (found == null) {
      found = environment.meters().of(message.type.id(), message.type.name());
      meters.put(message.type.id(), found);
    }
    return found;
  }

  private void drop(Outbound message, String why) {
    fail(message, notConnected(why));
  }

  private void fail(Outbound message, TransportException failure) {
    environment.meters().failed(failure.reason());
    release(message);
    message.releasePayload();
    message.fail(failure);
  }

  private void release(Outbound message) {
    if (message.finish()) {
      outstanding.release(message);
    }
  }

  @Override
  public void close() {
    runInLoop(this::closeNow);
  }

  private void closeNow() {
    if (state == State.CLOSED) {
      return;
    }
    state = State.CLOSED;
    attempt++;
    if (timer != null) {
      timer.cancel();
    }
    deadlines.cancel();
    ClientLink open = link;
    link = null;
    wire = null;
    if (open != null) {
      open.closeInOrder(environment.config().self() + " closed it");
    }
    lastFailure = "it was closed";
    failBacklog();
    failWaiting(notConnected());
    onClosed.accept(this);
  }

  @Override
  public String toString() {
    return Objects.toString(remote, "?") + " at " + address;
  }
}
