package io.gauss.storage.local.pages;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.health.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.rocksdb.AbstractNativeReference;
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
 * RocksDB below a page store.
 *
 * <p>RocksDB's own WAL is off: redo is the WAL. A write is durable once a flush that began after it
 * has ended; with one column family, memtables become durable in the order in which they were
 * filled. Pages are stored in blob files, so compaction moves keys of 9 bytes and not pages. The
 * block cache is tiny, since the buffer pools cache pages and the system caches files.
 */
final class RocksStore implements KeyValueStore {
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

  private final Path directory;

  /** Closed after the database, in this order. */
  private final List<AbstractNativeReference> used;

  private final WriteOptions writes;
  private final ReadOptions reads;
  private final RocksDB db;
  private final DamageScan scan;
  private final RocksReclaim reclaim;

  private RocksStore(
      Path directory,
      List<AbstractNativeReference> used,
      WriteOptions writes,
      ReadOptions reads,
      RocksDB db) {
    this.directory = directory;
    this.used = used;
    this.writes = writes;
    this.reads = reads;
    this.db = db;
    this.scan = new DamageScan(db);
    this.reclaim = new RocksReclaim(db, BLOB_AGE_CUTOFF);
  }

  /**
   * Opens or creates the store.
   *
   * @param writeBytesPerSecond maximum that flushes and compactions write together
   * @throws GaussException XX001 when it is damaged, IO_ERROR otherwise
   */
  @SuppressWarnings("resource")
  static RocksStore open(Path directory, long memtableBytes, long writeBytesPerSecond) {
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
      return new RocksStore(
          directory, List.of(reads, writes, options, filter, cache, limiter), writes, reads, db);
    } catch (IOException e) {
      throw new GaussException(
          SqlState.IO_ERROR, "cannot open page store " + directory + ": " + e, e);
    } catch (RocksDBException e) {
      Failure failure = failure(e);
      throw new GaussException(
          failure.state(), "cannot open page store " + directory + ": " + e.getMessage(), e);
    }
  }

  @Override
  public int get(ByteBuffer key, ByteBuffer value) throws Failure {
    try {
      int length = db.get(reads, key, value);
      return length == RocksDB.NOT_FOUND ? NOT_FOUND : length;
    } catch (RocksDBException e) {
      throw failure(e);
    }
  }

  @Override
  public byte[] get(byte[] key) throws Failure {
    try {
      return db.get(reads, key);
    } catch (RocksDBException e) {
      throw failure(e);
    }
  }

  @Override
  public void put(ByteBuffer key, ByteBuffer value) throws Failure {
    try {
      db.put(writes, key, value);
    } catch (RocksDBException e) {
      throw failure(e);
    }
  }

  @Override
  public void put(byte[] key, byte[] value) throws Failure {
    try {
      db.put(writes, key, value);
    } catch (RocksDBException e) {
      throw failure(e);
    }
  }

  @Override
  public void delete(byte[] key) throws Failure {
    try {
      db.delete(writes, key);
    } catch (RocksDBException e) {
      throw failure(e);
    }
  }

  @Override
  public void deleteRange(byte[] from, byte[] below) throws Failure {
    try {
      db.deleteRange(writes, from, below);
    } catch (RocksDBException e) {
      throw failure(e);
    }
    reclaim.add(from, below);
  }

  @Override
  public void reclaim() {
    reclaim.start();
  }

  @Override
  public long reclaimedBytes() {
    return reclaim.bytes();
  }

  @Override
  public void checkpoint(Map<byte[], byte[]> values) throws Failure {
    try (WriteBatch batch = new WriteBatch();
        FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
      for (Map.Entry<byte[], byte[]> entry : values.entrySet()) {
        batch.put(entry.getKey(), entry.getValue());
      }
      db.write(writes, batch);
      db.flush(flush);
    } catch (RocksDBException e) {
      throw failure(e);
    }
  }

  @Override
  public Cursor cursor() {
    return new RocksCursor(db.newIterator(reads), () -> {});
  }

  @Override
  public Cursor snapshot() {
    Snapshot snapshot = db.getSnapshot();
    ReadOptions as =
        new ReadOptions().setSnapshot(snapshot).setVerifyChecksums(true).setFillCache(false);
    return new RocksCursor(
        db.newIterator(as),
        () -> {
          as.close();
          db.releaseSnapshot(snapshot);
          snapshot.close();
        });
  }

  private record RocksCursor(RocksIterator iterator, Runnable released) implements Cursor {
    @Override
    public void seek(byte[] key) {
      iterator.seek(key);
    }

    @Override
    public boolean isValid() {
      return iterator.isValid();
    }

    @Override
    public void check() throws Failure {
      try {
        iterator.status();
      } catch (RocksDBException e) {
        throw failure(e);
      }
    }

    @Override
    public byte[] key() {
      return iterator.key();
    }

    @Override
    public byte[] value() {
      return iterator.value();
    }

    @Override
    public int value(ByteBuffer to) {
      return iterator.value(to);
    }

    @Override
    public void next() {
      iterator.next();
    }

    @Override
    public void close() {
      iterator.close();
      released.run();
    }
  }

  @Override
  public long walk(long from, int pages, LongConsumer seen) throws Failure {
    try {
      return scan.walk(from, pages, seen);
    } catch (RocksDBException e) {
      throw failure(e);
    }
  }

  private static Failure failure(RocksDBException e) {
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
    return new Failure(state, e.getMessage(), e);
  }

  @Override
  public Problem problem() {
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

  @Override
  public boolean isClosed() {
    return !db.isOwningHandle();
  }

  @Override
  public void close() {
    reclaim.close();
    scan.close();
    db.close();
    used.forEach(AbstractNativeReference::close);
  }
}
