package io.gauss.compute.cluster.clock;

/**
 * What a node knows of one other live compute node. Immutable. Times are readings of this node's
 * monotonic clock and are compared by difference.
 *
 * @param epoch the node's life; another one is another peer
 * @param clock the highest clock (LSN) heard from it: it takes no snapshot below
 * @param bound none of its snapshots, open or future, is below this LSN, and none of its commits at
 *     or below it is invisible
 * @param grantedUntil until then it may take snapshots, as far as this node knows: commits wait for
 *     it
 * @param heldUntil until then its commits certainly wait for this node
 * @param suspension number of its suspension in the cluster map, 0 = it is not suspended
 * @param revoked the highest suspension of it that is void here, since the node has come back and
 *     this node has granted it a lease
 * @param accepted the highest suspension of this node that is void there
 * @param dead its epoch is over. Commits do not wait for it, but it may have confirmed commits to
 *     its clients of which this node does not know: until this node's clock is above all of them,
 *     it is treated like a silent node
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
