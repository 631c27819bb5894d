package io.gauss.compute.txn.undo;

import io.gauss.common.id.Xid;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;

/**
 * The undo segments that this node holds, by compute slot: its own always, those of a dead node
 * while it stands in for that node. It answers from memory about segments that it holds; about all
 * others it has to ask.
 *
 * <p>Reads take no locks. A slot appears here only when all of its segments are known.
 */
public final class UndoSlots {
  private static final VarHandle HELD = MethodHandles.arrayElementVarHandle(UndoSegments[].class);

  private final UndoSegments[] held = new UndoSegments[Xid.MAX_SLOT + 1];
  private final UndoSegments own;

  public UndoSlots(UndoSegments own) {
    this.own = own;
    hold(own);
  }

  public UndoSegments own() {
    return own;
  }

  /** The segments of a slot, null when another node holds them. */
  public UndoSegments find(int slot) {
    return (UndoSegments) HELD.getAcquire(held, slot - 1);
  }

  /** The segment of a transaction; null when another node holds it, or when there is none. */
  public UndoSegment segment(long xid) {
    UndoSegments segments = find(Xid.slot(xid));
    return segments == null ? null : segments.get(Xid.index(xid));
  }

  public void hold(UndoSegments segments) {
    HELD.setRelease(held, segments.slot() - 1, segments);
  }

  /** From now on another node answers for the slot, which is not this node's own. */
  public void release(int slot) {
    HELD.setRelease(held, slot - 1, null);
  }

  public void forEach(Consumer<UndoSegment> action) {
    for (int slot = 1; slot <= Xid.MAX_SLOT; slot++) {
      UndoSegments segments = find(slot);
      if (segments != null) {
        for (int number = 1; number <= segments.count(); number++) {
          action.accept(segments.get(number));
        }
      }
    }
  }
}
