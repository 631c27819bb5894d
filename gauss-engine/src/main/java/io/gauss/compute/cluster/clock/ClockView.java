package io.gauss.compute.cluster.clock;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;
import java.util.function.ToLongFunction;

/**
 * What a compute node knows of the other live ones, and the conclusions: up to which LSN its
 * commits may be visible, and until when it may take snapshots. Immutable and pure: time comes in
 * as an argument, messages are sent by others. The exhaustive exploration of the clock rules runs
 * on this class.
 *
 * <p><b>Every node calls every other one</b> at least once per ping interval. The call carries the
 * caller's clock; the callee raises its own clock to it and answers with its own. So one call does
 * three things: it broadcasts commits (the answer confirms that they are known), it renews the
 * caller's clock lease (the callee promises that its commits wait for the caller), and it reports
 * which old versions each still needs.
 *
 * <p><b>A silent peer</b> cannot be distinguished from one that reaches others but not this node,
 * and of two nodes that cannot reach each other at most one may continue. The cluster map decides:
 * it <i>suspends</i> one, by a number, on request of another that is not suspended itself. The
 * commits of a node that knows that a peer is suspended, and is not suspended itself, wait for that
 * peer only until the lease that it granted the peer has ended; the node needs no lease from the
 * peer. A suspended node needs leases from all others, so it comes back by calling them all. Its
 * calls name its suspension, which is void for the nodes that it has reached; once it has reached
 * all of them, it has the map withdraw the suspension.
 *
 * <p>Invariant: of two nodes, at most one has {@code isSuspended} about the other without knowing
 * of a suspension of its own; the map's order of suspensions guarantees this
 * (docs/protocols/clocks.md).
 *
 * @param suspended number of this node's own suspension, 0 = it is not suspended
 * @param peers by node
 */
public record ClockView(ClockTimes times, long suspended, SortedMap<Integer, PeerClock> peers) {
  /** Of {@link #heldUntil()}: no peer's lease is needed. */
  public static final long FOREVER = Long.MAX_VALUE;

  public ClockView {
    peers = Collections.unmodifiableSortedMap(new TreeMap<>(peers));
  }

  /** Of a node that is alone. */
  public static ClockView alone(ClockTimes times) {
    return new ClockView(times, 0, new TreeMap<>());
  }

  /** The peer in this epoch; null when it is not known, or known in another epoch. */
  PeerClock peer(int node, int epoch) {
    PeerClock peer = peers.get(node);
    return peer != null && peer.epoch() == epoch ? peer : null;
  }

  // ---- who there is

  /**
   * Commits wait for this node from now on. At first each side counts as having a lease from the
   * other: the joining one serves, and {@link #begin begins} to count, only after all nodes have
   * reached this point.
   */
  public ClockView install(int node, int epoch, long now) {
    PeerClock known = peers.get(node);
    if (known != null && known.epoch() >= epoch) {
      return this;
    }
    long granted = now + times.lease() + times.margin();
    return with(new PeerClock(node, epoch, 0, 0, granted, now + times.first(), 0, 0, 0, false));
  }

  /**
   * The node's epoch is dead: commits do not wait for it any more. It stays here until it is {@link
   * #remove removed}: unless it was suspended, it may have continued without this node.
   */
  ClockView died(int node, int epoch) {
    PeerClock known = peer(node, epoch);
    return known == null || known.dead() ? this : with(known.died());
  }

  /**
   * The node is dead, and this node's clock is above all commits that the dead node may have
   * confirmed to clients.
   */
  ClockView remove(int node, int epoch) {
    PeerClock known = peers.get(node);
    if (known == null || known.epoch() > epoch) {
      return this;
    }
    TreeMap<Integer, PeerClock> rest = new TreeMap<>(peers);
    rest.remove(node);
    return new ClockView(times, suspended, rest);
  }

  /**
   * This node has joined and begins to serve: it has no lease until it has called all others, and
   * its commits wait for them from now on.
   */
  ClockView begin(long now) {
    ClockView view = this;
    for (PeerClock peer : peers.values()) {
      view =
          view.with(
              new PeerClock(
                  peer.node(),
                  peer.epoch(),
                  peer.clock(),
                  peer.bound(),
                  PeerClock.later(peer.grantedUntil(), now + times.lease() + times.margin()),
                  now,
                  peer.suspension(),
                  peer.revoked(),
                  peer.accepted(),
                  peer.dead()));
    }
    return view;
  }

  /** From now on leases are granted for another duration; leases granted before are unchanged. */
  ClockView with(ClockTimes newTimes) {
    return new ClockView(newTimes, suspended, peers);
  }

