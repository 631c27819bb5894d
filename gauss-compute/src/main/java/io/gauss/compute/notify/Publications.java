package io.gauss.compute.notify;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Xid;
import io.gauss.compute.notify.wire.NotifyLayout.Item;
import io.gauss.compute.notify.wire.NotifyMessage;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The notifications of this node's transactions, from the look who listens until all who do know
 * the outcome. Under the lock of {@link Notifications}.
 */
final class Publications {
  private static final int MOST_ITEMS = 256; // of a message
  private static final int PART_BYTES = 64 << 10;
  private static final int HALF_FULL = 50; // percent

  /** Bit of this node among receivers; slots begin with 1. */
  private static final long SELF = 1;

  private final OtherNodes others;
  private final CommitTickets tickets;
  private final Channels channels;
  private final ArrivalQueue queue;

  /** Those that have reserved their CSN and are not visible yet. */
  private final Map<Long, Publication> reserved = new LinkedHashMap<>();

  private long sent;
  private long refused;

  Publications(OtherNodes others, CommitTickets tickets, Channels channels, ArrivalQueue queue) {
    this.others = others;
    this.tickets = tickets;
    this.channels = channels;
    this.queue = queue;
  }

  /** Transactions with notifications that have committed. */
  long sent() {
    return sent;
  }

  /** Transactions that were refused because a queue was full. */
  long refused() {
    return refused;
  }

  // ---------------------------------------------------------------- who listens

  boolean isHeardElsewhere(List<Notification> notifications) {
    return (receivers(notifications) & ~SELF) != 0;
  }

  private long receivers(List<Notification> notifications) {
    long receivers = isHeard(channels.classes(), notifications) ? SELF : 0;
    for (OtherNode other : others.all()) {
      if (isHeard(other.classes, notifications)) {
        receivers |= OtherNodes.bit(other.slot);
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

  // ---------------------------------------------------------------- before the commit

  /** See {@link Notifications#publish}. */
  Publication publish(long xid, int pid, List<Notification> notifications) {
    long receivers = receivers(notifications);
    if ((receivers & ~SELF) != 0 && xid == Xid.NONE) {
      return null;
    }
    Publication publication = new Publication(tickets.next(), xid, pid, receivers);
    tickets.add(publication);
    if ((receivers & SELF) != 0) {
      Arrival local = queue.begin(new Arrival.Key(others.self(), 0, publication.ticket), xid);
      if (!queue.add(local, heard(channels.classes(), notifications))) {
        refuse(publication, 100, queue.slowest());
        return publication;
      }
      publication.local = local;
      int percent = queue.percent();
      publication.note(percent, percent < HALF_FULL ? 0 : queue.slowest());
    }
    publication.waiting = receivers & ~SELF;
    for (OtherNode other : others.all()) {
      if ((receivers & OtherNodes.bit(other.slot)) != 0) {
        other.unsent.add(new Publication.Part(publication, heard(other.classes, notifications)));
        sendParts(other);
      }
    }
    tickets.check();
    return publication;
  }

  private void refuse(Publication publication, int percent, int slowest) {
    publication.note(percent, slowest);
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
          others.encoded(
              new NotifyMessage.Tell(
                  part.of.ticket, part.of.xid, part.of.pid, isFirst, isLast, items));
      to.unanswered += message.readableBytes();
      others.send(to.slot, message);
    }
  }

  /** A node has taken a part of a transaction's notifications, or has no room for it. */
  void taken(int from, NotifyMessage.Taken taken) {
    OtherNode other = others.of(from);
    other.unanswered -= taken.bytes();
    Publication publication = tickets.find(taken.ticket());
    if (publication != null && taken.isFull()) {
      refuse(publication, taken.percent(), taken.slowest());
    } else if (publication != null && taken.isLast()) {
      publication.note(taken.percent(), taken.slowest());
      publication.waiting &= ~OtherNodes.bit(from);
      tickets.check();
    }
    sendParts(other);
  }

  // ---------------------------------------------------------------- the outcome

  /**
   * The transaction has committed.
   *
   * @return whether anybody is to be told when it is visible
   */
  boolean reserved(Publication publication, long lsn) {
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
    tickets.leave(publication);
    return publication.receivers != 0;
  }

  void visible(Publication publication) {
    reserved.remove(publication.ticket);
    tell(publication, publication.csn);
    if (publication.local != null) {
      queue.decide(publication.local, Arrival.State.COMMITTED, publication.csn);
    }
  }

  private void tell(Publication publication, long csn) {
    for (OtherNode other : others.all()) {
      if ((publication.receivers & OtherNodes.bit(other.slot)) != 0) {
        others.send(other.slot, new NotifyMessage.Decided(publication.ticket, csn));
      }
    }
  }

  /** The transaction will not commit. */
  void abandon(Publication publication) {
    for (OtherNode other : others.all()) {
      other.unsent.removeIf(part -> part.of == publication);
    }
    tell(publication, 0);
    if (publication.local != null) {
      queue.decide(publication.local, Arrival.State.ABORTED, 0);
    }
    tickets.leave(publication);
  }

  /** Those of which the log has reported an error; it is asked about them again. */
  List<Publication> takeBroken() {
    List<Publication> broken = new ArrayList<>();
    for (Publication publication : reserved.values()) {
      if (publication.isLogBroken) {
        publication.isLogBroken = false;
        broken.add(publication);
      }
    }
    return broken;
  }
}
