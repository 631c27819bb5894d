package io.gauss.common.error;

/**
 * Failures whose cause lies outside of whoever meets them, and has been reported where it arose:
 * this node stops or has lost its place, others do not answer, a disk is full or has failed.
 * Everything that runs then fails in the same way, and a stack trace of each would say nothing but
 * that.
 */
public final class Outage {
  private Outage() {}

  /** Whether a failure is to be logged as a line, without its stack trace. */
  public static boolean is(Throwable failure) {
    return failure instanceof GaussException e
        && switch (e.state()) {
          case ADMIN_SHUTDOWN, CANNOT_CONNECT_NOW, DISK_FULL, IO_ERROR -> true;
          default -> false;
        };
  }
}
