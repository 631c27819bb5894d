package io.gauss.compute.routing;

import io.gauss.common.id.Xid;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.Request;
import io.gauss.common.transport.TransportException;
import io.gauss.compute.buffer.MovablePages;
import io.gauss.compute.peer.PeerNodes;
import io.gauss.compute.routing.PageOffers.Batch;
import io.gauss.compute.routing.data.GroupOwners;
import io.gauss.compute.routing.wire.OfferLayout;
import io.gauss.compute.routing.wire.RoutingMessages;
import io.netty.buffer.ByteBuf;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has pages go where they should be before transactions want them there. Once a second a node looks
 * through the pages that it owns, and offers those of groups that another node is to own to that
 * node, which asks for them as for pages that it needs. So nothing new is done with rights: an
 * offer is a hint that may be lost, come late, or be about what has changed meanwhile.
 *
 * <p>What transactions write where it is stays there (written within about a second), and after a
 * publication drivers have two seconds to follow it: until they do, pages would only go to and fro.
 *
 * <p>Thread-safe; {@link #offer} and {@link #ask} by one thread each. Nothing here waits.
 */
public final class PagePlacement {
  private static final Logger LOG = LoggerFactory.getLogger(PagePlacement.class);

  /** How often {@link #ask} is to run in a second. */
  public static final int TURNS_PER_SECOND = 10;

  /** Pages in an offer. */
  static final int MOST_OFFERED = 4096;

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long DRIVERS_FOLLOW_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final MovablePages pages;
  private final PeerNodes peers;
  private final LongSupplier clock;
  private final LongSupplier nanos;
  private final int perSecond;
  private final PageOffers offers = new PageOffers(); // under its own lock
  private final OfferedPages offered;
  private final Map<Integer, Boolean> asked = new ConcurrentHashMap<>();
  private final LongAdder taken = new LongAdder();

  private record Wanted(GroupOwners owners, long nanos) {}

  private volatile Wanted wanted = new Wanted(GroupOwners.NONE, 0);
  private volatile long hot;
  private long clockBefore;

  /**
   * @param clock the node's, of which LSNs come
   * @param nanos as {@link System#nanoTime}
   * @param perSecond pages that are asked for a second at most; 0 = none, and none is offered
   */
  public PagePlacement(
      MovablePages pages, PeerNodes peers, LongSupplier clock, LongSupplier nanos, int perSecond) {
    this.pages = pages;
    this.peers = peers;
    this.clock = clock;
    this.nanos = nanos;
    this.perSecond = perSecond;
    this.offered = new OfferedPages(pages, perSecond);
    this.clockBefore = clock.getAsLong();
  }

  /** Others may talk before this node is ready: to be told so. Before listening. */
  static void expect(Handlers handlers) {
    handlers.later(RoutingMessages.OFFER);
  }

  /** From now on other nodes are answered. */
  void register(Handlers handlers) {
    handlers.on(RoutingMessages.OFFER, this::offered);
  }

  private void offered(Request request) {
    int count = offered.offer(OfferLayout.readOffer(request.payload()));
    request.reply(OfferLayout.writeAnswer(peers.allocator().buffer(), count));
  }

  /** Owners were published. */
  void published(GroupOwners owners) {
    wanted = new Wanted(owners, nanos.getAsLong());
  }

  /** Once a second: offers pages to those who are to own them. */
  public void offer() {
    long hotAbove = clockBefore; // what was written since the last turn, or a turn before
    clockBefore = clock.getAsLong();
    Wanted now = wanted;
    if (perSecond == 0
        || now.owners().size() == 0
        || nanos.getAsLong() - now.nanos() < DRIVERS_FOLLOW_NANOS
        || !hasPeers()) {
      hot = 0;
      return;
    }
    Map<Integer, Batch> batches;
    synchronized (offers) {
      batches =
          offers.choose(
              now.owners(),
              peers.self(),
              slot -> peers.has(slot) && !asked.containsKey(slot),
              pages,
              hotAbove,
              Math.min(perSecond, MOST_OFFERED),
              nanos.getAsLong());
      hot = offers.hot();
    }
    batches.forEach(this::offer);
  }

  private boolean hasPeers() {
    for (int slot = 1; slot <= Xid.MAX_SLOT; slot++) {
      if (slot != peers.self() && peers.has(slot)) {
        return true;
      }
    }
    return false;
  }

  private void offer(int slot, Batch batch) {
    asked.put(slot, true);
    peers
        .call(
            slot,
            RoutingMessages.OFFER,
            OfferLayout.writeOffer(peers.allocator().buffer(), batch.size(), batch::page),
            PATIENCE_NANOS)
        .thenAccept(answer -> answered(slot, batch, answer))
        .whenComplete(
            (done, failure) -> {
              asked.remove(slot);
              if (failure != null && !(failure.getCause() instanceof TransportException)) {
                LOG.error("what slot {} says of an offer cannot be used", slot, failure);
              }
            });
  }

  private void answered(int slot, Batch batch, ByteBuf answer) {
    try {
      int count = Math.min(OfferLayout.readAnswer(answer), batch.size());
      taken.add(count);
      synchronized (offers) {
        offers.taken(slot, batch, count, nanos.getAsLong());
      }
    } finally {
      answer.release();
    }
  }

  /** {@value #TURNS_PER_SECOND} times a second: asks for pages that were offered. */
  public void ask() {
    GroupOwners owners = wanted.owners();
    int self = peers.self();
    offered.turn(
        Math.max(1, perSecond / TURNS_PER_SECOND),
        page -> owners.slot(PageGroups.of(page)) == self,
        nanos.getAsLong());
  }

  /** What was done since the node started. */
  public PlacementCounts counts() {
    return offered.counts(wanted.owners().count(peers.self()), taken.sum(), hot);
  }
}
