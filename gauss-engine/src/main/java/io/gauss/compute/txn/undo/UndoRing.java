package io.gauss.compute.txn.undo;

import java.util.Arrays;

/**
 * The pages of one undo segment in the order in which they were written, oldest first, with the
 * youngest sequence that has records in each.
 *
 * <p>After a restart the pages before the last are known by their links only: they are the
 * <em>past</em>, whose transactions have all ended, though snapshots of other nodes may need them.
 * Used by the segment's owner only.
 */
final class UndoRing {
  private int[] pages = new int[4];
  private long[] youngest = new long[4];
  private int first;
  private int count;
  private int pastFirst;

  /** First page of the past, 0 if there is none. */
  int pastFirst() {
    return pastFirst;
  }

  void past(int firstPage) {
    this.pastFirst = firstPage;
  }

  /** Known pages, the past not counted. */
  int size() {
    return count;
  }

  int oldest() {
    return pages[first];
  }

  int second() {
    return pages[(first + 1) & (pages.length - 1)];
  }

  int last() {
    return pages[lastIndex()];
  }

  long youngestOfOldest() {
    return youngest[first];
  }

  /** A record of this sequence was added to the last page. */
  void written(long sequence) {
    youngest[lastIndex()] = sequence;
  }

  void add(int page, long sequence) {
    if (count == pages.length) {
      int[] morePages = new int[count * 2];
      long[] moreYoungest = new long[count * 2];
      for (int i = 0; i < count; i++) {
        int from = (first + i) & (count - 1);
        morePages[i] = pages[from];
        moreYoungest[i] = youngest[from];
      }
      pages = morePages;
      youngest = moreYoungest;
      first = 0;
    }
    int index = (first + count) & (pages.length - 1);
    pages[index] = page;
    youngest[index] = sequence;
    count++;
  }

  int removeOldest() {
    int page = pages[first];
    first = (first + 1) & (pages.length - 1);
    count--;
    return page;
  }

  private int lastIndex() {
    return (first + count - 1) & (pages.length - 1);
  }

  @Override
  public String toString() {
    return "pages "
        + Arrays.toString(pages)
        + " from "
        + first
        + ", "
        + count
        + ", past "
        + pastFirst;
  }
}
