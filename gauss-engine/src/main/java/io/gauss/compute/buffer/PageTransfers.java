package io.gauss.compute.buffer;

import io.gauss.common.id.PageId;
import io.gauss.compute.buffer.SpaceTransfers.Count;
import io.gauss.memory.coherence.Mode;
import io.gauss.memory.holder.PageFrames.Source;
import io.gauss.memory.wire.TransferTimes;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which pages went between this node and others, why, and how long that took: in total and by
 * space. Counting costs something only when messages are sent anyway, and nothing when a page is
 * here. Thread-safe.
 */
public final class PageTransfers {
  /** Key under which further spaces are counted when there are too many. */
  public static final int OTHER_SPACES = 0;

  private static final int MOST_SPACES = 1024;

  private final SpaceTransfers all = new SpaceTransfers();
  private final Map<Integer, SpaceTransfers> spaces = new ConcurrentHashMap<>();

  /** Of all spaces. */
  public SpaceTransfers all() {
    return all;
  }

  /** By number of the space. */
  public Map<Integer, SpaceTransfers> spaces() {
    return new TreeMap<>(spaces);
  }

  private SpaceTransfers of(long pageId) {
    int space = PageId.space(pageId);
    SpaceTransfers known = spaces.get(space);
    if (known != null) {
      return known;
    }
    // The bound may be exceeded by the number of lanes.
    return spaces.computeIfAbsent(
        spaces.size() < MOST_SPACES ? space : OTHER_SPACES, s -> new SpaceTransfers());
  }

  /** Stops counting a space that was dropped. */
  void forget(int space) {
    spaces.remove(space);
  }

  private void count(long page, PageKind kind, Count what) {
    all.count(kind, what);
    of(page).count(kind, what);
  }

  private void record(long page, TransferPhase phase, long nanos) {
    all.phase(phase).record(nanos);
    of(page).phase(phase).record(nanos);
  }

  /**
   * A wanted page or right has come.
   *
   * @param nanos since it was wanted
   * @param times as {@link TransferTimes}, when it comes from a compute node
   */
  void came(long page, PageKind kind, Source source, Mode mode, long nanos, long times) {
    switch (source) {
      case COMPUTE -> {
        count(page, kind, mode == Mode.READ ? Count.COPY_IN : Count.OWNED_IN);
        long queued = TransferTimes.queuedNanos(times);
        long held = TransferTimes.heldNanos(times);
        record(page, TransferPhase.TOTAL, nanos);
        record(page, TransferPhase.QUEUE, queued);
        record(page, TransferPhase.OWNER, held);
        record(page, TransferPhase.TRAVEL, Math.max(0, nanos - queued - held));
      }
      case HOME, HERE -> count(page, kind, Count.FROM_MEMORY);
      case STORAGE -> count(page, kind, Count.FROM_STORAGE);
    }
  }

  void given(long page, PageKind kind, long turn, long revoke, long force) {
    count(page, kind, Count.OWNED_OUT);
    record(page, TransferPhase.TURN, turn);
    record(page, TransferPhase.REVOKE, revoke);
    record(page, TransferPhase.FORCE, force);
  }

  void confirmed(long page, long nanos) {
    record(page, TransferPhase.CONFIRM, nanos);
  }

  void copied(long page, PageKind kind, long turn) {
    count(page, kind, Count.COPY_OUT);
    record(page, TransferPhase.TURN, turn);
  }

  /** A leaf came for this. */
  public void cause(long page, TransferCause cause) {
    all.cause(cause);
    of(page).cause(cause);
  }
}
