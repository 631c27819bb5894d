package io.gauss.compute.space;

import io.gauss.common.page.PageLayout;
import io.gauss.common.redo.MtrLayout;
import io.gauss.common.redo.RedoPayload;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.mtr.PageRecords;

/** Redo records of pages that are byte arrays behind the header: maps, directory, meta page. */
final class SpaceRecords {
  static final int FORMAT_BYTES =
      2 * MtrLayout.RECORD_HEADER_BYTES + RedoPayload.FORMAT_KEYS + RedoPayload.WRITE_BYTES + 2;

  private SpaceRecords() {}

  static int writeBytes(int bytes) {
    return MtrLayout.RECORD_HEADER_BYTES + RedoPayload.WRITE_BYTES + bytes;
  }

  /** Makes an empty page whose header declares no free gap: page images keep all of its bytes. */
  static void format(Mtr mtr, PageGuard page, int type) {
    PageRecords.format(mtr, page, type, 0);
    PageRecords.startWrite(mtr, page, PageLayout.FREE_START);
    mtr.putShort(PageLayout.PAGE_BYTES);
    mtr.endRecord();
  }

  /**
   * Writes the entries of extents {@code from} to {@code from + count - 1}, all equal, in one map
   * page.
   */
  static void writeEntries(Mtr mtr, PageGuard map, int from, int count, int node, int state) {
    PageRecords.startWrite(mtr, map, SpaceMapLayout.entry(from));
    for (int i = 0; i < count; i++) {
      mtr.putInt(SpaceMapLayout.entryOf(node, state));
    }
    mtr.endRecord();
  }

  /** The entry of one extent. */
  static void writeEntry(Mtr mtr, PageGuard map, int extent, int node, int state, int freed) {
    PageRecords.writeInt(
        mtr, map, SpaceMapLayout.entry(extent), SpaceMapLayout.entryOf(node, state, freed));
  }

  /** A new map page whose first extents are taken. */
  static void formatMap(Mtr mtr, PageGuard map, int firstExtent, int count, int node, int state) {
    format(mtr, map, io.gauss.common.page.PageType.SPACE_MAP);
    PageRecords.writeInt(mtr, map, SpaceMapLayout.NUMBER, firstExtent / SpaceMapLayout.EXTENTS);
    PageRecords.writeInt(mtr, map, SpaceMapLayout.COUNT, SpaceMapLayout.EXTENTS);
    writeEntries(mtr, map, firstExtent, count, node, state);
  }

  static int formatMapBytes(int count) {
    return FORMAT_BYTES + 2 * writeBytes(4) + writeBytes(count * SpaceMapLayout.ENTRY_BYTES);
  }
}
