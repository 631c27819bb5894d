package io.gauss.common.id;

import io.gauss.common.invariant.Invariant;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The one clock of a node, from which LSNs, CSNs and snapshots come (rule 1: one clock).
 *
 * <p>Invariants: the clock never goes back; every issued LSN carries this node's number and is
 * above every LSN issued or observed before. Reading the clock for a snapshot takes no tick.
 * Thread-safe.
 */
public final class LamportClock {
  private volatile int node;
  private final AtomicLong now;

  /**
   * @param node this node's number, 1 to {@link Lsn#MAX_NODE}
   * @param start an LSN at or above every LSN this node may have issued or seen before
   */
  public LamportClock(int node, long start) {
    if (node < 1 || node > Lsn.MAX_NODE) {
      throw new IllegalArgumentException("node number " + node);
    }
    this.node = node;
    this.now = new AtomicLong(Lsn.of(Lsn.counter(start), node));
    observe(start);
  }

  private LamportClock() {
    this.now = new AtomicLong(Lsn.NONE);
  }

  /**
   * A clock that observes other clocks but issues nothing: for a node that gets its number when it
   * joins. It must get its number through {@link #number} before the first {@link #next}.
   */
  public static LamportClock unnumbered() {
    return new LamportClock();
  }

  /**
   * Gives an unnumbered clock its node's number, once.
   *
   * @throws IllegalStateException when it has another one
   */
  public synchronized void number(int number) {
    if (number < 1 || number > Lsn.MAX_NODE) {
      throw new IllegalArgumentException("node number " + number);
    }
    if (node == number) {
      return;
    }
    if (node != 0) {
      throw new IllegalStateException("a clock of node " + node + " cannot become that of another");
    }
    node = number;
    // A value observed without a number may be above the same counter with this number.
    now.updateAndGet(
        heard -> Lsn.of(Lsn.counter(heard) + (Lsn.node(heard) > number ? 1 : 0), number));
  }

  public int node() {
    return node;
  }

  /** The current value: a snapshot at it sees the commits at or below it. */
  public long now() {
    return now.get();
  }

  /**
   * Issues {@code count} consecutive LSNs and returns the first; the i-th is {@code first + i *
   * Lsn.STEP}.
   */
  public long next(int count) {
    Invariant.check(node != 0, "a clock without a number issues nothing");
    long step = Lsn.STEP * count;
    return now.getAndAdd(step) + Lsn.STEP;
  }

  /**
   * Raises the clock so that everything issued from now on is above {@code lsn}, and {@code now()
   * >= lsn}.
   */
  public void observe(long lsn) {
    long current = now.get();
    while (current < lsn) {
      long raised = Lsn.of(Lsn.counter(lsn) + (Lsn.node(lsn) > node ? 1 : 0), node);
      if (now.compareAndSet(current, raised)) {
        return;
      }
      current = now.get();
    }
  }
}
