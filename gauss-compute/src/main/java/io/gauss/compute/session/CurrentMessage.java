package io.gauss.compute.session;

import io.gauss.common.error.GaussException;

/**
 * What the message that a session handles runs, and an error that it has to report yet. Whether a
 * message was to begin a block decides what becomes of the session when it fails (rule 40), so a
 * text must never be taken for that of a later message. Belongs to the session.
 *
 * <p>A message that failed where nothing may wait is handled again elsewhere and fails again, as
 * the message that it was.
 */
final class CurrentMessage {
  private String text = "";
  private GaussException failure;

  /** The text with which the message failed that will fail again; null = it has not run yet. */
  private String failedText;

  /** The error says that a block is lost: that may be ended. */
  private boolean isOfBlock;

  /** The message that has failed with it was to commit the block. */
  private boolean endsBlock;

  /** The client's next message, of whatever kind; it runs nothing as far as is known. */
  void begins() {
    text = "";
    endsBlock = false;
  }

  /** It runs this, whole or cut off. */
  void runs(String what) {
    text = what;
  }

  /** Whether it runs a BEGIN. */
  boolean isBegin() {
    return LeadingBegin.is(text);
  }

  // ---------------------------------------------------------------- failure

  /** The message fails with this when it is handled again. */
  void failsAgain(GaussException with) {
    failure = with;
    failedText = text;
    isOfBlock = false;
  }

  /** The next message fails with this instead of being run. */
  void failNext(GaussException with) {
    failure = with;
    failedText = null;
    isOfBlock = false;
  }

  /**
   * The block is lost, as the next statement reports, unless that only rolls back. As in
   * PostgreSQL, a COMMIT that fails ends the block, too.
   */
  void failBlock(GaussException with) {
    failNext(with);
    isOfBlock = true;
  }

  private static CommitScan scan(String what) {
    CommitScan scan = new CommitScan();
    scan.begin(true);
    scan.runs(what);
    return scan;
  }

  /** Whether an error is still to be reported. */
  boolean hasToFail() {
    return failure != null;
  }

  /** It has been reported. */
  void reported() {
    failure = null;
    failedText = null;
  }

  /** Whether the message that has just failed was to commit a block that is lost. */
  boolean endsBlock() {
    return endsBlock;
  }

  /** Reports an error that is still to be reported, since the message runs its text now. */
  void rethrow() {
    if (failure != null && isOfBlock) {
      CommitScan scan = scan(text);
      if (scan.onlyRollsBack()) {
        reported();
      }
      endsBlock = scan.onlyCommits();
    }
    if (failure != null) {
      GaussException reported = failure;
      if (failedText != null) {
        text = failedText;
      }
      reported();
      throw reported;
    }
  }

  /**
   * The same, for a message that runs nothing yet: the statement that ends a lost block is prepared
   * and described, and then run.
   *
   * @param what text that the message is about; empty = none, and another message reports that a
   *     block is lost
   */
  void rethrowBefore(String what) {
    if (failure != null && isOfBlock) {
      CommitScan scan = scan(what);
      if (what.isEmpty() || scan.onlyRollsBack() || scan.onlyCommits()) {
        return;
      }
    }
    rethrow();
  }
}
