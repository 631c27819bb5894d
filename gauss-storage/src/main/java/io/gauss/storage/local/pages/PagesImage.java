package io.gauss.storage.local.pages;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.common.page.PageLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * An image of a page store's pages at one moment, for a replica that is rebuilt from it. Other work
 * on the store continues meanwhile.
 *
 * <p>Invariant: the pages contain every stream up to the offset that is given for it (rule 28: an
 * offset is below the first record that is parked or not folded, so these need not be part of the
 * image). Pages may be newer than the offsets.
 *
 * <p>For one thread; closed before the store is.
 */
public final class PagesImage implements AutoCloseable {
  private final Path directory;
  private final Map<Integer, Long> offsets;
  private final KeyValueStore.Cursor cursor;
  private final Runnable released;

  PagesImage(
      Path directory, Map<Integer, Long> offsets, KeyValueStore.Cursor cursor, Runnable released) {
    this.directory = directory;
    this.offsets = Map.copyOf(offsets);
    this.cursor = cursor;
    this.released = released;
    cursor.seek(new byte[] {PageKeyLayout.PAGE});
  }

  /** By stream, the offset up to which the pages contain it. */
  public Map<Integer, Long> offsets() {
    return new TreeMap<>(offsets);
  }

  /**
   * Id of the next page, in ascending order; {@link PageId#NONE} when there is none.
   *
   * @throws GaussException XX001 when the store is damaged at that page, IO_ERROR when it cannot be
   *     read
   */
  public long nextPage() {
    if (!cursor.isValid()) {
      try {
        cursor.check();
      } catch (KeyValueStore.Failure e) {
        throw PageTable.translate("cannot read page store " + directory, e);
      }
      return PageId.NONE;
    }
    byte[] key = cursor.key();
    if (key[0] != PageKeyLayout.PAGE) {
      return PageId.NONE;
    }
    return ByteBuffer.wrap(key).order(ByteOrder.BIG_ENDIAN).getLong(1);
  }

  /**
   * Puts the next page into the buffer, with its checksum as on disk, and advances to the one after
   * it.
   *
   * @param to with room for a page
   */
  public void take(ByteBuffer to) {
    ByteBuffer page = to.slice(to.position(), PageLayout.PAGE_BYTES);
    int length = cursor.value(page);
    if (length != PageLayout.PAGE_BYTES) {
      throw new GaussException(
          SqlState.DATA_CORRUPTED, "page store " + directory + ": a page has " + length + " bytes");
    }
    to.position(to.position() + PageLayout.PAGE_BYTES);
    cursor.next();
  }

  @Override
  public void close() {
    cursor.close();
    released.run();
  }
}
