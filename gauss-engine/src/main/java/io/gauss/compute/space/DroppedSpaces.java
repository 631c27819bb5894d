package io.gauss.compute.space;

import io.gauss.compute.mtr.EngineContext;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Dropped spaces that may still be in use: by statements, and by purge and other background work,
 * that had begun before on whichever node. When every snapshot of all nodes is newer than the drop,
 * nothing of that is left, and the pages are given back.
 *
 * <p>A space is known here to the node that dropped it. When that node ends before, the next node
 * that starts, or the one that recovers it, finds the space in the directory. Several nodes may
 * know it; the first one gives it back.
 *
 * <p>Thread-safe.
 */
public final class DroppedSpaces {
  private final Spaces spaces;

  /** By space, an LSN at or above that of its drop. */
  private final ConcurrentMap<Integer, Long> lsns = new ConcurrentHashMap<>();

  DroppedSpaces(Spaces spaces) {
    this.spaces = spaces;
  }

  void add(int space, long lsn) {
    lsns.putIfAbsent(space, lsn);
  }

  public boolean isEmpty() {
    return lsns.isEmpty();
  }

  /**
   * Gives back what nobody uses any more. May wait.
   *
   * @param horizon all snapshots of all nodes are at or above it
   * @return number of spaces
   */
  public int giveBack(EngineContext ctx, long horizon) {
    int count = 0;
    for (Map.Entry<Integer, Long> each : lsns.entrySet()) {
      if (each.getValue() < horizon) {
        spaces.unneeded(ctx, each.getKey());
        lsns.remove(each.getKey());
        count++;
      }
    }
    return count;
  }
}
