package io.gauss.common.memory;

import io.gauss.common.invariant.Invariant;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * What {@link Memory} may access in its checked mode: the allocations, each as long as its arena
 * lives, and memory of others that was named by {@link Memory#foreign}, of which only the bounds
 * are known. Thread-safe.
 *
 * <p>The table of allocations is a sorted array that is copied when it changes. A small cache finds
 * most addresses without a search; it is read and written without synchronization, which is
 * harmless since a region does not change and its life is looked at each time.
 *
 * <p>Allocations that are over stay in the table until their place is used again, so that an access
 * can be told from one that never was in bounds.
 */
final class CheckedMemory {
  private static final Class<?> AUTOMATIC = Arena.ofAuto().scope().getClass();
  private static final int CACHE = 1 << 10;
  private static final int CACHE_SHIFT = 12;
  private static final int SWEEP_AT = 1 << 10;

  private static final Region[] cached = new Region[CACHE];
  private static final ConcurrentSkipListMap<Long, Long> foreign = new ConcurrentSkipListMap<>();
  private static volatile Table table = new Table(new Region[0]);

  private CheckedMemory() {}

  /** One allocation; {@code end} is the first address behind it. */
  private static final class Region {
    private final long start;
    private final long end;
    private final MemorySegment.Scope scope;
    private final WeakReference<MemorySegment.Scope> automatic;

    Region(long start, long end, MemorySegment.Scope scope) {
      this.start = start;
      this.end = end;
      // What the garbage collector frees must not be kept by being watched.
      boolean isAutomatic = scope.getClass() == AUTOMATIC;
      this.scope = isAutomatic ? null : scope;
      this.automatic = isAutomatic ? new WeakReference<>(scope) : null;
    }

    boolean isAlive() {
      return scope != null ? scope.isAlive() : !automatic.refersTo(null);
    }

    boolean has(long from, long to) {
      return start <= from && to <= end;
    }

    boolean overlaps(long from, long to) {
      return start < to && from < end;
    }

    @Override
    public String toString() {
      return "the %d bytes at 0x%x".formatted(end - start, start);
    }
  }

  /** Regions in the order of their addresses, none of which overlap. */
  private record Table(Region[] regions) {

    /** The last region that starts at or below the address; null = none. */
    Region floor(long address) {
      int low = 0;
      int high = regions.length;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (regions[middle].start <= address) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low == 0 ? null : regions[low - 1];
    }

    /** Without dead regions in the way, and without any when there are many. */
    Table without(long from, long to) {
      boolean sweep = regions.length >= SWEEP_AT;
      Region[] left =
          Arrays.stream(regions)
              .filter(region -> region.isAlive() || !(sweep || region.overlaps(from, to)))
              .toArray(Region[]::new);
      return left.length == regions.length ? this : new Table(left);
    }

    Table with(Region region) {
      Region[] all = Arrays.copyOf(regions, regions.length + 1);
      int at = regions.length;
      while (at > 0 && all[at - 1].start > region.start) {
        all[at] = all[at - 1];
        at--;
      }
      all[at] = region;
      return new Table(all);
    }
  }

  /** From now on the segment may be accessed, as long as its scope lives. */
  static synchronized void allocated(MemorySegment segment) {
    long start = segment.address();
    long end = start + segment.byteSize();
    Table now = table.without(start, end);
    for (Region region : now.regions) {
      if (region.overlaps(start, end)) {
        throw Invariant.broken("allocated 0x%x, within %s".formatted(start, region));
      }
    }
    forgetForeign(start, end); // it was freed, or it would not be allocated anew
    table = now.with(new Region(start, end, segment.scope()));
  }

  private static void forgetForeign(long start, long end) {
    Map.Entry<Long, Long> before = foreign.lowerEntry(start);
    if (before != null && before.getValue() > start) {
      foreign.remove(before.getKey());
    }
    foreign.subMap(start, end).clear();
  }

  /** From now on this memory, which others have allocated, may be accessed. */
  static void foreign(long start, long bytes) {
    long end = start + bytes;
    Long known = foreign.get(start);
    if (known != null && known == end) {
      return;
    }
    synchronized (CheckedMemory.class) {
      Region region = table.floor(start);
      if (region != null && region.isAlive() && region.has(start, end)) {
        return; // it is ours after all
      }
      table = table.without(start, end);
      forgetForeign(start, end);
      foreign.put(start, end);
    }
  }

  /**
   * Checks an access.
   *
   * @throws AssertionError when it is out of bounds, or its memory has been freed
   */
  static void check(long address, long bytes) {
    long end = address + bytes;
    int slot = (int) (address >>> CACHE_SHIFT) & CACHE - 1;
    Region region = cached[slot];
    if (bytes > 0 && region != null && region.has(address, end) && region.isAlive()) {
      return;
    }
    find(address, bytes, slot);
  }

  private static void find(long address, long bytes, int slot) {
    if (bytes == 0) {
      return; // as with arrays, an empty range may begin anywhere
    }
    long end = address + bytes;
    Region region = table.floor(address);
    if (bytes > 0 && region != null && region.has(address, end) && region.isAlive()) {
      cached[slot] = region;
      return;
    }
    Map.Entry<Long, Long> others = foreign.floorEntry(address);
    if (bytes < 0 || others == null || end > others.getValue()) {
      throw Invariant.broken(flaw(address, bytes, region));
    }
  }

  private static String flaw(long address, long bytes, Region below) {
    String access = "%d bytes at 0x%x".formatted(bytes, address);
    if (below == null) {
      return access + " were never allocated";
    }
    if (below.has(address, address + 1) && !below.isAlive()) {
      return access + " are used after " + below + " were freed";
    }
    return access + " are out of bounds: the nearest allocation is " + below;
  }
}