  /** Takes over the suspensions of a newer cluster map. */
  ClockView suspensions(long own, LongUnaryOperator ofEpoch) {
    ClockView view = own == suspended ? this : new ClockView(times, own, peers);
    for (PeerClock peer : peers.values()) {
      long number = ofEpoch.applyAsLong(peer.epoch());
      if (number != peer.suspension()) {
        view = view.with(peer.suspended(number));
      }
    }
    return view;
  }

  // ---- messages

  /** As the other method, with the usual lease. */
  ClockView called(int node, int epoch, long clock, long bound, long resumes, long now) {
    return called(node, epoch, clock, bound, resumes, now, times.lease());
  }

  /**
   * A peer has called: it gets a lease. This has to be in effect before this node's clock is read
   * for the answer.
   *
   * @param clock the caller's
   * @param bound the caller's bound for itself
   * @param resumes the caller's own suspension that it wants to end, 0 = none
   * @param lease its duration
   */
  ClockView called(
      int node, int epoch, long clock, long bound, long resumes, long now, long lease) {
    PeerClock peer = peer(node, epoch);
    return peer == null
        ? this
        : with(peer.granted(now + lease + times.marginOf(lease), clock, bound, resumes));
  }

  /**
   * A peer has answered a call.
   *
   * @param resumed own suspension that the call named
   * @param until end of the lease: the time the call was sent plus the duration that the answer
   *     grants
   */
  ClockView answered(int node, int epoch, long clock, long bound, long resumed, long until) {
    PeerClock peer = peer(node, epoch);
    return peer == null ? this : with(peer.answered(until, clock, bound, resumed));
  }

  private ClockView with(PeerClock peer) {
    TreeMap<Integer, PeerClock> all = new TreeMap<>(peers);
    all.put(peer.node(), peer);
    return new ClockView(times, suspended, all);
  }

  // ---- what follows

  /**
   * No peer for which commits have to wait now takes a snapshot below this LSN; {@link
   * Long#MAX_VALUE} when there is none.
   */
  public long through(long now) {
    return through(now, PeerClock::clock);
  }

  /**
   * As {@link #through(long)}, also limited by other things that peers have to know.
   *
   * @param heard the LSN up to which a peer knows of all these; not above its clock
   */
  long through(long now, ToLongFunction<PeerClock> heard) {
    long lowest = Long.MAX_VALUE;
    for (PeerClock peer : peers.values()) {
      long known = heard.applyAsLong(peer);
      if (known < lowest && mustWaitFor(peer, now)) {
        lowest = known;
      }
    }
    return lowest;
  }

  private boolean mustWaitFor(PeerClock peer, long now) {
    return !peer.dead() && (!isExcused(peer) || now - peer.grantedUntil() < 0);
  }

  /** Whether this node continues without the peer. */
  private boolean isExcused(PeerClock peer) {
    return suspended == 0 && peer.isSuspended();
  }

  /**
   * The time at which {@link #through} may rise because a lease ends; {@link #FOREVER} = it will
   * not.
   */
  long nextLapse(long now) {
    long next = FOREVER;
    for (PeerClock peer : peers.values()) {
      if (!peer.dead() && isExcused(peer) && now - peer.grantedUntil() < 0) {
        next = next == FOREVER ? peer.grantedUntil() : earlier(next, peer.grantedUntil());
      }
    }
    return next;
  }

  /**
   * This node may take snapshots and answer until then. {@link #FOREVER} when that depends on no
   * other node.
   */
  long heldUntil() {
    long until = FOREVER;
    for (PeerClock peer : peers.values()) {
      if (!isExcused(peer)) {
        until = until == FOREVER ? peer.heldUntil() : earlier(until, peer.heldUntil());
      }
    }
    return until;
  }

  private static long earlier(long one, long other) {
    return other - one < 0 ? other : one;
  }

  /**
   * The lowest of the bounds that the others report for themselves; {@link Long#MAX_VALUE} without
   * others.
   */
  long bound() {
    return peers.values().stream().mapToLong(PeerClock::bound).min().orElse(Long.MAX_VALUE);
  }

  /**
   * All others have been reached since this node was suspended: the map may withdraw the
   * suspension.
   */
  boolean mayResume() {
    return suspended != 0
        && peers.values().stream().allMatch(p -> p.dead() || p.accepted() >= suspended);
  }

  /** The newest epoch among the peers; a node that registered after it was not reached. */
  int newestEpoch() {
    return peers.values().stream().mapToInt(PeerClock::epoch).max().orElse(0);
  }
}
