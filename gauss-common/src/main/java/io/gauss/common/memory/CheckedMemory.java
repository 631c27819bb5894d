package io.gauss.common.memory;

import io.gauss.common.invariant.Invariant;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The memory that {@link Memory} may access in its checked mode: the allocations, each while its
 * arena lives, and foreign memory that was registered by {@link Memory#foreign}, of which only the
 * bounds are known. Thread-safe.
 *
 * <p>The table of allocations is a sorted array that is copied when it changes. A small cache finds
 * most addresses without a search; it is read and written without synchronization, which is
 * harmless since a region is immutable and its liveness is checked each time.
 *
 * <p>Ended allocations stay in the table until their addresses are used again, so that an access to
 * freed memory can be distinguished from one that was never in bounds.
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

  /** One allocation; {@code end} is the first address after it. */
  private static final class Region {
    private final long start;
    private final long end;
    private final MemorySegment.Scope scope;
    private final WeakReference<MemorySegment.Scope> automatic;

    Region(long start, long end, MemorySegment.Scope scope) {
      this.start = start;
      this.end = end;
      // Being watched must not keep alive memory that the garbage collector frees.
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

    /**
     * A table without dead regions in the range, and without any dead regions when there are many.
     */
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

  /** From now on the segment may be accessed while its scope lives. */
  static synchronized void allocated(MemorySegment segment) {
    long start = segment.address();
    long end = start + segment.byteSize();
    Table now = table.without(start, end);
    for (Region region : now.regions) {
      if (region.overlaps(start, end)) {
        throw Invariant.broken("allocated 0x%x, within %s".formatted(start, region));
      }
    }
    forgetForeign(start, end); // it must have been freed, or it would not be allocated again
    table = now.with(new Region(start, end, segment.scope()));
  }

  private static void forgetForeign(long start, long end) {
    Map.Entry<Long, Long> before = foreign.lowerEntry(start);
    if (before != null && before.getValue() > start) {
      foreign.remove(before.getKey());
    }
    foreign.subMap(start, end).clear();
  }

  /** From now on this foreign memory may be accessed. */
  static void foreign(long start, long bytes) {
    long end = start + bytes;
    Long known = foreign.get(start);
    if (known != null && known == end) {
      return;
    }
    synchronized (CheckedMemory.class) {
      Region region = table.floor(start);
      if (region != null && region.isAlive() && region.has(start, end)) {
        return; // it is one of our own allocations
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
