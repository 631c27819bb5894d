package io.gauss.storage.local.pages;

import io.gauss.common.id.PageId;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.LongConsumer;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.Status;

/**
 * Walks over the pages in RocksDB in the order of their ids, a few at a time, and finds unreadable
 * ones. Each walk is short, so that old files are not kept from being deleted.
 *
 * <p>RocksDB's iterator ends at a page that is damaged without saying which. The page is found by
 * bisection over the iterator's upper bound: with a bound at or before the page there is no damage,
 * with a later one there is.
 *
 * <p>For one thread at a time, and not while the database is closed.
 */
final class DamageScan implements AutoCloseable {
  private final RocksDB db;
  private final Slice end = new Slice(new byte[] {PageKeyLayout.PAGE + 1});
  private final ReadOptions reads;
  private final ByteBuffer key = ByteBuffer.allocateDirect(PageKeyLayout.PAGE_KEY_BYTES);

  DamageScan(RocksDB db) {
    this.db = db;
    this.reads =
        new ReadOptions().setVerifyChecksums(true).setFillCache(false).setIterateUpperBound(end);
  }

  /**
   * Continues the walk.
   *
   * @param from the first id to look at
   * @param pages maximum number of pages
   * @param seen called with each page that RocksDB could read, and with the one that it could not
   * @return where to continue; {@link PageId#NONE} when there are no more
   * @throws RocksDBException for any failure other than damage
   */
  long walk(long from, int pages, LongConsumer seen) throws RocksDBException {
    long last = from - 1;
    try (RocksIterator iterator = db.newIterator(reads)) {
      seek(iterator, from);
      for (int i = 0; i < pages && iterator.isValid(); i++) {
        last = idOf(iterator);
        seen.accept(last);
        iterator.next();
      }
      if (iterator.isValid()) {
        return idOf(iterator);
      }
      if (!isDamaged(iterator)) {
        return PageId.NONE;
      }
    }
    long damaged = firstDamaged(last + 1);
    seen.accept(damaged);
    return damaged + 1;
  }

  /** The first page from an id on, which is damaged. */
  private long firstDamaged(long from) throws RocksDBException {
    long before = from; // nothing damaged is before this
    long behind = Long.MAX_VALUE; // but before this
    while (behind - before > 1) {
      long middle = before + (behind - before) / 2;
      if (meetsDamage(from, middle)) {
        behind = middle;
      } else {
        before = middle;
      }
    }
    return before;
  }

  private boolean meetsDamage(long from, long bound) throws RocksDBException {
    byte[] boundKey =
        ByteBuffer.allocate(PageKeyLayout.PAGE_KEY_BYTES)
            .put(PageKeyLayout.PAGE)
            .putLong(bound)
            .array();
    try (Slice upper = new Slice(boundKey);
        ReadOptions bounded =
            new ReadOptions()
                .setVerifyChecksums(true)
                .setFillCache(false)
                .setIterateUpperBound(upper);
        RocksIterator iterator = db.newIterator(bounded)) {
      seek(iterator, from);
      return !iterator.isValid() && isDamaged(iterator);
    }
  }

  private void seek(RocksIterator iterator, long id) {
    PageKeyLayout.pageKey(key, id);
    iterator.seek(key);
  }

  private static long idOf(RocksIterator iterator) {
    return ByteBuffer.wrap(iterator.key()).order(ByteOrder.BIG_ENDIAN).getLong(1);
  }

  private static boolean isDamaged(RocksIterator iterator) throws RocksDBException {
    try {
      iterator.status();
      return false;
    } catch (RocksDBException e) {
      if (e.getStatus() != null && e.getStatus().getCode() == Status.Code.Corruption) {
        return true;
      }
      throw e;
    }
  }

  @Override
  public void close() {
    reads.close();
    end.close();
  }
}
