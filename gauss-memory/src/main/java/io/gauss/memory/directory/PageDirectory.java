package io.gauss.memory.directory;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import java.util.function.LongConsumer;

/**
 * The page directory of one event loop: an entry for each page whose state the home must remember.
 *
 * <p>Bounded: when it is full, a new page gets an error. No entry is dropped to make room, since
 * each records which node may write its page. Entries are dropped when their content is known from
 * elsewhere (see {@link EntryDrops}). Belongs to one thread, so there are no locks; {@link #size},
 * {@link #capacity} and {@link #bytes} may be read by any.
 */
public final class PageDirectory implements AutoCloseable {
  private final String name;
  private final long capacity;
  private final ChronicleEntries entries;
  private final BucketPages pages = new BucketPages();
  private final long bytes;
  private volatile long size; // written by the owning thread only

  /**
   * @param name for error messages and Chronicle's
   * @param capacity most entries
   */
  public PageDirectory(String name, long capacity) {
    this.name = name;
    this.capacity = capacity;
    this.entries = new ChronicleEntries(name, capacity);
    this.bytes = entries.bytes();
  }

  /** Moves the view to the page's entry; false when there is none. */
  public boolean find(long page, DirectoryEntry entry) {
    long address = entries.find(page);
    if (address == 0) {
      return false;
    }
    entry.at(address);
    return true;
  }

  /**
   * Moves the view to the page's entry, which is created when there is none.
   *
   * @return true when it was made
   * @throws GaussException 53200 when there is none and no room for it
   */
  public boolean findOrCreate(long page, DirectoryEntry entry) {
    if (size < capacity) {
      long address = entries.findOrCreate(page);
      entry.at(address);
      if (!entry.isNew()) {
        return false;
      }
      entry.clear();
      pages.add(page);
      setSize(size + 1);
      return true;
    }
    if (!find(page, entry)) {
      throw new GaussException(
              SqlState.OUT_OF_MEMORY,
              "no room for page %s in the page directory of %s"
                  .formatted(PageId.toString(page), name))
          .detail("It has " + capacity + " entries, the most that directory.entries allows.");
    }
    return false;
  }

  /** Removes the page's entry; false when there was none. */
  public boolean remove(long page) {
    if (entries.find(page) == 0) {
      return false;
    }
    entries.remove(page);
    pages.remove(page);
    setSize(size - 1);
    return true;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
  private void setSize(long now) {
    size = now;
  }

  public long size() {
    return size;
  }

  public long capacity() {
    return capacity;
  }

  /** Bytes reserved off-heap for the maximum number of entries. */
  public long bytes() {
    return bytes;
  }

  // ---- by bucket

  /** Pages of the bucket that have an entry. */
  public int count(int bucket) {
    return pages.count(bucket);
  }

  /** Visits the pages of the bucket that have an entry; the visitor may remove them. */
  public void forEach(int bucket, LongConsumer visitor) {
    for (long extent : pages.extents(bucket)) {
      pages.forEach(extent, visitor);
    }
  }

  /** Extents of the bucket that have entries now, to be walked a few at a time. */
  public long[] extents(int bucket) {
    return pages.extents(bucket);
  }

  /** Visits the pages of the extent that have an entry; the visitor may remove them. */
  public void forEachOfExtent(long extent, LongConsumer visitor) {
    pages.forEach(extent, visitor);
  }

  /** Removes the entries of all pages of the bucket. */
  public void removeBucket(int bucket) {
    forEach(bucket, this::remove);
  }

  @Override
  public void close() {
    entries.close();
  }
}
