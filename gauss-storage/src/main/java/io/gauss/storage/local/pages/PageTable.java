package io.gauss.storage.local.pages;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.health.Problem;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageChecksum;
import io.gauss.common.page.PageLayout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.zip.CRC32C;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.Options;
import org.rocksdb.RateLimiter;
import org.rocksdb.RateLimiterMode;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Snapshot;
import org.rocksdb.Status;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * Pages and checkpoint offsets in RocksDB, see {@link PageKeyLayout}.
 *
 * <p>RocksDB's own WAL is off: redo is the WAL. A write is durable once a flush that began after it
 * has ended; with one column family, memtables become durable in the order in which they were
 * filled, so an offset never becomes durable before the pages that were written ahead of it. Pages
 * are stored in blob files, so compaction moves keys of 9 bytes and not pages. The block cache is
 * tiny, since the buffer pools cache pages and the system caches files.
 *
 * <p>Every page gets its checksum when it is written, and the checksum is verified when it is read.
 * Thread-safe; each thread uses its own {@link Access}.
 */
final class PageTable implements AutoCloseable {
  /**
   * Directory where the native library is unpacked; by default the system's temporary directory.
   */
  private static final String NATIVE_DIRECTORY = "gauss.native.directory";

  static {
    String directory = System.getProperty(NATIVE_DIRECTORY);
    try {
      if (directory != null) {
        NativeLibraryLoader.getInstance().loadLibrary(directory);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("RocksDB's library cannot be unpacked in " + directory, e);
    }
    RocksDB.loadLibrary();
  }

  // Every compaction moves the pages that it encounters out of the oldest blob files. So fewer
  // compactions over fewer of these files write less; the price is space for old pages.
  private static final int LEVEL0_FILES = 16;
  private static final double BLOB_AGE_CUTOFF = 0.25;
  private static final double BLOB_GARBAGE_MAX = 0.7;

  /** Buffers of one thread. */
  static final class Access {
    private final ByteBuffer key = ByteBuffer.allocateDirect(PageKeyLayout.PAGE_KEY_BYTES);
    private final CRC32C crc = new CRC32C();
  }

  private final Path directory;
  private final Options options;
  private final BloomFilter filter;
  private final LRUCache cache;
  private final RateLimiter limiter;
  private final WriteOptions writes;
  private final ReadOptions reads;
  private final RocksDB db;
  private final DamageScan scan;

  private PageTable(
      Path directory,
      Options options,
      BloomFilter filter,
      LRUCache cache,
      RateLimiter limiter,
      WriteOptions writes,
      ReadOptions reads,
      RocksDB db) {
    this.directory = directory;
    this.options = options;
    this.filter = filter;
    this.cache = cache;
    this.limiter = limiter;
    this.writes = writes;
    this.reads = reads;
    this.db = db;
    this.scan = new DamageScan(db);
  }

  /**
   * Opens or creates the table.
   *
   * @param writeBytesPerSecond maximum that flushes and compactions write together
   * @throws GaussException XX001 when it is damaged, IO_ERROR otherwise
   */
  @SuppressWarnings("resource")
  static PageTable open(Path directory, long memtableBytes, long writeBytesPerSecond) {
    BloomFilter filter = new BloomFilter(10);
    LRUCache cache = new LRUCache(8 << 20);
    // Flushes and compactions would otherwise write as fast as the disk takes it, and forces of the
    // log would wait behind them. Not auto-tuned: auto-tuning begins at a twentieth of the limit,
    // and a shutdown's checkpoint took minutes.
    RateLimiter limiter =
        new RateLimiter(
            writeBytesPerSecond,
            RateLimiter.DEFAULT_REFILL_PERIOD_MICROS,
            RateLimiter.DEFAULT_FAIRNESS,
            RateLimiterMode.WRITES_ONLY,
            false);
    Options options =
        new Options()
            .setCreateIfMissing(true)
            .setWriteBufferSize(memtableBytes)
            .setMaxWriteBufferNumber(3)
            .setMaxBackgroundJobs(2)
            .setCompressionType(CompressionType.NO_COMPRESSION)
            .setEnableBlobFiles(true)
            .setMinBlobSize(1024)
            .setBlobFileSize(256L << 20)
            .setEnableBlobGarbageCollection(true)
            .setBlobGarbageCollectionAgeCutoff(BLOB_AGE_CUTOFF)
            .setBlobGarbageCollectionForceThreshold(BLOB_GARBAGE_MAX)
            .setLevel0FileNumCompactionTrigger(LEVEL0_FILES)
            .setLevel0SlowdownWritesTrigger(3 * LEVEL0_FILES)
            .setLevel0StopWritesTrigger(4 * LEVEL0_FILES)
            .setBytesPerSync(1 << 20)
            .setRateLimiter(limiter)
            .setMaxOpenFiles(512)
            .setKeepLogFileNum(3)
            .setMaxLogFileSize(4 << 20)
            .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
            .setStatsDumpPeriodSec(0)
            .setAvoidFlushDuringShutdown(true)
            .setTableFormatConfig(
                new BlockBasedTableConfig()
                    .setBlockCache(cache)
                    .setFilterPolicy(filter)
                    .setBlockSize(4096)
                    .setFormatVersion(5));
    WriteOptions writes = new WriteOptions().setDisableWAL(true);
    ReadOptions reads = new ReadOptions().setVerifyChecksums(true);
    try {
      Files.createDirectories(directory);
      RocksDB db = RocksDB.open(options, directory.toString());
      PageTable table =
          new PageTable(directory, options, filter, cache, limiter, writes, reads, db);
      table.checkVersion();
      return table;
    } catch (IOException e) {
      throw new GaussException(
          SqlState.IO_ERROR, "cannot open page store " + directory + ": " + e, e);
    } catch (RocksDBException e) {
      throw translate("cannot open page store " + directory, e);
    }
  }

  private void checkVersion() throws RocksDBException {
    byte[] found = db.get(reads, PageKeyLayout.metaKey());
    if (found == null) {
      db.put(writes, PageKeyLayout.metaKey(), PageKeyLayout.metaValue());
    } else if (!java.util.Arrays.equals(found, PageKeyLayout.metaValue())) {
      throw new GaussException(
          SqlState.DATA_CORRUPTED,
          "page store " + directory + " has another format version, or its meta key is damaged");
    }
  }

  /** Checkpoint offsets by stream. */
  Map<Integer, Long> offsets() {
    return offsets(reads);
  }

  private Map<Integer, Long> offsets(ReadOptions as) {
    Map<Integer, Long> offsets = new TreeMap<>();
    try (RocksIterator iterator = db.newIterator(as)) {
      for (iterator.seek(new byte[] {PageKeyLayout.STREAM});
          iterator.isValid() && iterator.key()[0] == PageKeyLayout.STREAM;
          iterator.next()) {
        int stream = PageKeyLayout.streamOfKey(iterator.key());
        long offset = PageKeyLayout.offsetOfStreamValue(iterator.value());
        if (offset < 0) {
          throw new GaussException(
              SqlState.DATA_CORRUPTED,
              "page store " + directory + ": the offset of stream " + stream + " is damaged");
        }
        offsets.put(stream, offset);
      }
      iterator.status();
    } catch (RocksDBException e) {
      throw translate("cannot read page store " + directory, e);
    }
    return offsets;
  }

  /**
   * An image of all present pages and offsets; the caller closes it before this table is closed.
   *
   * @param closed called once it is
   */
  PagesImage image(Runnable closed) {
    Snapshot snapshot = db.getSnapshot();
    ReadOptions as =
        new ReadOptions().setSnapshot(snapshot).setVerifyChecksums(true).setFillCache(false);
    try {
      return new PagesImage(
          directory,
          offsets(as),
          db.newIterator(as),
          () -> {
            as.close();
            db.releaseSnapshot(snapshot);
            snapshot.close();
            closed.run();
          });
    } catch (RuntimeException e) {
      as.close();
      db.releaseSnapshot(snapshot);
      snapshot.close();
      throw e;
    }
  }

  /**
   * Reads a page into memory; zeroes it when it was never written. The checksum field is zeroed: it
   * is used only on disk.
   *
   * @return the page's LSN
   */
  long read(Access access, long pageId, long page) {
    ByteBuffer value = Memory.buffer(page, PageLayout.PAGE_BYTES);
    PageKeyLayout.pageKey(access.key, pageId);
    int length;
    try {
      length = db.get(reads, access.key, value);
    } catch (RocksDBException e) {
      throw translate("cannot read page " + PageId.toString(pageId) + " in " + directory, e);
    }
    if (length == RocksDB.NOT_FOUND) {
      Memory.zero(page, PageLayout.PAGE_BYTES);
      return 0;
    }
    if (length != PageLayout.PAGE_BYTES) {
      throw damaged(pageId, "it has " + length + " bytes");
    }
    check(access, pageId, page);
    return Memory.getLong(page + PageLayout.LSN);
  }

  /**
   * Checks a few pages, see {@link DamageScan#walk}. For one thread at a time.
   *
   * @throws GaussException IO_ERROR
   */
  long walk(long from, int pages, LongConsumer seen) {
    try {
      return scan.walk(from, pages, seen);
    } catch (RocksDBException e) {
      throw translate("cannot read page store " + directory, e);
    }
  }

  private GaussException damaged(long pageId, String what) {
    return new GaussException(
        SqlState.DATA_CORRUPTED,
        "page " + PageId.toString(pageId) + " in " + directory + " is damaged: " + what);
  }

  /** Writes a page, durable with the next flush. The checksum field is used and zeroed again. */
  void write(Access access, long pageId, long page) {
    Memory.putInt(page + PageLayout.CHECKSUM, checksum(access, page));
    PageKeyLayout.pageKey(access.key, pageId);
    try {
      db.put(writes, access.key, Memory.buffer(page, PageLayout.PAGE_BYTES));
    } catch (RocksDBException e) {
      throw translate("cannot write page " + PageId.toString(pageId) + " in " + directory, e);
    } finally {
      Memory.putInt(page + PageLayout.CHECKSUM, 0);
    }
  }

  private static int checksum(Access access, long page) {
    access.crc.reset();
    access.crc.update(
        Memory.buffer(
            page + PageLayout.CHECKSUM + 4, PageLayout.PAGE_BYTES - PageLayout.CHECKSUM - 4));
    return (int) access.crc.getValue();
  }

  /**
   * Checks the checksum, the number and the version of a page in its stored form, and zeroes the
   * checksum.
   */
  void check(Access access, long pageId, long page) {
    int checksum = checksum(access, page);
    if (checksum != Memory.getInt(page + PageLayout.CHECKSUM)) {
      throw damaged(
          pageId,
          String.format(
              "checksum %08x, expected %08x", Memory.getInt(page + PageLayout.CHECKSUM), checksum));
    }
    long id = Memory.getLong(page + PageLayout.PAGE_ID);
    if (id != pageId && id != PageId.NONE) {
      throw damaged(pageId, "it is page " + PageId.toString(id));
    }
    PageChecksum.checkVersion(page, pageId, directory);
    Memory.putInt(page + PageLayout.CHECKSUM, 0);
  }

  /** Forgets the offset of a stream, with the next flush. */
  void forgetOffset(int stream) {
    try {
      db.delete(writes, PageKeyLayout.streamKey(stream));
    } catch (RocksDBException e) {
      throw translate("cannot forget stream " + stream + " in " + directory, e);
    }
  }

  /** Writes offsets atomically, and makes them and every page written before durable. */
  void checkpoint(Map<Integer, Long> offsets) {
    try (WriteBatch batch = new WriteBatch();
        FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
      for (Map.Entry<Integer, Long> entry : offsets.entrySet()) {
        batch.put(
            PageKeyLayout.streamKey(entry.getKey()), PageKeyLayout.streamValue(entry.getValue()));
      }
      db.write(writes, batch);
      db.flush(flush);
    } catch (RocksDBException e) {
      throw translate("cannot make page store " + directory + " durable", e);
    }
  }

  /**
   * A failure that a client may see: 53100 for a full disk, XX001 for damage that RocksDB found.
   */
  static GaussException translate(String what, RocksDBException e) {
    Status status = e.getStatus();
    SqlState state = SqlState.IO_ERROR;
    if (status != null) {
      if (status.getSubCode() == Status.SubCode.NoSpace) {
        state = SqlState.DISK_FULL;
      } else if (status.getCode() == Status.Code.Corruption) {
        state = SqlState.DATA_CORRUPTED;
      }
    }
    if (e.getMessage() != null && e.getMessage().contains("No space left")) {
      state = SqlState.DISK_FULL;
    }
    return new GaussException(state, what + ": " + e.getMessage(), e);
  }

  /**
   * RocksDB's present problem; null when there is none. Must not be called during or after the
   * close.
   */
  Problem problem() {
    try {
      long errors = db.getLongProperty("rocksdb.background-errors");
      if (errors > 0) {
        return new Problem(
            "RocksDB has failed in the background", errors + " errors, see " + directory + "/LOG");
      }
      if (db.getLongProperty("rocksdb.is-write-stopped") != 0) {
        return new Problem(
            "RocksDB takes no writes", "its compactions are behind, see " + directory + "/LOG");
      }
      return null;
    } catch (RocksDBException e) {
      return new Problem("RocksDB does not answer", e.toString());
    }
  }

  boolean isClosed() {
    return !db.isOwningHandle();
  }

  @Override
  public void close() {
    scan.close();
    db.close();
    reads.close();
    writes.close();
    options.close();
    filter.close();
    cache.close();
    limiter.close();
  }
}
