package io.gauss.compute.routing;

import io.gauss.common.id.PageId;
import io.gauss.compute.space.SpaceMapLayout;

/**
 * Groups of pages, the unit that routing works with: an extent of a tree, that is 64 pages that one
 * node allocated one after the other. If a table is filled in key order, a group contains
 * neighbouring keys. Pages that result from splits are in groups of the node that made the splits.
 *
 * <p>A group's number has the space in its high 32 bits and the extent in the low ones. Other code
 * treats it as an opaque number.
 */
public final class PageGroups {
  private PageGroups() {}

  /** The group of a page. */
  public static long of(long pageId) {
    int extent = Integer.divideUnsigned(PageId.number(pageId), SpaceMapLayout.EXTENT_PAGES);
    return PageId.of(PageId.space(pageId), extent);
  }
}
