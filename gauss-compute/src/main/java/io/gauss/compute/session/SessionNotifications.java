package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Xid;
import io.gauss.compute.expr.NotifyAccess;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.notify.Listener;
import io.gauss.compute.notify.Notification;
import io.gauss.compute.notify.Notifications;
import io.gauss.compute.notify.Publication;
import io.gauss.compute.session.message.ResponseWriter;
import io.gauss.compute.wait.Parking;
import io.gauss.compute.wait.WaitCause;
import io.netty.buffer.ByteBufUtil;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * LISTEN, UNLISTEN and NOTIFY of a session. They take effect when the transaction commits: {@link
 * #beforeCommit} brings its notifications to all who listen, and {@link #committed} or {@link
 * #ended} says what became of it. Belongs to the session, except {@link #hasSome}.
 */
final class SessionNotifications implements NotifyAccess {
  private static final int HALF_FULL = 50; // percent

  private final SessionServices services;
  private final SessionState state;
  private final Notifications node;

  /** LISTEN and UNLISTEN of the transaction. */
  private final List<Action> actions = new ArrayList<>(0);

  /** NOTIFY of the transaction, each once, in the order in which they were first told. */
  private final List<Notification> told = new ArrayList<>(0);

  private final Set<Notification> distinct = new HashSet<>(0);
  private long toldBytes;

  /** The channels to which the session listens. */
  private Set<String> listening = new LinkedHashSet<>(0);

  /** Null while the session has never listened. */
  private volatile Listener listener;

  // A commit that has begun.
  private Set<String> nextListening;
  private List<String> added = List.of();
  private Publication publication;

  /**
   * @param channel null = all
   */
  private record Action(boolean begins, String channel) {}

  /** Where a savepoint stands in the transaction's statements. */
  record Position(int actions, int told) {}

  SessionNotifications(SessionServices services, SessionState state) {
    this.services = services;
    this.state = state;
    this.node = services.notifications();
  }

  // ---------------------------------------------------------------- statements

  void listen(String channel) {
    actions.add(new Action(true, channel));
  }

  /**
   * @param channel null = all
   */
  void unlisten(String channel) {
    actions.add(new Action(false, channel));
  }

  @Override
  public void tell(String channel, String payload) {
    if (channel.isEmpty()) {
      throw invalid("channel name cannot be empty");
    }
    if (ByteBufUtil.utf8Bytes(channel) > Notification.MOST_CHANNEL_BYTES) {
      throw invalid("channel name too long");
    }
    if (ByteBufUtil.utf8Bytes(payload) > Notification.MOST_PAYLOAD_BYTES) {
      throw invalid("payload string too long");
    }
    state.context().waits().beforeWait();
    Notification notification = new Notification(state.processId(), channel, payload);
    if (!distinct.contains(notification)) {
      state.memory().resize(toldBytes, toldBytes + notification.bytes());
      toldBytes += notification.bytes();
      distinct.add(notification);
      told.add(notification);
    }
  }

  private static GaussException invalid(String message) {
    return new GaussException(SqlState.INVALID_PARAMETER_VALUE, message);
  }

  @Override
  public List<String> listening() {
    return List.copyOf(listening);
  }

  @Override
  public double queueUsage() {
    Notifications.State here = node.state();
    double[] most = {(double) here.queueBytes() / here.mostBytes()};
    services
        .cluster()
        .others(state.context())
        .values()
        .forEach(
            answer ->
                answer.forEach(
                    activity -> {
                      double usage =
                          (double) activity.notifications().queueBytes()
                              / activity.notifications().mostBytes();
                      most[0] = Math.max(most[0], usage);
                    }));
    return most[0];
  }

  /** Whether the session listens, or has statements about that in its transaction. */
  boolean mayListen() {
    return !listening.isEmpty() || !actions.isEmpty();
  }

  // ---------------------------------------------------------------- transactions

  Position position() {
    return new Position(actions.size(), told.size());
  }

  /** Forgets what came after the position. */
  void rollbackTo(Position position) {
    while (actions.size() > position.actions()) {
      actions.removeLast();
    }
    long before = toldBytes;
    while (told.size() > position.told()) {
      Notification last = told.removeLast();
      distinct.remove(last);
      toldBytes -= last.bytes();
    }
    state.memory().resize(before, toldBytes);
  }

  /** Whether {@link #beforeCommit} has something to do, for which it may have to wait. */
  boolean isPending() {
    return !actions.isEmpty() || !told.isEmpty();
  }

  /**
   * The last step before the commit, where waiting is allowed.
   *
   * @throws GaussException 54000 when the queue of a node that listens is full; as other waits
   */
  void beforeCommit() {
    if (!actions.isEmpty()) {
      beginListening();
    }
    if (!told.isEmpty()) {
      publish();
    }
  }

  private void beginListening() {
    Set<String> next = new LinkedHashSet<>(listening);
    for (Action action : actions) {
      if (action.begins()) {
        next.add(action.channel());
      } else if (action.channel() == null) {
        next.clear();
      } else {
        next.remove(action.channel());
      }
    }
    nextListening = next;
    List<String> missing = next.stream().filter(name -> !listening.contains(name)).toList();
    if (missing.isEmpty()) {
      return;
    }
    if (listener == null) {
      listener = new Listener(state::processId, state::notified);
    }
    added = missing;
    await(node.listen(listener, missing));
    node.listens(listener, missing);
  }

  private void publish() {
    await(node.whenOthersAreKnown());
    Publication begun = null;
    while (begun == null) {
      if (state.transaction().xid() == Xid.NONE && node.isHeardElsewhere(told)) {
        state.transaction().ensureXid(); // by which the outcome is found if this node dies
      }
      begun = node.publish(state.transaction().xid(), state.processId(), List.copyOf(told));
    }
    publication = begun;
    await(begun.ready());
    if (begun.percent() >= HALF_FULL && node.mayWarn()) {
      warn(begun);
    }
  }

  private void await(CompletableFuture<Void> future) {
    EngineContext context = state.context();
    context.waits().beforeWait();
    boolean hasWaited = false;
    try {
      Parking.awaitDone(context, WaitCause.NODE, future);
      hasWaited = true;
    } finally {
      if (!hasWaited) {
        future.cancel(false); // nothing is kept for it
      }
    }
    try {
      future.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof GaussException known ? known : e;
    }
  }

  private void warn(Publication full) {
    GaussException warning =
        new GaussException(SqlState.WARNING, "NOTIFY queue is %d%% full".formatted(full.percent()));
    state.warn(
        full.slowest() == 0
            ? warning
            : warning
                .detail(
                    "The server process with PID %d is among those with the oldest transactions."
                        .formatted(full.slowest()))
                .hint(
                    "The NOTIFY queue cannot be emptied until that process ends its current"
                        + " transaction."));
  }

  /**
   * The transaction has committed.
   *
   * @param lsn that has to be visible before others may know
   */
  void committed(long lsn) {
    if (publication != null) {
      node.reserved(publication, lsn);
      publication = null;
    }
    if (nextListening != null) {
      List<String> gone = listening.stream().filter(name -> !nextListening.contains(name)).toList();
      listening = nextListening;
      added = List.of();
      if (!gone.isEmpty()) {
        node.unlisten(listener, gone);
      }
    }
  }

  /**
   * What {@link #beforeCommit} has begun does not come to a commit. To be called before anything of
   * the transaction is undone, which may take long: other transactions wait for this one until
   * then.
   */
  void commitFailed() {
    if (publication != null) {
      node.abandon(publication);
      publication = null;
    }
    if (!added.isEmpty()) {
      node.unlisten(listener, added);
      added = List.of();
    }
    nextListening = null;
  }

  /** The transaction is over; what {@link #committed} has not made final is undone. */
  void ended() {
    commitFailed();
    if (isPending()) {
      rollbackTo(new Position(0, 0));
    }
  }

  /** The session ends. */
  void close() {
    ended();
    if (listener != null) {
      node.close(listener);
    }
  }

  // ---------------------------------------------------------------- to the client

  /** Whether notifications wait for the session. Any thread. */
  boolean hasSome() {
    Listener its = listener;
    return its != null && its.hasSome();
  }

  /**
   * Writes what waits for the session, or a part of it.
   *
   * @param mostBytes of memory that it takes there, roughly
   */
  void write(ResponseWriter out, long mostBytes) {
    if (listener == null) {
      return;
    }
    node.look();
    if (hasSome()) {
      for (Notification notification : node.take(listener, mostBytes)) {
        if (listening.contains(notification.channel())) {
          out.notification(notification.pid(), notification.channel(), notification.payload());
        }
      }
    }
  }
}
