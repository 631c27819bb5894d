package io.gauss.compute.txn.undo;

import io.gauss.common.id.Xid;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The undo segments that this node holds, by compute slot: its own always; those of a dead node
 * while it stands in for that node, and while that node is away and nothing changes in them. It
 * answers from memory about segments that it holds; about all others it has to ask.
 *
 * <p>Of other slots it knows what was found when the segments were read, and nothing of what the
 * slot's node does when it is back: that has higher sequences, or other segments, and {@link #of}
 * does not answer about it (rule 34).
 *
 * <p>Reads take no locks. A slot appears here only when all of its segments are known.
 */
public final class UndoSlots {
  private static final VarHandle HELD = MethodHandles.arrayElementVarHandle(UndoSegments[].class);

  private final UndoSegments[] held = new UndoSegments[Xid.MAX_SLOT + 1]; // changed under lock
  private final boolean[] atRest = new boolean[Xid.MAX_SLOT + 1]; // under lock
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

  /**
   * The segments that have this transaction; null when another node has to be asked. To be asked
   * once for a decision: they may be given up at any moment, and what was held stays right about
   * the transactions in it.
   */
  public UndoSegments of(long xid) {
    UndoSegments segments = find(Xid.slot(xid));
    return segments == null || segments == own || segments.mayHave(xid) ? segments : null;
  }

  /** The segment of a transaction; null when another node holds it, or when there is none. */
  public UndoSegment segment(long xid) {
    UndoSegments segments = of(xid);
    return segments == null ? null : segments.get(Xid.index(xid));
  }

  /** From now on this node answers for the slot, until it is {@link #release released}. */
  public synchronized void hold(UndoSegments segments) {
    atRest[segments.slot() - 1] = false;
    HELD.setRelease(held, segments.slot() - 1, segments);
  }

  /**
   * This node has read the segments of a slot whose node is away, and answers for itself from them.
   *
   * @param still whether they are as they were when the reading began; {@link #releaseAtRest} is
   *     called after it has become false
   */
  public synchronized void holdAtRest(UndoSegments segments, BooleanSupplier still) {
    if (still.getAsBoolean()) {
      atRest[segments.slot() - 1] = true;
      HELD.setRelease(held, segments.slot() - 1, segments);
    }
  }

  /** From now on another node answers for the slot, which is not this node's own. */
  public synchronized void release(int slot) {
    HELD.setRelease(held, slot - 1, null);
  }

  /** Forgets a slot's segments if they were only read, and this node does not stand in for it. */
  public synchronized void releaseAtRest(int slot) {
    if (atRest[slot - 1]) {
      HELD.setRelease(held, slot - 1, null);
    }
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
