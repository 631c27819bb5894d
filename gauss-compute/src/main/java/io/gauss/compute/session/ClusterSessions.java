package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.health.EventLimit;
import io.gauss.common.id.Xid;
import io.gauss.common.runtime.Environment;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.Request;
import io.gauss.common.transport.TransportException;
import io.gauss.compute.catalog.Access;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.peer.PeerNodes;
import io.gauss.compute.session.wire.ActivityLayout;
import io.gauss.compute.session.wire.ActivityLayout.Activity;
import io.gauss.compute.session.wire.SessionMessages;
import io.gauss.compute.session.wire.Signal;
import io.gauss.compute.session.wire.SignalLayout;
import io.gauss.compute.session.wire.SignalLayout.Outcome;
import io.gauss.compute.wait.Parking;
import io.gauss.compute.wait.WaitCause;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions of all compute nodes: lists them, and cancels or ends them from any node. Requests
 * of other nodes are answered on the transport's event loop, since reading the sessions takes no
 * lock. Thread-safe.
 */
public final class ClusterSessions {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterSessions.class);

  /** If another node has not answered after this time, it is left out, or the call fails. */
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long NANOS_PER_MS = TimeUnit.MILLISECONDS.toNanos(1);

  /**
   * Requests to cancel come from clients that have not logged in: other nodes get no more of them
   * than this from one node, and the log not more lines.
   */
  private static final int CANCELS_PER_SECOND = 500;

  private static final int LOST_LINES_PER_MINUTE = 10;

  private final SessionServices services;
  private final PeerNodes peers;
  private final SessionKeys keys;
  private final ForwardedSessions forwarded;
  private final EventLimit cancels =
      new EventLimit(CANCELS_PER_SECOND, TimeUnit.SECONDS.toNanos(1));
  private final EventLimit lostLines =
      new EventLimit(LOST_LINES_PER_MINUTE, TimeUnit.MINUTES.toNanos(1));

  ClusterSessions(SessionServices services, PeerNodes peers) {
    this.services = services;
    this.peers = peers;
    this.keys = new SessionKeys(peers.self());
    this.forwarded = new ForwardedSessions(services, peers);
  }

  SessionKeys keys() {
    return keys;
  }

  /** Sessions that serve clients of other nodes' sessions. */
  ForwardedSessions forwarded() {
    return forwarded;
  }

  // ---------------------------------------------------------------- requests of other nodes

  /**
   * Lets other nodes send requests before this node has sessions: they are informed of that. Before
   * listening.
   */
  public static void expect(Handlers handlers) {
    handlers
        .later(SessionMessages.SIGNAL)
        .later(SessionMessages.ACTIVITY)
        .later(SessionMessages.FORWARD);
  }

  /** Answers requests of other nodes from now on. */
  public void register(Handlers handlers) {
    handlers.on(SessionMessages.SIGNAL, this::signalled);
    handlers.on(SessionMessages.ACTIVITY, this::asked);
    forwarded.register(handlers);
  }

  private void signalled(Request request) {
    ByteBuf question = request.payload();
    Outcome outcome = signalHere(SignalLayout.readQuestion(question));
    request.reply(
        SignalLayout.writeAnswer(peers.allocator().buffer(SignalLayout.ANSWER_BYTES), outcome));
  }

  private void asked(Request request) {
    ActivityLayout.checkQuestion(request.payload());
    Activity activity = services.activity(null);
    request.reply(ActivityLayout.write(peers.allocator().buffer(), activity));
  }

  // ---------------------------------------------------------------- signals

  private Outcome signalHere(Signal signal) {
    boolean isPassed = signal instanceof Signal.CancelPassed || signal instanceof Signal.EndPassed;
    Session session = isPassed ? forwarded.find(signal.session()) : keys.find(signal.session());
    if (session == null) {
      return Outcome.NO_SESSION;
    }
    return switch (signal) {
      case Signal.CancelByKey byKey -> {
        if (session.secret() != byKey.secret()) {
          yield Outcome.NO_SESSION;
        }
        session.cancel();
        yield Outcome.DONE;
      }
      case Signal.ByRole byRole -> {
        Outcome refusal = refusal(session, byRole.role());
        if (refusal != Outcome.DONE) {
          yield refusal;
        }
        switch (byRole) {
          case Signal.Cancel cancel -> session.cancel();
          case Signal.Terminate terminate -> session.terminate();
        }
        yield Outcome.DONE;
      }
      case Signal.CancelPassed cancel -> {
        session.moves().cancel(cancel.forward());
        yield Outcome.DONE;
      }
      case Signal.Look look -> Outcome.DONE;
      case Signal.EndPassed end ->
          forwarded.end(end.session(), end.ticket()) ? Outcome.DONE : Outcome.NO_SESSION;
    };
  }

  private Outcome refusal(Session session, int role) {
    Access access = new Access(services.catalog().current());
    int theirs = session.state().roles().authenticatedOid();
    if (access.isSuperuser(theirs) && !access.isSuperuser(role)) {
      return Outcome.IS_SUPERUSERS;
    }
    return access.hasPrivilegesOf(role, theirs) ? Outcome.DONE : Outcome.IS_ANOTHERS;
  }

  /**
   * Handles a client's request to cancel, which may be meant for a session of another node. As in
   * PostgreSQL, a request for an unknown session or with a wrong secret is ignored, and counted.
   * Never waits.
   */
  void cancelByKey(int number, int secret) {
    Signal signal = new Signal.CancelByKey(number, secret);
    int slot = SessionKeys.slotOf(number);
    if (keys.isOwn(number)) {
      cancelled(signalHere(signal));
    } else if (isSlot(slot)
        && peers.has(slot)
        && cancels.arrives(Environment.nanoTime()) != EventLimit.TOO_MANY) {
      call(slot, signal)
          .whenComplete(
              (outcome, failure) -> {
                if (failure != null) {
                  cancelLost(number, failure);
                } else {
                  cancelled(outcome);
                }
              });
    } else {
      services.metrics().cancelIgnored();
    }
  }

  private void cancelled(Outcome outcome) {
    if (outcome != Outcome.DONE) {
      services.metrics().cancelIgnored();
    }
  }

  private void cancelLost(int number, Throwable failure) {
    services.metrics().cancelIgnored();
    long leftOut = lostLines.arrives(Environment.nanoTime());
    if (leftOut != EventLimit.TOO_MANY) {
      LOG.warn(
          "a request to cancel session {} is lost: {}{}",
          number,
          failure.toString(),
          leftOut == 0 ? "" : "; so were " + leftOut + " others before it");
    }
  }

  /** Cancels a session's statement that runs on another node, for the session's client. */
  void cancelForwarded(int slot, int number, int forward) {
    call(slot, new Signal.CancelPassed(number, forward))
        .whenComplete(
            (outcome, failure) -> {
              if (failure != null) {
                LOG.warn(
                    "a request to cancel session {} in slot {} is lost: {}",
                    number,
                    slot,
                    failure.toString());
              }
            });
  }

  /**
   * Ends a session that serves this node's client on another node.
   *
   * @return whether it is not there any more
   */
  CompletableFuture<Boolean> endForwarded(int slot, int number, int ticket) {
    return call(slot, new Signal.EndPassed(number, ticket))
        .thenApply(outcome -> outcome == Outcome.NO_SESSION);
  }

  private static boolean isSlot(int slot) {
    return slot >= 1 && slot <= Xid.MAX_SLOT;
  }

  /**
   * Cancels a session's statement.
   *
   * @param role of the requester
   * @return false when there is no such session
   * @throws GaussException 42501 when the role may not, 57P03 when the session's node does not
   *     answer
   */
  boolean cancel(EngineContext ctx, int number, int role) {
    return signal(ctx, new Signal.Cancel(number, role));
  }

  /**
   * Ends a session; otherwise as {@link #cancel}.
   *
   * @param waitMillis maximum wait for its end; 0 = no wait
   * @return false also when it has not ended by then
   */
  boolean terminate(EngineContext ctx, int number, int role, long waitMillis) {
    boolean isThere = signal(ctx, new Signal.Terminate(number, role));
    if (!isThere || waitMillis == 0) {
      return isThere;
    }
    long start = Environment.nanoTime();
    while (signal(ctx, new Signal.Look(number))) {
      long left = waitMillis - (Environment.nanoTime() - start) / NANOS_PER_MS;
      if (left <= 0) {
        return false;
      }
      Parking.await(ctx, WaitCause.NODE, Math.min(LOOK_NANOS, left * NANOS_PER_MS), () -> false);
    }
    return true;
  }

  private boolean signal(EngineContext ctx, Signal signal) {
    ctx.waits().beforeWait();
    int number = signal.session();
    Outcome outcome;
    if (keys.isOwn(number)) {
      outcome = signalHere(signal);
    } else if (isSlot(SessionKeys.slotOf(number)) && peers.has(SessionKeys.slotOf(number))) {
      CompletableFuture<Outcome> answer = call(SessionKeys.slotOf(number), signal);
      await(ctx, answer);
      if (answer.isCompletedExceptionally()) {
        throw new GaussException(
            SqlState.CANNOT_CONNECT_NOW,
            "the compute node of session %d does not answer".formatted(number),
            answer.exceptionNow());
      }
      outcome = answer.join();
    } else {
      outcome = Outcome.NO_SESSION;
    }
    return switch (outcome) {
      case DONE -> true;
      case NO_SESSION -> false;
      case IS_SUPERUSERS, IS_ANOTHERS -> throw refused(signal, outcome);
    };
  }

  private static GaussException refused(Signal signal, Outcome outcome) {
    boolean isCancel = signal instanceof Signal.Cancel;
    String message;
    if (outcome == Outcome.IS_SUPERUSERS) {
      message =
          isCancel
              ? "must be a superuser to cancel superuser query"
              : "must be a superuser to terminate superuser process";
    } else {
      message =
          "must be a member of the role whose "
              + (isCancel ? "query is being canceled" : "process is being terminated");
    }
    return new GaussException(SqlState.INSUFFICIENT_PRIVILEGE, message);
  }

  private CompletableFuture<Outcome> call(int slot, Signal signal) {
    ByteBuf question =
        SignalLayout.writeQuestion(peers.allocator().buffer(SignalLayout.QUESTION_BYTES), signal);
    return peers
        .call(slot, SessionMessages.SIGNAL, question, PATIENCE_NANOS)
        .thenApply(
            answer -> {
              try {
                return SignalLayout.readAnswer(answer);
              } finally {
                answer.release();
              }
            });
  }

  // ---------------------------------------------------------------- activity

  /**
   * The activity of other nodes' sessions, by slot; empty for nodes that have not answered in time.
   *
   * @throws io.gauss.compute.wait.WouldBlockException where waiting is not allowed
   */
  Map<Integer, List<Activity>> others(EngineContext ctx) {
    Map<Integer, CompletableFuture<Activity>> answers = new TreeMap<>();
    for (int slot = 1; slot <= Xid.MAX_SLOT; slot++) {
      if (slot != peers.self() && peers.has(slot)) {
        answers.put(slot, ask(slot));
      }
    }
    Map<Integer, List<Activity>> found = new TreeMap<>();
    if (!answers.isEmpty()) {
      ctx.waits().beforeWait();
      await(ctx, CompletableFuture.allOf(answers.values().toArray(CompletableFuture[]::new)));
    }
    answers.forEach(
        (slot, answer) ->
            found.put(
                slot, answer.isCompletedExceptionally() ? List.of() : List.of(answer.join())));
    return found;
  }

  private CompletableFuture<Activity> ask(int slot) {
    ByteBuf question =
        ActivityLayout.writeQuestion(peers.allocator().buffer(ActivityLayout.QUESTION_BYTES));
    return peers
        .call(slot, SessionMessages.ACTIVITY, question, PATIENCE_NANOS)
        .thenApply(
            answer -> {
              try {
                return ActivityLayout.read(answer);
              } finally {
                answer.release();
              }
            })
        .whenComplete(
            (activity, failure) -> {
              if (failure != null && !(cause(failure) instanceof TransportException)) {
                LOG.error("the sessions of slot {} cannot be read", slot, failure);
              }
            });
  }

  private static Throwable cause(Throwable failure) {
    return failure.getCause() == null ? failure : failure.getCause();
  }

  /** Waits until it is done, successfully or not; an interrupt of the session ends the wait. */
  private void await(EngineContext ctx, CompletableFuture<?> future) {
    long start = Environment.nanoTime();
    try {
      Parking.awaitDone(ctx, WaitCause.NODE, future);
    } finally {
      ctx.waits().waited(WaitCause.NODE, Environment.nanoTime() - start);
    }
  }
}
