package io.gauss.memory.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import io.gauss.common.invariant.Invariant;
import io.gauss.common.memory.Slab;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;

/**
 * The page bytes that one event loop caches, in a slab of slots. Bounded by its size in bytes.
 * Caffeine's W-TinyLFU decides on the loop's own thread which pages stay; it holds the slots'
 * numbers and no bytes. A page that was not admitted or was evicted is read from storage when it is
 * needed again: nothing exists only here (law 9, the memory tier forgets safely).
 *
 * <p>Belongs to one thread; the counters may be read by any.
 *
 * <p>Invariant: each slot is in the free list or belongs to one page of the policy.
 */
public final class PageCache {
  private static final int SMALLEST = 2;

  private final Slab slab;
  private final int slots;
  private final int[] free;
  private final Cache<Long, Integer> policy;
  private final PageSlot writer = new PageSlot();
  private final LongConsumer evicted;
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder evictions = new LongAdder();
  private int freeCount;
  private volatile int size; // written by the owning thread only

  /**
   * A cache of as many slots as fit.
   *
   * @param bytes at least those of two slots
   * @param evicted receives the page that was evicted or not admitted
   */
  public PageCache(long bytes, LongConsumer evicted) {
    this.slots = (int) Math.min(Integer.MAX_VALUE - 8, bytes / SlotLayout.BYTES);
    if (slots < SMALLEST) {
      throw new IllegalArgumentException("a page cache of " + bytes + " bytes");
    }
    this.evicted = evicted;
    this.slab = Slab.allocate((long) slots * SlotLayout.BYTES);
    this.free = new int[slots];
    for (int i = 0; i < slots; i++) {
      free[i] = slots - 1 - i; // the lowest numbers are allocated first
    }
    this.freeCount = slots;
    // A new page needs a slot before the policy decides which page to evict, so one slot is always
    // free.
    this.policy =
        Caffeine.newBuilder()
            .maximumSize(slots - 1L)
            .executor(Runnable::run)
            .evictionListener(this::evict)
            .build();
  }

  private void evict(Long page, Integer slot, RemovalCause cause) {
    giveBack(slot);
    evictions.increment();
    evicted.accept(page);
  }

  /**
   * Caches a page if the policy admits it; a page that is already cached keeps its slot.
   *
   * @param lsn of these bytes
   * @param stream of the record with that LSN
   * @param from address of the page's bytes
   * @return false when the cached page is newer
   */
  public boolean put(long page, SlotKind kind, long lsn, int stream, long from) {
    Integer known = policy.getIfPresent(page);
    if (known != null) {
      long slot = address(known);
      if (PageSlot.lsn(slot) > lsn) {
        return false;
      }
      writer.write(slot, kind, page, lsn, stream, from);
      return true;
    }
    int slot = takeFree();
    writer.write(address(slot), kind, page, lsn, stream, from);
    policy.put(page, slot);
    return true;
  }

  /** Address of the page's slot, 0 when it is not cached; counts as a use. */
  public long find(long page) {
    Integer slot = policy.getIfPresent(page);
    if (slot == null) {
      misses.increment();
      return 0;
    }
    hits.increment();
    return address(slot);
  }

  /** Removes the page; false when it was not cached. */
  public boolean remove(long page) {
    Integer slot = policy.asMap().remove(page);
    if (slot == null) {
      return false;
    }
    giveBack(slot);
    return true;
  }

  private int takeFree() {
    if (freeCount <= 1) {
      policy.cleanUp();
    }
    Invariant.check(freeCount != 0, "no slot is free of {}, {} are used", slots, size);
    int slot = free[--freeCount];
    setSize(slots - freeCount);
    return slot;
  }

  private void giveBack(int slot) {
    writer.clear(address(slot));
    free[freeCount++] = slot;
    setSize(slots - freeCount);
  }

  private void setSize(int now) {
    size = now;
  }

  private long address(int slot) {
    return slab.address() + (long) slot * SlotLayout.BYTES;
  }

  public int slots() {
    return slots;
  }

  /** Number of cached pages. */
  public int size() {
    return size;
  }

  /** Bytes of the slab. */
  public long bytes() {
    return (long) slots * SlotLayout.BYTES;
  }

  public long hits() {
    return hits.sum();
  }

  public long misses() {
    return misses.sum();
  }

  public long evictions() {
    return evictions.sum();
  }
}
