package io.gauss.storage.local;

/** Waiting for threads to end. */
final class Threads {
  private Threads() {}

  /**
   * Joins however often the caller is interrupted, and leaves the interrupt for the caller to see.
   */
  static void join(Thread thread) {
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
