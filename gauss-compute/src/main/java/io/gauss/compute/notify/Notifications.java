package io.gauss.compute.notify;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.health.EventLimit;
import io.gauss.common.id.Xid;
import io.gauss.common.runtime.Environment;
import io.gauss.common.task.Later;
import io.gauss.compute.notify.wire.NotifyLayout;
import io.gauss.compute.notify.wire.NotifyLayout.Item;
import io.gauss.compute.notify.wire.NotifyMessage;
import io.gauss.compute.peer.PeerListener;
import io.gauss.compute.peer.PeerNodes;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifications between the sessions of all compute nodes; docs/protocols/notify.md has the
 * protocol and why it is right.
 *
 * <p>A transaction's notifications are in the queues of all nodes that listen before it reserves
 * its CSN ({@link #publish}, {@link #reserved}), and are told when it is visible, or not at all. A
 * node that listens and loses the transaction's node asks for the outcome. A session that begins to
 * listen does so when all nodes know it, and no transaction that had looked before is still to
 * commit ({@link #listen}).
 *
 * <p>Thread-safe: everything is under one lock, under which nothing waits. Messages are sent under
 * it, so that they leave in the order of what they tell.
 */
public final class Notifications implements PeerListener {
  private static final Logger LOG = LoggerFactory.getLogger(Notifications.class);

  private static final int MOST_ITEMS = 256; // of a message
  private static final int PART_BYTES = 64 << 10;
  private static final long PAUSE_MILLIS = 20;
  private static final long WARN_SECONDS = 5; // as in PostgreSQL

  /** Bit of this node among receivers; slots begin with 1. */
  private static final long SELF = 1;

  private final PeerNodes peers;
  private final LongSupplier clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Channels channels = new Channels();
  private final ArrivalQueue queue;
  private final long most;
  private final Map<Integer, OtherNode> others = new TreeMap<>();

  /** Transactions that are about to commit, by ticket, which is the order in which they do. */
  private final Map<Long, Publication> underWay = new LinkedHashMap<>();

  /** Those that have reserved their CSN and are not visible yet. */
  private final Map<Long, Publication> reserved = new LinkedHashMap<>();

  private final List<Barrier> barriers = new ArrayList<>();
  private final List<Round> rounds = new ArrayList<>();
  private final List<CompletableFuture<Void>> awaitingOthers = new ArrayList<>();
  private final List<Arrival> orphans = new ArrayList<>();
  private final EventLimit warnings = new EventLimit(1, TimeUnit.SECONDS.toNanos(WARN_SECONDS));
  private long lastTicket;
  private long lastNumber;
  private boolean isAsking;
  private volatile boolean isStopped;
  private long sent;
  private long refused;
  private volatile Log log;
  private volatile Outcomes outcomes;

  /** This node's commits. */
  public interface Log {
    /**
     * Calls back when a commit may be told to clients, or with an error; see {@code
     * LogBuffer.whenVisible}.
     */
    void whenVisible(long lsn, Consumer<GaussException> done);

    /** Commits up to here may be told. */
    long visibleLsn();
  }

  /** Outcomes of transactions of nodes that are gone. */
  public interface Outcomes {
    /**
     * Waits for an answer.
     *
     * @return null when the transaction has not ended yet
     * @throws GaussException when no node answers
     */
    Boolean isCommitted(long xid);
  }

  /** Something is done when no transaction up to this ticket is under way any more. */
  private record Barrier(long through, Runnable action) {}

  /** A wait until other nodes, by bits of their slots, have heard a change. */
  private static final class Round {
    private final long number;
    private long missing;
    private boolean isPastBarrier;
    private final CompletableFuture<Void> done = new CompletableFuture<>();

    private Round(long number) {
      this.number = number;
    }
  }

  /** State for views. */
  public record State(
      int sessions,
      int channels,
      long queueBytes,
      long mostBytes,
      int undecided,
      long sent,
      long delivered,
      long refused) {}

  /**
   * @param clock this node's
   * @param most bytes of the queue
   */
  public Notifications(PeerNodes peers, LongSupplier clock, long most) {
    this.peers = peers;
    this.clock = clock;
    this.most = most;
    this.queue = new ArrivalQueue(channels, most);
  }

  /**
   * Transactions begin: asks the other nodes to what they listen. Before this node serves clients;
   * what others send, and whom the cluster loses, has come here since before.
   */
  public void begin(Log itsLog, Outcomes itsOutcomes) {
    log = itsLog;
    outcomes = itsOutcomes;
    lock.lock();
    try {
      for (int slot = 1; slot <= Xid.MAX_SLOT; slot++) {
        if (isLive(slot)) {
          other(slot).isAwaited = true;
          send(slot, new NotifyMessage.Ask());
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean isLive(int slot) {
    return slot != peers.self() && peers.has(slot);
  }

  private OtherNode other(int slot) {
    return others.computeIfAbsent(slot, OtherNode::new);
  }

  private void send(int slot, NotifyMessage message) {
    peers.send(slot, NotifyLayout.NOTIFY, NotifyLayout.write(peers.allocator().buffer(), message));
  }

  private static long bit(int slot) {
    return 1L << slot;
  }

  // ---------------------------------------------------------------- NOTIFY

  /** Completes when it is known of all other nodes to which channels they listen. */
  public CompletableFuture<Void> whenOthersAreKnown() {
    lock.lock();
    try {
      CompletableFuture<Void> known = new CompletableFuture<>();
      awaitingOthers.add(known);
      checkOthers();
      return known;
    } finally {
      lock.unlock();
    }
  }

  private void checkOthers() {
    if (others.values().stream().noneMatch(other -> other.isAwaited)) {
      awaitingOthers.forEach(known -> known.complete(null));
      awaitingOthers.clear();
    }
  }

  /** Whether other nodes listen to any of the channels: the transaction needs an xid then. */
  public boolean isHeardElsewhere(List<Notification> notifications) {
    lock.lock();
    try {
      return (receivers(notifications) & ~SELF) != 0;
    } finally {
      lock.unlock();
    }
  }

  private long receivers(List<Notification> notifications) {
    long receivers = isHeard(channels.classes(), notifications) ? SELF : 0;
    for (OtherNode other : others.values()) {
      if (isHeard(other.classes, notifications)) {
        receivers |= bit(other.slot);
      }
    }
    return receivers;
  }

  private static boolean isHeard(long[] classes, List<Notification> notifications) {
    for (Notification notification : notifications) {
      if (Channels.has(classes, notification.channel())) {
        return true;
      }
    }
    return false;
  }

  private static List<Notification> heard(long[] classes, List<Notification> notifications) {
    return notifications.stream()
        .filter(notification -> Channels.has(classes, notification.channel()))
        .toList();
  }

  /**
   * Begins to bring a transaction's notifications to all who listen. The transaction must not
   * reserve its CSN before {@link Publication#ready} has completed. It ends with {@link #reserved}
   * or {@link #abandon}.
   *
   * @param xid of the transaction; {@code Xid.NONE} when it has none
   * @return null when it needs an xid: other nodes listen
   */
  public Publication publish(long xid, int pid, List<Notification> notifications) {
    lock.lock();
    try {
      long receivers = receivers(notifications);
      if ((receivers & ~SELF) != 0 && xid == Xid.NONE) {
        return null;
      }
      Publication publication = new Publication(++lastTicket, xid, pid, receivers);
      underWay.put(publication.ticket, publication);
      if ((receivers & SELF) != 0) {
        Arrival local = queue.begin(keyOf(publication), xid);
        if (!queue.add(local, heard(channels.classes(), notifications))) {
          refuse(publication, 100, queue.slowest());
          return publication;
        }
        publication.local = local;
        note(publication, queue.percent(), queue.percent() < 50 ? 0 : queue.slowest());
      }
      publication.waiting = receivers & ~SELF;
      for (OtherNode other : others.values()) {
        if ((receivers & bit(other.slot)) != 0) {
          other.unsent.add(new Publication.Part(publication, heard(other.classes, notifications)));
          sendParts(other);
        }
      }
      checkUnderWay();
      return publication;
    } finally {
      lock.unlock();
    }
  }

  private Arrival.Key keyOf(Publication publication) {
    return new Arrival.Key(peers.self(), 0, publication.ticket);
  }

  private static void note(Publication publication, int percent, int slowest) {
    if (percent > publication.percent) {
      publication.percent = percent;
      publication.slowest = slowest;
    }
  }

  private void refuse(Publication publication, int percent, int slowest) {
    note(publication, percent, slowest);
    if (!publication.ready().isDone()) {
      refused++;
      publication
          .ready()
          .completeExceptionally(
              new GaussException(
                  SqlState.PROGRAM_LIMIT_EXCEEDED, "too many notifications in the NOTIFY queue"));
    }
  }

  private void sendParts(OtherNode to) {
    while (to.unanswered < OtherNode.MOST_UNANSWERED && !to.unsent.isEmpty()) {
      Publication.Part part = to.unsent.peek();
      boolean isFirst = part.next == 0;
      List<Item> items = new ArrayList<>();
      int characters = 0;
      while (part.next < part.notifications.size()
          && items.size() < MOST_ITEMS
          && characters < PART_BYTES) {
        Notification next = part.notifications.get(part.next++);
        items.add(new Item(next.channel(), next.payload()));
        characters += next.payload().length();
      }
      boolean isLast = part.next == part.notifications.size();
      if (isLast) {
        to.unsent.remove();
      }
      ByteBuf message =
          NotifyLayout.write(
              peers.allocator().buffer(),
              new NotifyMessage.Tell(
                  part.of.ticket, part.of.xid, part.of.pid, isFirst, isLast, items));
      to.unanswered += message.readableBytes();
      peers.send(to.slot, NotifyLayout.NOTIFY, message);
    }
  }

  /**
   * Transactions may commit when all have taken them, and those before them that somebody gets as
   * well have reserved their CSNs: so who gets both gets them in the order of their commits.
   */
  private void checkUnderWay() {
    long before = 0;
    for (Publication publication : underWay.values()) {
      if (publication.waiting == 0 && (before & publication.receivers) == 0) {
        publication.ready().complete(null);
      }
      before |= publication.receivers;
    }
  }

  /**
   * The transaction has committed.
   *
   * @param lsn that has to be visible before others are told; 0 when nothing has to be waited for
   */
  public void reserved(Publication publication, long lsn) {
    lock.lock();
    try {
      publication.lsn = lsn;
      publication.csn = publication.xid == Xid.NONE ? Arrival.NO_CSN : lsn;
      sent++;
      if (publication.local != null) {
        publication.local.csn = publication.csn;
        publication.local.lsn = lsn;
        publication.local.state = Arrival.State.RESERVED;
      }
      if (publication.receivers != 0) {
        reserved.put(publication.ticket, publication);
      }
      leave(publication);
    } finally {
      lock.unlock();
    }
    if (publication.receivers != 0) {
      whenVisible(publication);
    }
  }

  /** No latch and not the lock may be held: it may call back at once. */
  private void whenVisible(Publication publication) {
    log.whenVisible(
        publication.lsn,
        error -> {
          if (error == null) {
            visible(publication);
          } else {
            publication.isLogBroken = true; // it is not known whether it is committed
          }
        });
  }

  private void visible(Publication publication) {
    lock.lock();
    try {
      reserved.remove(publication.ticket);
      tell(publication, publication.csn);
      if (publication.local != null) {
        queue.decide(publication.local, Arrival.State.COMMITTED, publication.csn);
      }
      queue.advance(log.visibleLsn());
    } finally {
      lock.unlock();
    }
  }

  private void tell(Publication publication, long csn) {
    for (OtherNode other : others.values()) {
      if ((publication.receivers & bit(other.slot)) != 0) {
        send(other.slot, new NotifyMessage.Decided(publication.ticket, csn));
      }
    }
  }

  /** The transaction will not commit. */
  public void abandon(Publication publication) {
    lock.lock();
    try {
      for (OtherNode other : others.values()) {
        other.unsent.removeIf(part -> part.of == publication);
      }
      tell(publication, 0);
      if (publication.local != null) {
        queue.decide(publication.local, Arrival.State.ABORTED, 0);
        queue.advance(log.visibleLsn());
      }
      leave(publication);
    } finally {
      lock.unlock();
    }
  }

  /** It is not about to commit any more, but has, or never will. */
  private void leave(Publication publication) {
    underWay.remove(publication.ticket);
    checkUnderWay();
    checkBarriers();
  }

  private void checkBarriers() {
    if (barriers.isEmpty()) {
      return;
    }
    long oldest = underWay.isEmpty() ? Long.MAX_VALUE : underWay.keySet().iterator().next();
    for (Iterator<Barrier> each = barriers.iterator(); each.hasNext(); ) {
      Barrier barrier = each.next();
      if (oldest > barrier.through()) {
        each.remove();
        barrier.action().run();
      }
    }
  }

  private void afterThoseUnderWay(Runnable action) {
    barriers.add(new Barrier(lastTicket, action));
    checkBarriers();
  }

  /** Asks the log again about those of which it has reported an error. Called now and then. */
  public void turn() {
    List<Publication> again = new ArrayList<>();
    lock.lock();
    try {
      for (Publication publication : reserved.values()) {
        if (publication.isLogBroken) {
          publication.isLogBroken = false;
          again.add(publication);
        }
      }
    } finally {
      lock.unlock();
    }
    again.forEach(this::whenVisible);
  }

  /** Whether a session may warn its client of a queue that is filling: not all too often. */
  public boolean mayWarn() {
    return warnings.arrives(Environment.nanoTime()) != EventLimit.TOO_MANY;
  }

  // ---------------------------------------------------------------- LISTEN

  /**
   * A session begins to listen. When this completes, all nodes know it; then {@link #listens} says
   * from when on it gets what.
   *
   * @param added channels to which it does not listen yet
   */
  public CompletableFuture<Void> listen(Listener listener, List<String> added) {
    lock.lock();
    try {
      boolean isChanged = false;
      for (String channel : added) {
        listener.channels().put(channel, Listener.NOT_YET);
        isChanged |= channels.add(channel, listener);
      }
      if (isChanged) {
        lastNumber++;
      }
      Round round = new Round(lastNumber);
      rounds.add(round);
      for (int slot = 1; slot <= Xid.MAX_SLOT; slot++) {
        if (isLive(slot) && other(slot).heard < lastNumber) {
          round.missing |= bit(slot);
          send(slot, new NotifyMessage.Listens(lastNumber, channels.classes()));
        }
      }
      afterThoseUnderWay(
          () -> {
            round.isPastBarrier = true;
            checkRounds();
          });
      return round.done;
    } finally {
      lock.unlock();
    }
  }

  private void checkRounds() {
    for (Iterator<Round> each = rounds.iterator(); each.hasNext(); ) {
      Round round = each.next();
      if (round.missing == 0 && round.isPastBarrier) {
        each.remove();
        round.done.complete(null);
      }
    }
  }

  /** All nodes know that a session listens: it gets the transactions with CSNs from now on. */
  public void listens(Listener listener, List<String> added) {
    lock.lock();
    try {
      long since = clock.getAsLong();
      added.forEach(channel -> listener.channels().replace(channel, Listener.NOT_YET, since));
    } finally {
      lock.unlock();
    }
  }

  /** A session listens no more. Waits for nobody. */
  public void unlisten(Listener listener, List<String> removed) {
    lock.lock();
    try {
      boolean isChanged = false;
      for (String channel : removed) {
        if (listener.channels().remove(channel) != null) {
          isChanged |= channels.remove(channel, listener);
        }
      }
      if (isChanged) {
        lastNumber++;
        for (OtherNode other : others.values()) {
          send(other.slot, new NotifyMessage.Listens(lastNumber, channels.classes()));
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** The session ends. */
  public void close(Listener listener) {
    lock.lock();
    try {
      unlisten(listener, List.copyOf(listener.channels().keySet()));
      while (queue.take(listener) != null) {
        // Nobody gets it.
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * What waits for a session, in order.
   *
   * @param mostBytes of it, or one
   */
  public List<Notification> take(Listener listener, long mostBytes) {
    List<Notification> taken = new ArrayList<>();
    lock.lock();
    try {
      long bytes = 0;
      while (bytes < mostBytes) {
        Notification next = queue.take(listener);
        if (next == null) {
          break;
        }
        taken.add(next);
        bytes += next.bytes();
      }
    } finally {
      lock.unlock();
    }
    return taken;
  }

  /** Hands on what the log has made visible, without waiting for the log to say so. */
  public void look() {
    lock.lock();
    try {
      queue.advance(log.visibleLsn());
    } finally {
      lock.unlock();
    }
  }

  // ---------------------------------------------------------------- messages

  /** A message of another node; see {@code PeerReceiver}. */
  public void receive(int from, int epoch, ByteBuf payload) {
    int bytes = payload.readableBytes();
    NotifyMessage message = NotifyLayout.read(payload);
    lock.lock();
    try {
      if (!peers.has(from, epoch)) {
        return; // of a life that is over, which has been dealt with
      }
      switch (message) {
        case NotifyMessage.Ask ask ->
            send(from, new NotifyMessage.Listens(lastNumber, channels.classes()));
        case NotifyMessage.Listens listens -> {
          OtherNode other = other(from);
          other.classes = listens.classes();
          other.isAwaited = false;
          checkOthers();
          // To the life that waits for it: the next one begins with the same numbers.
          afterThoseUnderWay(() -> heard(from, epoch, listens.number()));
        }
        case NotifyMessage.Heard heard -> {
          other(from).heard = heard.number();
          for (Round round : rounds) {
            if (heard.number() >= round.number) {
              round.missing &= ~bit(from);
            }
          }
          checkRounds();
        }
        case NotifyMessage.Tell tell -> told(from, epoch, tell, bytes);
        case NotifyMessage.Taken taken -> taken(from, taken);
        case NotifyMessage.Decided decided -> {
          Arrival arrival = queue.find(new Arrival.Key(from, epoch, decided.ticket()));
          if (arrival != null) {
            queue.decide(
                arrival,
                decided.csn() == 0 ? Arrival.State.ABORTED : Arrival.State.COMMITTED,
                decided.csn());
            queue.advance(visibleLsn());
          }
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private void heard(int slot, int epoch, long number) {
    peers.send(
        slot,
        epoch,
        NotifyLayout.NOTIFY,
        NotifyLayout.write(peers.allocator().buffer(), new NotifyMessage.Heard(number)));
  }

  private long visibleLsn() {
    Log its = log;
    return its == null ? 0 : its.visibleLsn();
  }

  private void told(int from, int epoch, NotifyMessage.Tell tell, int bytes) {
    Arrival.Key key = new Arrival.Key(from, epoch, tell.ticket());
    Arrival arrival = tell.isFirst() ? queue.begin(key, tell.xid()) : queue.find(key);
    List<Notification> notifications =
        tell.items().stream()
            .map(item -> new Notification(tell.pid(), item.channel(), item.payload()))
            .toList();
    boolean isFull = arrival == null || !queue.add(arrival, notifications);
    if (!isFull) {
      arrival.isComplete = tell.isLast();
    }
    int percent = isFull ? 100 : queue.percent();
    int slowest = percent < 50 ? 0 : queue.slowest();
    send(
        from,
        new NotifyMessage.Taken(tell.ticket(), bytes, tell.isLast(), isFull, percent, slowest));
  }

  private void taken(int from, NotifyMessage.Taken taken) {
    OtherNode other = other(from);
    other.unanswered -= taken.bytes();
    Publication publication = underWay.get(taken.ticket());
    if (publication != null && taken.isFull()) {
      refuse(publication, taken.percent(), taken.slowest());
    } else if (publication != null && taken.isLast()) {
      note(publication, taken.percent(), taken.slowest());
      publication.waiting &= ~bit(from);
      checkUnderWay();
    }
    sendParts(other);
  }

  // ---------------------------------------------------------------- nodes that are gone

  @Override
  public void lost(int slot) {
    lock.lock();
    try {
      if (peers.has(slot)) {
        return; // late, and of a life before: its end has been dealt with; or the end comes yet
      }
      others.remove(slot);
      checkOthers();
      underWay.values().forEach(publication -> publication.waiting &= ~bit(slot));
      checkUnderWay();
      rounds.forEach(round -> round.missing &= ~bit(slot));
      checkRounds();
      for (Arrival arrival : queue.openOf(slot)) {
        if (arrival.isComplete) {
          orphans.add(arrival);
        } else {
          queue.decide(arrival, Arrival.State.ABORTED, 0); // it waits for the answer to commit
        }
      }
      queue.advance(visibleLsn());
      if (!orphans.isEmpty() && !isAsking) {
        isAsking = true;
        Later.NOW.execute(this::askForOutcomes);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void answersChanged(int slot) {
    // Outcomes are asked for until somebody answers.
  }

  private void askForOutcomes() {
    List<Arrival> asked;
    lock.lock();
    try {
      asked = List.copyOf(orphans);
    } finally {
      lock.unlock();
    }
    for (Arrival arrival : asked) {
      Boolean isCommitted = null;
      try {
        isCommitted = outcomes.isCommitted(arrival.xid);
      } catch (RuntimeException e) {
        if (!isStopped) {
          LOG.info("the outcome of transaction {} is not known yet", arrival.xid, e);
        }
      }
      if (isCommitted != null) {
        resolve(arrival, isCommitted);
      }
    }
    lock.lock();
    try {
      isAsking = !orphans.isEmpty() && !isStopped;
      if (isAsking) {
        Later.run(PAUSE_MILLIS, TimeUnit.MILLISECONDS, this::askForOutcomes);
      }
    } finally {
      lock.unlock();
    }
  }

  /** The node ends: nothing is asked any more. */
  public void stop() {
    isStopped = true;
  }

  private void resolve(Arrival arrival, boolean isCommitted) {
    lock.lock();
    try {
      orphans.remove(arrival);
      // Its CSN is not known. Whoever listens by now gets it: too much rather than too little.
      queue.decide(
          arrival, isCommitted ? Arrival.State.COMMITTED : Arrival.State.ABORTED, Arrival.NO_CSN);
      queue.advance(visibleLsn());
    } finally {
      lock.unlock();
    }
  }

  // ---------------------------------------------------------------- views

  /** For views and metrics. */
  public State state() {
    lock.lock();
    try {
      return new State(
          channels.all().size(),
          channels.count(),
          queue.taken(),
          most,
          queue.undecided(),
          sent,
          queue.delivered(),
          refused);
    } finally {
      lock.unlock();
    }
  }
}
