package io.gauss.compute.notify;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The notifications of a transaction of this node, from just before its commit until its outcome is
 * known. Under the lock of {@link Notifications}, except what is final.
 */
public final class Publication {
  final long ticket;
  final long xid;
  final int pid;

  /** Bits of the slots of other nodes that get something, and of the own one. */
  final long receivers;

  /** Of these, nodes that have not taken it yet. */
  long waiting;

  /** Its place in this node's queue; null when nobody listens here. */
  Arrival local;

  /** LSN that has to be visible before it may be told. */
  long lsn;

  long csn;

  /** The log has reported an error: it is asked again. */
  volatile boolean isLogBroken;

  /** How full the fullest queue is, and for which session there most is waiting. */
  int percent;

  int slowest;

  private final CompletableFuture<Void> ready = new CompletableFuture<>();

  Publication(long ticket, long xid, int pid, long receivers) {
    this.ticket = ticket;
    this.xid = xid;
    this.pid = pid;
    this.receivers = receivers;
  }

  /** How full a queue is that has taken it, or has not. */
  void note(int fullPercent, int slowestSession) {
    if (fullPercent > percent) {
      percent = fullPercent;
      slowest = slowestSession;
    }
  }

  /**
   * Completes when the transaction may commit; with an error when a queue is full and it must not.
   */
  public CompletableFuture<Void> ready() {
    return ready;
  }

  /** How full the fullest queue is that has taken it. */
  public int percent() {
    return percent;
  }

  /** Number of the session there for which most is waiting; 0 = none. */
  public int slowest() {
    return slowest;
  }

  /** A part of it for another node: from this notification on. */
  static final class Part {
    final Publication of;
    final List<Notification> notifications;
    int next;

    Part(Publication of, List<Notification> notifications) {
      this.of = of;
      this.notifications = notifications;
    }
  }
}
