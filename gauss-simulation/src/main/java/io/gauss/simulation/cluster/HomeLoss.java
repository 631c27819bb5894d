package io.gauss.simulation.cluster;

import io.gauss.common.fault.FaultPoints;
import io.gauss.common.runtime.Environment;
import io.gauss.common.transport.local.Carrier.Messages;
import io.gauss.memory.wire.PageMessageKind;
import io.gauss.simulation.SimulatedNetwork;
import io.gauss.simulation.SimulatedNetwork.Choice;
import io.gauss.simulation.SimulatedNetwork.Stall;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntConsumer;

/**
 * A page's home ends while the page is on its way, which arrives when its taker has told the next
 * home that it has no such page. The last report to that home comes later still, mostly when the
 * taker has written the page and given it back: the home is shut while it is told of all that. Page
 * stores apply nothing from the arrival on, until the home has been open for a while.
 */
final class HomeLoss {
  private static final long MAX_ORDER_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final long MAX_GIVING_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
  private static final long MAX_REPORT_NANOS = TimeUnit.SECONDS.toNanos(4);
  private static final long MAX_TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(400);
  private static final long MAX_AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private static final long MAX_BEHIND_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final SimulatedNetwork network;
  private final int computes;
  private final Function<Runnable, FaultPoints.Armed> atPageStores;
  private boolean areBehind;
  private PageItem order;
  private int home;
  private int giver;

  /**
   * @param computes how many compute nodes there are; they have the numbers from 1 on
   * @param atPageStores arms the place where page stores are about to apply something
   */
  HomeLoss(
      SimulatedNetwork network, int computes, Function<Runnable, FaultPoints.Armed> atPageStores) {
    this.network = network;
    this.computes = computes;
    this.atPageStores = atPageStores;
  }

  /**
   * @param kill ends the memory node that is the page's home; returns at once
   * @return whether a page was on its way
   */
  boolean happen(IntConsumer kill) {
    if (!network.awaitSent(this::isOrder, MAX_ORDER_NANOS)) {
      return false;
    }
    int taker = order.slot();
    Choice given = (from, to, messages) -> from == giver && is(PageMessageKind.GIVEN, messages);
    Choice taken = (from, to, messages) -> from == taker && is(PageMessageKind.RELEASE, messages);
    Stall page = network.stall(given);
    if (!network.awaitSent(given, MAX_GIVING_NANOS)) {
      page.end();
      return false;
    }
    Stall last = network.stall((from, to, messages) -> from == third() && isReport(messages));
    kill.accept(home);
    network.awaitSent(
        (from, to, messages) -> from == taker && isReport(messages), MAX_REPORT_NANOS);
    pause(MAX_AFTER_NANOS);
    areBehind = true;
    FaultPoints.Armed behind = atPageStores.apply(this::standWhileBehind);
    page.end();
    network.awaitSent(taken, MAX_TURN_NANOS);
    pause(MAX_AFTER_NANOS);
    last.end();
    pause(MAX_BEHIND_NANOS);
    behind.close();
    areBehind = false;
    return true;
  }

  private void standWhileBehind() {
    while (areBehind) {
      Environment.parkNanos(LOOK_NANOS);
    }
  }

  private static void pause(long maxNanos) {
    Environment.parkNanos(1 + Environment.random().nextLong(maxNanos));
  }

  /** That a compute node gives a page to another one. */
  private boolean isOrder(int from, int to, Messages messages) {
    order = PageItem.first(messages, item -> item.is(PageMessageKind.TRANSFER));
    home = from;
    giver = to;
    return order != null;
  }

  /** Neither the giver nor the taker. */
  private int third() {
    int node = 1;
    while (node < computes && (node == giver || node == order.slot())) {
      node++;
    }
    return node;
  }

  private boolean is(PageMessageKind kind, Messages messages) {
    return PageItem.first(messages, item -> item.is(kind) && item.subject() == order.subject())
        != null;
  }

  private boolean isReport(Messages messages) {
    return PageItem.first(
            messages, item -> item.is(PageMessageKind.REPORTED) && item.subject() == order.bucket())
        != null;
  }
}
