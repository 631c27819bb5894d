package io.gauss.common.page;

import io.gauss.common.id.Xid;

/**
 * Numbers of the spaces that hold undo: each compute slot has one of its own, so that its segments,
 * their directory and the extents below them are pages that no other node wants, unless it reads an
 * old version or takes over from a dead one. Part of the format.
 */
public final class UndoSpaces {
  /** The space of slot s is this plus s. */
  public static final int BEFORE_FIRST = 64;

  /** Behind the last one. */
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

  /** The slot whose undo lies in a space that {@link #contains} says is one. */
  public static int slot(int space) {
    return space - BEFORE_FIRST;
  }
}
