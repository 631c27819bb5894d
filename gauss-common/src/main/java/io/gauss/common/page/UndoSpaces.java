package io.gauss.common.page;

import io.gauss.common.id.Xid;

/**
 * Numbers of the spaces that hold undo: each compute slot has its own, so that no other node needs
 * the pages of its segments, their directory and the extents below them, unless it reads an old
 * version or takes over from a dead node. Part of the format.
 */
public final class UndoSpaces {
  /** The space of slot s is this plus s. */
  public static final int BEFORE_FIRST = 64;

  /** The number after the last one. */
  public static final int END = BEFORE_FIRST + Xid.MAX_SLOT + 1;

  private UndoSpaces() {}

  public static int of(int slot) {
    if (slot < 1 || slot > Xid.MAX_SLOT) {
      throw new IllegalArgumentException("slot " + slot);
    }
    return BEFORE_FIRST + slot;
  }

  /** The space where the undo of a transaction lies. */
  public static int ofXid(long xid) {
    return BEFORE_FIRST + Xid.slot(xid);
  }

  public static boolean contains(int space) {
    return space > BEFORE_FIRST && space < END;
  }

  /** The slot whose undo lies in a space for which {@link #contains} is true. */
  public static int slot(int space) {
    return space - BEFORE_FIRST;
  }
}
