package io.gauss.memory.home;

import io.gauss.memory.coherence.Slots;
import io.gauss.memory.directory.DirectoryEntry;
import io.gauss.memory.directory.PageDirectory;
import io.gauss.memory.wire.PageOwnersLayout.Holding;
import io.gauss.memory.wire.PageOwnersLayout.Key;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * Counts the pages of some buckets by holder, some extents at a time, so that a query does not
 * delay requests. Entries change meanwhile, so the counts do not reflect a single moment. Belongs
 * to the event loop.
 */
public final class OwnerCount {
  /** Each is up to 64 entries. */
  private static final int EXTENTS_IN_STEP = 8;

  /** Above this number of keys, further spaces are counted as space 0. */
  static final int MOST_KEYS = 50_000;

  private static final int OTHER_SPACES = 0;

  private final PageDirectory directory;
  private final IntPredicate isOpen;
  private final int[] buckets;
  private final DirectoryEntry entry = new DirectoryEntry();
  private final Map<Key, Long> counts = new HashMap<>();
  private int nextBucket;
  private long[] extents = {};
  private int nextExtent;

  /**
   * @param isOpen whether a bucket is served; the entries of other buckets are incomplete
   * @param buckets to be counted
   */
  public OwnerCount(PageDirectory directory, IntPredicate isOpen, int[] buckets) {
    this.directory = directory;
    this.isOpen = isOpen;
    this.buckets = buckets.clone();
  }

  /** Counts the next extents; false when all are counted. */
  public boolean step() {
    for (int left = EXTENTS_IN_STEP; left > 0; left--) {
      if (nextExtent < extents.length) {
        directory.forEachOfExtent(extents[nextExtent++], this::count);
      } else if (nextBucket < buckets.length) {
        int bucket = buckets[nextBucket++];
        extents = isOpen.test(bucket) ? directory.extents(bucket) : new long[0];
        nextExtent = 0;
      } else {
        return false;
      }
    }
    return true;
  }

  private void count(long page) {
    if (!directory.find(page, entry)) {
      return;
    }
    int space = (int) (page >>> 32);
    int owner = entry.owner() != 0 ? entry.owner() : entry.taker();
    switch (entry.state()) {
      case FREE -> {}
      case SHARED, REVOKING -> {
        Slots.forEach(entry.sharers(), slot -> add(space, slot, Holding.READER));
      }
      case OWNED, MOVING, ASKING -> add(space, owner, Holding.OWNER);
    }
    if (entry.hasBytes()) {
      add(space, 0, Holding.MEMORY);
    }
  }

  private void add(int space, int slot, Holding holding) {
    Key key = new Key(space, slot, holding);
    boolean fits = counts.size() < MOST_KEYS || counts.containsKey(key);
    counts.merge(fits ? key : new Key(OTHER_SPACES, slot, holding), 1L, Long::sum);
  }

  /** The counts. */
  public Map<Key, Long> counts() {
    return counts;
  }
}
