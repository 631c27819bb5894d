package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds the heap that clients can take for as long as they like: messages that they have not sent
 * completely, prepared statements, portals and their parameters, savepoints and settings. What
 * would exceed the bound of a session, or that of all sessions of the node together, is refused
 * with 53200. Sizes are estimates; what a statement takes while it runs is bounded elsewhere.
 * Thread-safe.
 */
final class ClientMemory {
  /** Bytes that a session may take even with a small heap: a message of the longest kind. */
  private static final long LEAST_OF_SESSION = 80L << 20;

  private static final int SHARE_OF_HEAP = 4;
  private static final int SHARE_OF_SESSION = 2;

  private final long most;
  private final long mostOfSession;
  private final AtomicLong taken = new AtomicLong();

  /**
   * @param most bytes of all sessions
   * @param mostOfSession bytes of one
   */
  ClientMemory(long most, long mostOfSession) {
    this.most = most;
    this.mostOfSession = mostOfSession;
  }

  static ClientMemory ofHeap(long heapBytes) {
    long most = Math.max(heapBytes / SHARE_OF_HEAP, LEAST_OF_SESSION);
    return new ClientMemory(most, Math.max(most / SHARE_OF_SESSION, LEAST_OF_SESSION));
  }

  /** Bytes that are taken now. */
  long taken() {
    return taken.get();
  }

  Share open() {
    return new Share();
  }

  /** The part of one session; belongs to it. */
  final class Share implements AutoCloseable {
    private long used;

    private Share() {}

    /**
     * Something takes other room than before; nothing changes when that is refused.
     *
     * @param before what it was last given here; 0 when it is new
     * @param now 0 when it is freed
     * @throws GaussException 53200 when it takes more, and there is no more
     */
    void resize(long before, long now) {
      long more = now - before;
      if (more == 0) {
        return; // what all sessions share stays untouched
      }
      if (more > 0) {
        if (used + more > mostOfSession) {
          throw refused(
              "The session's prepared statements, portals, messages, savepoints and settings take"
                  + " %d bytes; the most is %d.",
              used + more, mostOfSession);
        }
        long all = taken.addAndGet(more);
        if (all > most) {
          taken.addAndGet(-more);
          throw refused(
              "The prepared statements, portals, messages, savepoints and settings of all"
                  + " sessions take %d bytes; the most is %d.",
              all, most);
        }
      } else {
        taken.addAndGet(more);
      }
      used += more;
    }

    @Override
    public void close() {
      taken.addAndGet(-used);
      used = 0;
    }
  }

  private static GaussException refused(String detail, long bytes, long bound) {
    return new GaussException(SqlState.OUT_OF_MEMORY, "out of memory")
        .detail(detail.formatted(bytes, bound))
        .hint("Close what is not needed any more, or give the node more heap.");
  }
}
