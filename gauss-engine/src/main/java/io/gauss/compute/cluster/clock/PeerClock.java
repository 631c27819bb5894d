package io.gauss.compute.cluster.clock;

/**
 * What a node knows of one other live compute node. Immutable. Times are readings of the own
 * monotonic clock and compare by difference.
 *
 * @param epoch the node's life; another one is another peer
 * @param clock the highest clock (LSN) heard from it: it takes no snapshot below
 * @param bound no snapshot of it, open or to come, is below this LSN, and none of its commits at or
 *     below it is invisible
 * @param grantedUntil until then it may take snapshots for all that this node knows: commits wait
 *     for it
 * @param heldUntil until then it certainly waits for this node with its commits
 * @param suspension number under which the cluster map has suspended it, 0 = it is not
 * @param revoked the highest suspension of it that counts no more here, since the node has come
 *     back and this node has granted it a lease
 * @param accepted the highest suspension of this node that counts no more there
 * @param dead its epoch is over. Nobody waits for it, but it may have told its clients of commits
 *     that this node has not heard of: until this node's clock is above all of them it is missed as
 *     a silent one is
 */
record PeerClock(
    int node,
    int epoch,
    long clock,
    long bound,
    long grantedUntil,
    long heldUntil,
    long suspension,
    long revoked,
    long accepted,
    boolean dead) {

  /** Whether the peer is suspended as far as this node is concerned. */
  boolean isSuspended() {
    return suspension > revoked;
  }

  PeerClock granted(long until, long heardClock, long saidBound, long resumes) {
    return new PeerClock(
        node,
        epoch,
        Math.max(clock, heardClock),
        Math.max(bound, saidBound),
        later(grantedUntil, until),
        heldUntil,
        suspension,
        Math.max(revoked, resumes),
        accepted,
        dead);
  }

  PeerClock answered(long until, long heardClock, long saidBound, long resumed) {
    return new PeerClock(
        node,
        epoch,
        Math.max(clock, heardClock),
        Math.max(bound, saidBound),
        grantedUntil,
        later(heldUntil, until),
        suspension,
        revoked,
        Math.max(accepted, resumed),
        dead);
  }

  PeerClock suspended(long number) {
    return new PeerClock(
        node, epoch, clock, bound, grantedUntil, heldUntil, number, revoked, accepted, dead);
  }

  PeerClock died() {
    return new PeerClock(
        node,
        epoch,
        clock,
        Long.MAX_VALUE,
        grantedUntil,
        heldUntil,
        suspension,
        revoked,
        accepted,
        true);
  }

  static long later(long one, long other) {
    return other - one > 0 ? other : one;
  }
}
