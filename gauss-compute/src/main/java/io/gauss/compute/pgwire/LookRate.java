package io.gauss.compute.pgwire;

import java.util.concurrent.TimeUnit;

/**
 * How many of a session's transactions are looked at to find out where they belong, which costs a
 * good part of what a short query does: all of them until many in a row have stayed, then fewer and
 * fewer. All are again as soon as one of the few goes, or something else is published. A session
 * that has few transactions has one looked at each second. Not thread-safe.
 */
final class LookRate {
  /** Transactions in a row that stayed before most others are not looked at. */
  static final int ENOUGH = 64;

  /** At first one in so many is looked at then; one in {@link #ONE_IN_AT_LAST} in the end. */
  static final int ONE_IN = 16;

  static final int ONE_IN_AT_LAST = 256;

  /** Of those that are looked at, so many have to stay before only half as many are. */
  private static final int HALVED_AFTER = 16;

  private static final int MOST_HALVINGS = Integer.numberOfTrailingZeros(ONE_IN_AT_LAST / ONE_IN);

  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Others that are looked at before one that has stayed for want of a gain is forgotten. */
  private static final int GAINLESS_FOR = 64;

  private int stayed; // in a row, of those that were looked at
  private int gainless; // counts down from the last one that stayed for that
  private long version;
  private long lookedNanos;

  /**
   * Whether the transaction that begins is to be looked at.
   *
   * @param published version of what is published
   * @param lot any number, drawn at random
   * @param now ns
   */
  boolean looks(long published, int lot, long now) {
    if (published != version) {
      version = published;
      stayed = 0;
    }
    return !isLow() || Math.floorMod(lot, oneIn()) == 0 || now - lookedNanos >= LONGEST_NANOS;
  }

  /**
   * It has shown where a transaction belongs. BEGIN, or what pools ask to see whether a connection
   * lives, shows nothing: then what follows is looked at.
   */
  void decided(long now) {
    lookedNanos = now;
  }

  /** Whether most transactions are not looked at now. */
  boolean isLow() {
    return stayed >= ENOUGH;
  }

  private int oneIn() {
    return ONE_IN << Math.min(MOST_HALVINGS, (stayed - ENOUGH) / HALVED_AFTER);
  }

  /** Whether of late any has stayed that belongs elsewhere, since going there saves nothing. */
  boolean isGainless() {
    return gainless > 0;
  }

  /** A transaction that was looked at stays though it belongs elsewhere. */
  void staysForNoGain() {
    stays();
    gainless = GAINLESS_FOR;
  }

  /** A transaction that was looked at stays. */
  void stays() {
    gainless = Math.max(0, gainless - 1);
    stayed = Math.min(stayed + 1, ENOUGH + MOST_HALVINGS * HALVED_AFTER);
  }

  /** A transaction that was looked at belongs to another node, and its like go there. */
  void goes() {
    stayed = 0;
  }
}
