package io.gauss.compute.routing;

import io.gauss.common.id.Xid;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/**
 * A node's counts of the transactions that it forwards to better nodes, and of those that it does
 * not forward. Thread-safe.
 */
public final class RerouteCounts {
  /** Why a transaction stayed with the node that its client is connected to. */
  public enum Reason {
    /** No other node is clearly better. */
    BEST_HERE,
    /** Nothing is known about its first statement. */
    NOT_KNOWN,
    /** The client's driver has chosen the node. */
    ROUTED,
    /** The session has set gauss.reroute to off. */
    OFF,
    /** The session's commits are not waited for by other nodes (gauss.commit_wait). */
    COMMIT_WAIT,
    /** The session has temporary tables or held cursors. */
    PINNED,
    /** One of a few that run here to be compared with those that are forwarded. */
    COMPARED,
    /** Forwarding its like has turned out not to save time. */
    NO_GAIN,
    /** The better node was lost, or could not run it, before its client had any answer. */
    REPEATED,
    /** The connection to the better node was being made. */
    OPENING,
    /** The better node could not be reached, or refused it. */
    UNREACHABLE;

    /** The name in views and meters. */
    public String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  private final LongAdder[] forwarded = adders(Xid.MAX_SLOT + 1);
  private final LongAdder[] lost = adders(Xid.MAX_SLOT + 1);
  private final LongAdder[] handOverNanos = adders(Xid.MAX_SLOT + 1);
  private final LongAdder[] stayed = adders(Reason.values().length);
  private final LongAdder served = new LongAdder();

  private static LongAdder[] adders(int count) {
    LongAdder[] adders = new LongAdder[count];
    Arrays.setAll(adders, i -> new LongAdder());
    return adders;
  }

  /**
   * A transaction was forwarded.
   *
   * @param slot of the target node
   * @param nanos until the first message was sent
   */
  public void countForwarded(int slot, long nanos) {
    forwarded[slot].increment();
    handOverNanos[slot].add(nanos);
  }

  /** A node with a forwarded transaction was lost. */
  public void countLost(int slot) {
    lost[slot].increment();
  }

  /** A transaction of another node's client was forwarded to this node. */
  public void countServed() {
    served.increment();
  }

  public void countStayed(Reason reason) {
    stayed[reason.ordinal()].increment();
  }

  /** Transactions forwarded to a node. */
  public long forwarded(int slot) {
    return forwarded[slot].sum();
  }

  /** Transactions forwarded to any node. */
  public long forwarded() {
    return Arrays.stream(forwarded).mapToLong(LongAdder::sum).sum();
  }

  /** Those of them that were lost with the node. */
  public long lost(int slot) {
    return lost[slot].sum();
  }

  public long handOverNanos(int slot) {
    return handOverNanos[slot].sum();
  }

  public long stayed(Reason reason) {
    return stayed[reason.ordinal()].sum();
  }

  public long servedForOthers() {
    return served.sum();
  }

  /** Slots to which any were forwarded. */
  public List<Integer> targets() {
    return java.util.stream.IntStream.rangeClosed(1, Xid.MAX_SLOT)
        .filter(slot -> forwarded(slot) > 0)
        .boxed()
        .toList();
  }
}
