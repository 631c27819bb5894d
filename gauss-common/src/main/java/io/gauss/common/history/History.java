package io.gauss.common.history;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What clients did to some lists, and what came of it: each transaction reads lists by their key
 * and appends values, each of which is appended once. Thread-safe; a transaction belongs to one
 * thread.
 */
public final class History {
  private final List<Txn> transactions = new ArrayList<>(); // under its lock
  private final AtomicLong time = new AtomicLong();

  /** What a transaction ended with. */
  public enum Outcome {
    COMMITTED,
    ABORTED,
    /** The client does not know. */
    OPEN
  }

  /** A step of a transaction. */
  sealed interface Step {
    int key();

    /**
     * @param values the list as it was read
     * @param began before it was asked for
     */
    record Read(int key, List<Long> values, long began) implements Step {
      public Read {
        values = List.copyOf(values);
      }
    }

    /** A value was put at the end of the list. */
    record Append(int key, long value) implements Step {}
  }

  /** A transaction; times are positions in the order of all beginnings and ends. */
  public final class Txn {
    private final String name;
    private final List<Step> steps = new ArrayList<>();
    private final long began = time.incrementAndGet();
    private long ended = Long.MAX_VALUE;
    private Outcome outcome = Outcome.OPEN;

    private Txn(String name) {
      this.name = name;
    }

    /** The time before a read, for {@link #read}. */
    public long now() {
      return time.incrementAndGet();
    }

    public Txn read(int key, List<Long> values, long readBegan) {
      steps.add(new Step.Read(key, values, readBegan));
      return this;
    }

    /** Also when it is not certain that it was done. */
    public Txn append(int key, long value) {
      steps.add(new Step.Append(key, value));
      return this;
    }

    /** The client has heard the end, or will never hear it. */
    public void end(Outcome what) {
      outcome = what;
      ended = time.incrementAndGet();
    }

    String name() {
      return name;
    }

    List<Step> steps() {
      return steps;
    }

    long began() {
      return began;
    }

    long ended() {
      return ended;
    }

    Outcome outcome() {
      return outcome;
    }

    @Override
    public String toString() {
      return name + " " + outcome + " [" + began + ", " + ended + "] " + steps;
    }
  }

  /**
   * A transaction begins.
   *
   * @param name of the client and its count, for people
   */
  public Txn begin(String name) {
    Txn txn = new Txn(name);
    synchronized (transactions) {
      transactions.add(txn);
    }
    return txn;
  }

  /** All that have begun. */
  List<Txn> transactions() {
    synchronized (transactions) {
      return List.copyOf(transactions);
    }
  }

  /** How many have committed. */
  public long committed() {
    return transactions().stream().filter(txn -> txn.outcome == Outcome.COMMITTED).count();
  }
}
