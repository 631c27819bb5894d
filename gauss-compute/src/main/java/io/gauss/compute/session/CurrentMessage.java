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

  private boolean mayRollBack;

  /** The client's next message, of whatever kind; it runs nothing as far as is known. */
  void begins() {
    text = "";
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
    mayRollBack = false;
  }

  /** The next message fails with this instead of being run. */
  void failNext(GaussException with) {
    failure = with;
    failedText = null;
    mayRollBack = false;
  }

  /** The same, unless it only rolls back a block. */
  void failUnlessRolledBack(GaussException with) {
    failNext(with);
    mayRollBack = true;
  }

  private boolean onlyRollsBack() {
    CommitScan scan = new CommitScan();
    scan.begin(true);
    scan.runs(text);
    return !scan.isInBlock() && !scan.mayCommit();
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

  /** Reports an error that is still to be reported. */
  void rethrow() {
    if (failure != null && mayRollBack && onlyRollsBack()) {
      reported();
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
}
