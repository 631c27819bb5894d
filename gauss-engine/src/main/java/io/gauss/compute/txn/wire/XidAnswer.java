package io.gauss.compute.txn.wire;

/** What became of a transaction, as far as the snapshot that is asked for has to know. */
public sealed interface XidAnswer {

  /**
   * Not visible to the snapshot and never to be: still active, or committed above it; the asker may
   * not know which.
   */
  record NotYet() implements XidAnswer {}

  /** Rolled back, and over. */
  record Aborted() implements XidAnswer {}

  /** Committed, and everybody may know. */
  record Committed(long csn) implements XidAnswer {}

  /**
   * Every snapshot anywhere sees the outcome.
   *
   * @param below sequence below which that is so in the whole segment
   */
  record Passed(long below) implements XidAnswer {}

  /**
   * Committed at or below a CSN, by which rule 24 decides: the entry itself was overwritten.
   *
   * @param upTo that CSN
   */
  record Overwritten(long upTo) implements XidAnswer {}

  /** The segment does not exist. */
  record NoSegment() implements XidAnswer {}
}
