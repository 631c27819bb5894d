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
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves pages to the nodes that are to own them before transactions need them there. Once a second
 * a node goes through the pages that it owns, and offers those of groups that another node is to
 * own to that node, which requests them like pages that it needs itself. So the handling of rights
 * does not change: an offer is a hint that may be lost, late or outdated.
 *
 * <p>Pages go ahead of transactions, never away from those that will not follow:
 *
 * <ul>
 *   <li>A node takes no pages unless transactions have come to it lately because of what is
 *       published, from drivers that choose by it or forwarded by other nodes. Where no client does
 *       that, nothing is moved.
 *   <li>A node offers no pages of groups that transactions of other clients use on it.
 *   <li>A page that was written where it is within about the last second stays there. After a
 *       publication, drivers have two seconds to follow it: before that, pages would only move back
 *       and forth.
 * </ul>
 *
 * <p>Thread-safe; {@link #offer} and {@link #ask} by one thread each. Nothing here waits.
 */
public final class PagePlacement {
  private static final Logger LOG = LoggerFactory.getLogger(PagePlacement.class);

  /** How many times a second {@link #ask} runs while pages are offered. */
  public static final int TURNS_PER_SECOND = 10;

  /** Pages in an offer. */
  static final int MOST_OFFERED = 4096;

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long DRIVERS_FOLLOW_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** A node that has taken nothing is offered nothing for so long. */
  private static final long DECLINED_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final MovablePages pages;
  private final PeerNodes peers;
  private final AccessSampling sampling;
  private final LongSupplier clock;
  private final LongSupplier nanos;
  private final int perSecond;
  private final PageOffers offers = new PageOffers(); // under its own lock
  private final OfferedPages offered;
  private final Map<Integer, Boolean> asked = new ConcurrentHashMap<>();
  private final Map<Integer, Long> declined = new ConcurrentHashMap<>(); // until when, by slot
  private final LongAdder taken = new LongAdder();

  private record Wanted(GroupOwners owners, long nanos) {}

  private volatile Wanted wanted = new Wanted(GroupOwners.NONE, 0);
  private volatile long staying;
  private long clockBefore;

  /**
   * @param sampling tells which transactions run here
   * @param clock the node's, from which LSNs come
   * @param nanos as {@link System#nanoTime}
   * @param perSecond most pages requested per second; 0 = none, and none are offered either
   */
  public PagePlacement(
      MovablePages pages,
      PeerNodes peers,
      AccessSampling sampling,
      LongSupplier clock,
      LongSupplier nanos,
      int perSecond) {
    this.pages = pages;
    this.peers = peers;
    this.sampling = sampling;
    this.clock = clock;
    this.nanos = nanos;
    this.perSecond = perSecond;
    this.offered = new OfferedPages(pages, perSecond);
    this.clockBefore = clock.getAsLong();
  }

  /**
   * Answers other nodes that send messages before this node is ready. To be called before the node
   * listens.
   */
  static void expect(Handlers handlers) {
    handlers.later(RoutingMessages.OFFER);
  }

  /** Starts to answer other nodes. */
  void register(Handlers handlers) {
    handlers.on(RoutingMessages.OFFER, this::offered);
  }

  private void offered(Request request) {
    int count = take(OfferLayout.readOffer(request.payload()));
    request.reply(OfferLayout.writeAnswer(peers.allocator().buffer(), count));
  }

  /** How many of the pages, from the first on, may come. */
  int take(long[] offer) {
    return sampling.isFollowed() ? offered.offer(offer) : 0;
  }

  /** New owners have been published. */
  void published(GroupOwners owners) {
    wanted = new Wanted(owners, nanos.getAsLong());
  }

  /** Offers pages to the nodes that are to own them. Runs once a second. */
  public void offer() {
    long hotAbove = clockBefore; // pages written since the last run, or the run before
    clockBefore = clock.getAsLong();
    Wanted now = wanted;
    if (perSecond == 0
        || now.owners().size() == 0
        || nanos.getAsLong() - now.nanos() < DRIVERS_FOLLOW_NANOS
        || !hasPeers()) {
      staying = 0;
      return;
    }
    declined.values().removeIf(until -> nanos.getAsLong() - until >= 0);
    LongPredicate used = sampling.usedByOthers();
    Map<Integer, Batch> batches;
    synchronized (offers) {
      batches =
          offers.choose(
              now.owners(),
              peers.self(),
              new PageOffers.Takers(
                  peers::has,
                  slot ->
                      peers.has(slot) && !asked.containsKey(slot) && !declined.containsKey(slot)),
              pages,
              (group, lsn) -> lsn > hotAbove || used.test(group),
              Math.min(perSecond, MOST_OFFERED),
              nanos.getAsLong());
      staying = offers.staying();
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
      if (count == 0) {
        declined.put(slot, nanos.getAsLong() + DECLINED_NANOS);
      }
      synchronized (offers) {
        offers.taken(slot, batch, count, nanos.getAsLong());
      }
    } finally {
      answer.release();
    }
  }

  /**
   * Requests pages that were offered.
   *
   * @return whether there are more, or some are on their way: then this is to run {@value
   *     #TURNS_PER_SECOND} times a second
   */
  public boolean ask() {
    GroupOwners owners = wanted.owners();
    int self = peers.self();
    offered.turn(
        Math.max(1, perSecond / TURNS_PER_SECOND),
        page -> owners.slot(PageGroups.of(page)) == self,
        nanos.getAsLong());
    return offered.isBusy();
  }

  /** Counts since the node started. */
  public PlacementCounts counts() {
    return offered.counts(wanted.owners().count(peers.self()), taken.sum(), staying);
  }
}
