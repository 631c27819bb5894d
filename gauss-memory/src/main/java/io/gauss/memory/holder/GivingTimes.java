package io.gauss.memory.holder;

import io.gauss.memory.coherence.HolderAction;
import io.gauss.memory.coherence.HolderPage;
import io.gauss.memory.coherence.HolderPage.Goal;
import io.gauss.memory.coherence.HolderPage.Right;
import io.gauss.memory.coherence.HolderTable;
import io.gauss.memory.wire.TransferTimes;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Measures how far the transfer of a page to another node has come, and how long each step took. It
 * only observes transitions and decides nothing. Belongs to a lane's thread.
 */
final class GivingTimes {
  private final LongSupplier nanoClock;
  private final TransferListener listener;
  private final Map<Long, Gift> gifts = new HashMap<>();
  private final Map<Copy, Order> copies = new HashMap<>();

  /** A page that is to be given away, or was sent and is not confirmed. */
  private static final class Gift {
    private final Order order;
    private long started;
    private long revoked;
    private long sent;

    Gift(Order order) {
      this.order = order;
    }
  }

  /**
   * An order of the home.
   *
   * @param queued how long the request had waited there
   * @param since when it came here
   */
  private record Order(long queued, long since) {}

  private record Copy(long page, int reader) {}

  GivingTimes(LongSupplier nanoClock, TransferListener listener) {
    this.nanoClock = nanoClock;
    this.listener = listener;
  }

  /** The home's order to give the page away is about to be processed. */
  void ordered(long page, long queuedNanos) {
    gifts.put(page, new Gift(order(queuedNanos)));
  }

  /** The home's order to send a copy is about to be processed. */
  void shareOrdered(long page, int reader, long queuedNanos) {
    copies.put(new Copy(page, reader), order(queuedNanos));
  }

  private Order order(long queuedNanos) {
    return new Order(queuedNanos, nanoClock.getAsLong());
  }

  /** Observes a step of the page, before its messages are sent. */
  void step(long page, HolderPage before, HolderTable.Step step) {
    if (!copies.isEmpty()) {
      forgetRefused(page, step);
    }
    Gift gift = gifts.get(page);
    if (gift == null) {
      return;
    }
    HolderPage after = step.page();
    long now = nanoClock.getAsLong();
    if (after.right() == Right.LEAVING) {
      if (before.right() == Right.OWNED) {
        gift.sent = now;
        listener.given(
            page, gift.started - gift.order.since, gift.revoked - gift.started, now - gift.revoked);
      }
    } else if (before.right() == Right.LEAVING) {
      gifts.remove(page);
      listener.confirmed(page, now - gift.sent);
    } else if (after.right() != Right.OWNED || after.taker() == 0) {
      gifts.remove(page); // the page stays after all, or the order was out of date
    } else if (after.goal() == Goal.GIVE) {
      gift.started = gift.started == 0 ? now : gift.started;
      if (isRevoked(step)) {
        gift.revoked = now;
      }
    }
  }

  private static boolean isRevoked(HolderTable.Step step) {
    for (HolderAction action : step.actions()) {
      if (action instanceof HolderAction.AwaitDurable) {
        return true;
      }
    }
    return false;
  }

  /** Forgets refused reads: those that no longer wait and are not being served. */
  private void forgetRefused(long page, HolderTable.Step step) {
    HolderPage after = step.page();
    copies
        .keySet()
        .removeIf(
            copy ->
                copy.page == page
                    && after.reads().stream().noneMatch(read -> read.reader() == copy.reader)
                    && !isSent(step, copy.reader));
  }

  private static boolean isSent(HolderTable.Step step, int reader) {
    for (HolderAction action : step.actions()) {
      if (action instanceof HolderAction.Send send && !send.owned() && send.to() == reader) {
        return true;
      }
    }
    return false;
  }

  /** The times to be sent with a page, see {@link TransferTimes}. */
  long sending(long page, HolderAction.Send send) {
    if (send.owned()) {
      Gift gift = gifts.get(page);
      return gift == null ? 0 : times(gift.order);
    }
    Order order = copies.remove(new Copy(page, send.to()));
    if (order == null) {
      return 0;
    }
    listener.copied(page, nanoClock.getAsLong() - order.since);
    return times(order);
  }

  private long times(Order order) {
    return TransferTimes.of(order.queued, nanoClock.getAsLong() - order.since);
  }

  /** Number of pages and copies that are being measured. */
  int size() {
    return gifts.size() + copies.size();
  }
}
