package io.gauss.compute.notify;

import io.gauss.compute.notify.wire.NotifyLayout;
import java.util.ArrayDeque;

/** What is known of another compute node. Under the lock of {@link Notifications}. */
final class OtherNode {
  /** Bytes of parts that a node may have without having answered: the rest waits for that. */
  static final long MOST_UNANSWERED = 4L << 20;

  final int slot;
  long[] classes = new long[NotifyLayout.CLASSES / Long.SIZE];

  /** It has been asked to what it listens, and has not answered. */
  boolean isAwaited;

  /** What it has acknowledged of {@link Notifications}' changes. */
  long heard;

  final ArrayDeque<Publication.Part> unsent = new ArrayDeque<>();
  long unanswered;

  // Its changes that are to be acknowledged. Of those behind the first only the last: it stands
  // for all, so that a node whose sessions listen again and again costs no memory here. When the
  // first has gone, the other one is the first, and stays.
  private CommitTickets.Barrier first;
  private CommitTickets.Barrier last;

  OtherNode(int slot) {
    this.slot = slot;
  }

  /** Acknowledges a change of the node when what is under way now has gone. */
  void acknowledgeAfter(CommitTickets tickets, Runnable acknowledge) {
    CommitTickets.Barrier barrier = tickets.after(acknowledge);
    if (first == null || first.isPast()) {
      first = last;
      last = null;
    }
    if (first == null || first.isPast()) {
      first = barrier;
    } else {
      if (last != null) {
        last.giveUp();
      }
      last = barrier;
    }
  }

  /** It is gone: nothing is acknowledged any more. */
  void giveUp() {
    if (first != null) {
      first.giveUp();
    }
    if (last != null) {
      last.giveUp();
    }
  }
}
