package io.gauss.compute.wait;

import io.gauss.common.id.PageId;
import java.util.Locale;

/**
 * What a session waits for now, other than locks, which its transaction tells.
 *
 * @param cause in lower case, such as {@code page}
 * @param page that is waited for; {@link PageId#NONE} for other causes
 * @param nanos for how long; below 0 = not known
 */
public record CurrentWait(String cause, long page, long nanos) {
  /** The statement is over; its answer waits until the commit may be told. */
  public static final CurrentWait COMMIT = new CurrentWait("commit", PageId.NONE, -1);

  /** A wait for a page says so by what it parks on. */
  public interface ForPage {
    long pageId();
  }

  /** What a thread is parked on: a {@link WaitCause}, a {@link ForPage}, or something else. */
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
