package io.gauss.storage.local.pages;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.health.Problem;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageChecksum;
import io.gauss.common.page.PageLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.zip.CRC32C;

/**
 * Pages and checkpoint offsets in a {@link KeyValueStore}, see {@link PageKeyLayout}.
 *
 * <p>Every page gets its checksum when it is written, and the checksum is verified when it is read.
 * Thread-safe; each thread uses its own {@link Access}.
 */
final class PageTable implements AutoCloseable {
  /** Buffers of one thread. */
  static final class Access {
    private final ByteBuffer key = ByteBuffer.allocateDirect(PageKeyLayout.PAGE_KEY_BYTES);
    private final CRC32C crc = new CRC32C();
  }

  private final Path directory;
  private final KeyValueStore db;

  private PageTable(Path directory, KeyValueStore db) {
    this.directory = directory;
    this.db = db;
  }

  /**
   * Opens the table in a store, and closes the store if that fails.
   *
   * @param directory for messages
   * @throws GaussException XX001 when it is damaged, IO_ERROR otherwise
   */
  static PageTable open(Path directory, KeyValueStore db) {
    PageTable table = new PageTable(directory, db);
    try {
      table.checkVersion();
      return table;
    } catch (KeyValueStore.Failure e) {
      db.close();
      throw translate("cannot open page store " + directory, e);
    } catch (GaussException e) {
      db.close();
      throw e;
    }
  }

  private void checkVersion() throws KeyValueStore.Failure {
    byte[] found = db.get(PageKeyLayout.metaKey());
    if (found == null) {
      db.put(PageKeyLayout.metaKey(), PageKeyLayout.metaValue());
    } else if (!Arrays.equals(found, PageKeyLayout.metaValue())) {
      throw new GaussException(
          SqlState.DATA_CORRUPTED,
          "page store " + directory + " has another format version, or its meta key is damaged");
    }
  }

  /** Checkpoint offsets by stream. */
  Map<Integer, Long> offsets() {
    try (KeyValueStore.Cursor cursor = db.cursor()) {
      return offsets(cursor);
    }
  }

  private Map<Integer, Long> offsets(KeyValueStore.Cursor cursor) {
    Map<Integer, Long> offsets = new TreeMap<>();
    try {
      for (cursor.seek(new byte[] {PageKeyLayout.STREAM});
          cursor.isValid() && cursor.key()[0] == PageKeyLayout.STREAM;
          cursor.next()) {
        int stream = PageKeyLayout.streamOfKey(cursor.key());
        long offset = PageKeyLayout.offsetOfStreamValue(cursor.value());
        if (offset < 0) {
          throw new GaussException(
              SqlState.DATA_CORRUPTED,
              "page store " + directory + ": the offset of stream " + stream + " is damaged");
        }
        offsets.put(stream, offset);
      }
      if (!cursor.isValid()) {
        cursor.check();
      }
    } catch (KeyValueStore.Failure e) {
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
    KeyValueStore.Cursor cursor = db.snapshot();
    try {
      return new PagesImage(directory, offsets(cursor), cursor, closed);
    } catch (RuntimeException e) {
      cursor.close();
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
      length = db.get(access.key, value);
    } catch (KeyValueStore.Failure e) {
      throw translate("cannot read page " + PageId.toString(pageId) + " in " + directory, e);
    }
    if (length == KeyValueStore.NOT_FOUND) {
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
      return db.walk(from, pages, seen);
    } catch (KeyValueStore.Failure e) {
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
      db.put(access.key, Memory.buffer(page, PageLayout.PAGE_BYTES));
    } catch (KeyValueStore.Failure e) {
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

  /**
   * Deletes all pages of a space, with the next flush.
   *
   * @return false when it has none
   */
  boolean deleteSpace(int space) {
    byte[] from = PageKeyLayout.spaceKey(space);
    byte[] below = PageKeyLayout.spaceKey(space + 1);
    try (KeyValueStore.Cursor cursor = db.cursor()) {
      cursor.seek(from);
      if (!cursor.isValid()) {
        cursor.check();
        return false;
      }
      if (Arrays.compareUnsigned(cursor.key(), below) >= 0) {
        return false;
      }
      db.deleteRange(from, below);
      return true;
    } catch (KeyValueStore.Failure e) {
      throw translate("cannot delete the pages of space " + space + " in " + directory, e);
    }
  }

  /** See {@link KeyValueStore#reclaim}. */
  void reclaim() {
    db.reclaim();
  }

  /** See {@link KeyValueStore#reclaimedBytes}. */
  long reclaimedBytes() {
    return db.reclaimedBytes();
  }

  /** Forgets the offset of a stream, with the next flush. */
  void forgetOffset(int stream) {
    try {
      db.delete(PageKeyLayout.streamKey(stream));
    } catch (KeyValueStore.Failure e) {
      throw translate("cannot forget stream " + stream + " in " + directory, e);
    }
  }

  /** Writes offsets atomically, and makes them and every page written before durable. */
  void checkpoint(Map<Integer, Long> offsets) {
    Map<byte[], byte[]> values = new LinkedHashMap<>();
    offsets.forEach(
        (stream, offset) ->
            values.put(PageKeyLayout.streamKey(stream), PageKeyLayout.streamValue(offset)));
    try {
      db.checkpoint(values);
    } catch (KeyValueStore.Failure e) {
      throw translate("cannot make page store " + directory + " durable", e);
    }
  }

  /**
   * A failure that a client may see: 53100 for a full disk, XX001 for damage that the store found.
   */
  static GaussException translate(String what, KeyValueStore.Failure e) {
    return new GaussException(e.state(), what + ": " + e.getMessage(), e);
  }

  /** See {@link KeyValueStore#problem}. */
  Problem problem() {
    return db.problem();
  }

  boolean isClosed() {
    return db.isClosed();
  }

  @Override
  public void close() {
    db.close();
  }
}
