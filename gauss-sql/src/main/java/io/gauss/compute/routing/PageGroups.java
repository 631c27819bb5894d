package io.gauss.compute.routing;

import io.gauss.common.id.PageId;
import io.gauss.compute.space.SpaceMapLayout;

/**
 * Groups of pages, the unit in which routing thinks: an extent of a tree, that is 64 pages that one
 * node allocated one after the other. Who fills a table in the order of its keys has neighbouring
 * keys in a group, and pages that came by splits are those of the node that split them.
 *
 * <p>A group's number has the space in its high 32 bits and the extent in the low ones. To others
 * it is a mere number.
 */
public final class PageGroups {
  private PageGroups() {}

  /** The group of a page. */
  public static long of(long pageId) {
    int extent = Integer.divideUnsigned(PageId.number(pageId), SpaceMapLayout.EXTENT_PAGES);
    return PageId.of(PageId.space(pageId), extent);
  }
}
