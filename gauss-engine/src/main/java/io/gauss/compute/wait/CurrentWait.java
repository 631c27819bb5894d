package io.gauss.compute.wait;

import io.gauss.common.id.PageId;
import java.util.Locale;

/**
 * A session's present wait, other than for locks, which its transaction reports.
 *
 * @param cause in lower case, such as {@code page}
 * @param page the page waited for; {@link PageId#NONE} for other causes
 * @param nanos duration so far; below 0 = not known
 */
public record CurrentWait(String cause, long page, long nanos) {
  /** The statement is over; its answer waits until the commit may be confirmed. */
  public static final CurrentWait COMMIT = new CurrentWait("commit", PageId.NONE, -1);

  /** A wait for a page is recognized by the object on which it parks. */
  public interface ForPage {
    long pageId();
  }

  /**
   * The wait of a thread by the object on which it is parked: a {@link WaitCause}, a {@link
   * ForPage}, or something else.
   */
  static CurrentWait of(Object blocker, long nanos) {
    return switch (blocker) {
      case ForPage wait ->
          new CurrentWait(WaitCause.PAGE.name().toLowerCase(Locale.ROOT), wait.pageId(), nanos);
      case WaitCause cause ->
          new CurrentWait(cause.name().toLowerCase(Locale.ROOT), PageId.NONE, nanos);
      default -> new CurrentWait("other", PageId.NONE, nanos);
    };
  }
}
