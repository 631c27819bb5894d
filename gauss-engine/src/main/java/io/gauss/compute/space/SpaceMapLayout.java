package io.gauss.compute.space;

import io.gauss.common.page.PageLayout;

/**
 * A map page: which node holds which extents of a space, and whether they have unused pages. Page 0
 * of a space is its first map page; every {@link #EXTENTS} extents the first page of the extent is
 * the next one (rule 19).
 *
 * <pre>
 * offset size
 *   0    64   page header, type SPACE_MAP
 *  64     4   number of this map page in the space, from 0
 *  68     4   number of entries (2,000)
 *  72    56   zero
 * 128  8000   entries: extent (map number * 2000 + i), 4 bytes each
 *
 * entry
 *   0     1   node that holds the extent, 0 = none
 *   1     1   state: 0 free, 1 taken, 2 full
 *   2     2   how many of its pages other nodes have freed since its holder searched it,
 *             65535 = at least as many
 * </pre>
 *
 * <p>A <em>taken</em> extent may have unused pages; a <em>full</em> one had none when it was
 * searched. The pages themselves show which of them are used: never written (LSN 0) or of type FREE
 * means unused. Only the node that holds an extent uses pages of it again; a node that frees a page
 * of another node's extent counts it in the entry.
 */
public final class SpaceMapLayout {
  public static final int EXTENT_PAGES = 64;
  public static final int EXTENTS = 2000;
  public static final int PAGES = EXTENTS * EXTENT_PAGES;

  public static final int NUMBER = PageLayout.HEADER_BYTES;
  public static final int COUNT = NUMBER + 4;
  public static final int ENTRIES = 128;
  public static final int ENTRY_BYTES = 4;

  public static final int ENTRY_NODE = 0;
  public static final int ENTRY_STATE = 1;
  public static final int ENTRY_FREED = 2;
  public static final int FREED_MAX = 0xFFFF;

  public static final int FREE = 0;
  public static final int TAKEN = 1;
  public static final int FULL = 2;

  private SpaceMapLayout() {}

  /** Page number of the map page that holds an extent's entry. */
  public static int mapPage(int extent) {
    return extent / EXTENTS * PAGES;
  }

  /** Offset of an extent's entry in its map page. */
  public static int entry(int extent) {
    return ENTRIES + extent % EXTENTS * ENTRY_BYTES;
  }

  static int extentOf(int pageNumber) {
    return pageNumber / EXTENT_PAGES;
  }

  public static int firstPage(int extent) {
    return extent * EXTENT_PAGES;
  }

  /** Whether the extent's first page is a map page. */
  static boolean startsMap(int extent) {
    return extent % EXTENTS == 0;
  }

  /** An entry's four bytes as a little-endian integer, with no page freed by others. */
  static int entryOf(int node, int state) {
    return entryOf(node, state, 0);
  }

  static int entryOf(int node, int state, int freed) {
    return node | state << 8 | freed << 16;
  }
}
