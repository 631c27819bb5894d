package io.gauss.compute.sql.exec.spill;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;

/**
 * The memory of something that cannot spill: a window's partition, the rows that a recursive UNION
 * remembers. Bounded for itself and, together with all others of the node, by {@link
 * StatementMemory}. Small ones do not count. Confined to one thread.
 */
public final class UnspillableMemory {
  /** Bytes from which it counts. */
  private static final long LEAST_COUNTED = 1 << 20;

  private final long most;
  private final String what;
  private StatementMemory of;
  private long held;

  /**
   * @param most bytes of this one
   * @param what takes them, for the error: "a partition of a window function takes"
   */
  public UnspillableMemory(long most, String what) {
    this.most = most;
    this.what = what;
  }

  /**
   * It takes so many bytes now.
   *
   * @throws GaussException 53200 when that is more than it may have, or than there is
   */
  public void take(StatementMemory memory, long bytes) {
    if (bytes > most) {
      throw refused("%s more than %d MB.".formatted(what, most >> 20));
    }
    if (bytes < LEAST_COUNTED) {
      return;
    }
    if (!memory.resizeUnspillable(held, bytes)) {
      throw refused("%s more memory than other statements leave.".formatted(what));
    }
    of = memory;
    held = bytes;
  }

  /** It takes nothing any more; may be called more than once. */
  public void release() {
    if (held > 0) {
      of.resizeUnspillable(held, 0);
      held = 0;
    }
  }

  private static GaussException refused(String detail) {
    return new GaussException(SqlState.OUT_OF_MEMORY, "out of memory").detail(detail);
  }
}
