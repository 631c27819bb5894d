package io.gauss.storage.api;

import java.util.Arrays;

/**
 * Pages to read together, with the minimum version: a vector of stream offsets, an LSN for each
 * page, or both. Filled by one thread, then only read.
 */
public final class PageBatch {
  /** Most pages, and most floors, of a batch. */
  public static final int MOST = 256;

  private int pages;
  private long[] pageIds;
  private long[] lowestLsns;
  private int floors;
  private int[] streams = new int[1];
  private long[] offsets = new long[1];

  /**
   * @param expected number of pages
   */
  public PageBatch(int expected) {
    pageIds = new long[expected];
    lowestLsns = new long[expected];
  }

  /** One page, at an offset of one stream. */
  public static PageBatch of(long pageId, int stream, long atLeastOffset) {
    return new PageBatch(1).page(pageId, 0).floor(stream, atLeastOffset);
  }

  /** All pages must contain the records of this stream at least up to the offset. */
  public PageBatch floor(int stream, long atLeastOffset) {
    require(floors);
    if (floors == streams.length) {
      streams = Arrays.copyOf(streams, 2 * floors);
      offsets = Arrays.copyOf(offsets, 2 * floors);
    }
    streams[floors] = stream;
    offsets[floors++] = atLeastOffset;
    return this;
  }

  /**
   * Adds a page.
   *
   * @param lowestLsn minimum LSN of the page; 0 = any version
   */
  public PageBatch page(long pageId, long lowestLsn) {
    require(pages);
    if (pages == pageIds.length) {
      pageIds = Arrays.copyOf(pageIds, 2 * pages + 1);
      lowestLsns = Arrays.copyOf(lowestLsns, 2 * pages + 1);
    }
    pageIds[pages] = pageId;
    lowestLsns[pages++] = lowestLsn;
    return this;
  }

  private static void require(int count) {
    if (count == MOST) {
      throw new IllegalArgumentException("a batch of more than " + MOST);
    }
  }

  public int pages() {
    return pages;
  }

  public long pageId(int page) {
    return pageIds[page];
  }

  public long lowestLsn(int page) {
    return lowestLsns[page];
  }

  public int floors() {
    return floors;
  }

  public int floorStream(int floor) {
    return streams[floor];
  }

  public long floorOffset(int floor) {
    return offsets[floor];
  }
}
