package io.gauss.compute.notify;

import io.gauss.common.error.GaussException;
import io.gauss.common.health.EventLimit;
import io.gauss.common.id.Xid;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.notify.wire.NotifyLayout;
import io.gauss.compute.notify.wire.NotifyMessage;
import io.gauss.compute.peer.PeerListener;
import io.gauss.compute.peer.PeerNodes;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

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
  private static final int HALF_FULL = 50; // percent
  private static final long WARN_SECONDS = 5; // as in PostgreSQL

  private final LongSupplier clock;
  private final long most;
  private final ReentrantLock lock = new ReentrantLock();
  private final Channels channels = new Channels();
  private final CommitTickets tickets = new CommitTickets();
  private final OtherNodes others;
  private final ArrivalQueue queue;
  private final Publications publications;
  private final ListenRounds rounds;
  private final OrphanOutcomes orphans;
  private final EventLimit warnings = new EventLimit(1, TimeUnit.SECONDS.toNanos(WARN_SECONDS));
  private volatile Log log;

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
    this.clock = clock;
    this.most = most;
    this.others = new OtherNodes(peers);
    this.queue = new ArrivalQueue(channels, most);
    this.publications = new Publications(others, tickets, channels, queue);
    this.rounds = new ListenRounds(others, tickets, channels);
    this.orphans = new OrphanOutcomes(lock, this::decide);
  }

  /**
   * Transactions begin: asks the other nodes to what they listen. Before this node serves clients;
   * what others send, and whom the cluster loses, has come here since before.
   */
  public void begin(Log itsLog, Outcomes itsOutcomes) {
    log = itsLog;
    orphans.begin(itsOutcomes);
    lock.lock();
    try {
      for (int slot = 1; slot <= Xid.MAX_SLOT; slot++) {
        if (others.isLive(slot)) {
          others.ask(slot);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** The node ends: nothing is asked any more. */
  public void stop() {
    orphans.stop();
  }

  // ---------------------------------------------------------------- NOTIFY

  /**
   * Completes when it is known of all other nodes to which channels they listen. Who does not wait
   * any more cancels it.
   */
  public CompletableFuture<Void> whenOthersAreKnown() {
    lock.lock();
    try {
      return others.whenKnown();
    } finally {
      lock.unlock();
    }
  }

  /** Whether other nodes listen to any of the channels: the transaction needs an xid then. */
  public boolean isHeardElsewhere(List<Notification> notifications) {
    lock.lock();
    try {
      return publications.isHeardElsewhere(notifications);
    } finally {
      lock.unlock();
    }
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
      return publications.publish(xid, pid, notifications);
    } finally {
      lock.unlock();
    }
  }

  /**
   * The transaction has committed.
   *
   * @param lsn that has to be visible before others are told; 0 when nothing has to be waited for
   */
  public void reserved(Publication publication, long lsn) {
    boolean isAwaited;
    lock.lock();
    try {
      isAwaited = publications.reserved(publication, lsn);
    } finally {
      lock.unlock();
    }
    if (isAwaited) {
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
      publications.visible(publication);
      queue.advance(log.visibleLsn());
    } finally {
      lock.unlock();
    }
  }

  /** The transaction will not commit. */
  public void abandon(Publication publication) {
    lock.lock();
    try {
      publications.abandon(publication);
      queue.advance(visibleLsn());
    } finally {
      lock.unlock();
    }
  }

  /** Asks the log again about those of which it has reported an error. Called now and then. */
  public void turn() {
    List<Publication> again;
    lock.lock();
    try {
      again = publications.takeBroken();
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
   * @return who does not wait any more cancels it
   */
  public CompletableFuture<Void> listen(Listener listener, List<String> added) {
    lock.lock();
    try {
      boolean isChanged = false;
      for (String channel : added) {
        listener.channels().put(channel, Listener.NOT_YET);
        isChanged |= channels.add(channel, listener);
      }
      return rounds.begin(isChanged);
    } finally {
      lock.unlock();
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
        rounds.tellAll();
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
      if (!others.isLive(from, epoch)) {
        return; // of a life that is over, which has been dealt with
      }
      switch (message) {
        case NotifyMessage.Ask ask -> others.send(from, rounds.news());
        case NotifyMessage.Listens listens -> {
          others.listens(from, listens.classes());
          // To the life that waits for it: the next one begins with the same numbers.
          NotifyMessage heard = new NotifyMessage.Heard(listens.number());
          others.of(from).acknowledgeAfter(tickets, () -> others.send(from, epoch, heard));
        }
        case NotifyMessage.Heard heard -> rounds.heard(from, heard.number());
        case NotifyMessage.Tell tell -> told(from, epoch, tell, bytes);
        case NotifyMessage.Taken taken -> publications.taken(from, taken);
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
    int slowest = percent < HALF_FULL ? 0 : queue.slowest();
    others.send(
        from,
        new NotifyMessage.Taken(tell.ticket(), bytes, tell.isLast(), isFull, percent, slowest));
  }

  // ---------------------------------------------------------------- nodes that are gone

  @Override
  public void lost(int slot) {
    lock.lock();
    try {
      if (others.isLive(slot)) {
        return; // late, and of a life before: its end has been dealt with; or the end comes yet
      }
      others.lost(slot);
      tickets.lost(OtherNodes.bit(slot));
      rounds.lost(slot);
      List<Arrival> complete = new ArrayList<>();
      for (Arrival arrival : queue.openOf(slot)) {
        if (arrival.isComplete) {
          complete.add(arrival);
        } else {
          queue.decide(arrival, Arrival.State.ABORTED, 0); // it waits for the answer to commit
        }
      }
      queue.advance(visibleLsn());
      orphans.add(complete);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void answersChanged(int slot) {
    // Outcomes are asked for until somebody answers.
  }

  private void decide(Arrival arrival, boolean isCommitted) {
    // Its CSN is not known. Whoever listens by now gets it: too much rather than too little.
    queue.decide(
        arrival, isCommitted ? Arrival.State.COMMITTED : Arrival.State.ABORTED, Arrival.NO_CSN);
    queue.advance(visibleLsn());
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
          publications.sent(),
          queue.delivered(),
          publications.refused());
    } finally {
      lock.unlock();
    }
  }

  /** What LISTENs of this node wait for, and answers to those of others; for tests. */
  int waiting() {
    lock.lock();
    try {
      return rounds.waiting() + tickets.waiting();
    } finally {
      lock.unlock();
    }
  }
}
