package io.gauss.storage.map.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.PageId;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The function from pages to buckets, on which all nodes have to agree. */
class PageBucketsTest {
  @Test
  void thesePagesAreInTheseBuckets() {
    int[] buckets = {
      PageBuckets.of(PageId.of(0, 0)),
      PageBuckets.of(PageId.of(1, 0)),
      PageBuckets.of(PageId.of(1, 63)),
      PageBuckets.of(PageId.of(1, 64)),
      PageBuckets.of(PageId.of(128, 0xFFFF_FFFF)),
      PageBuckets.of(PageId.of(-1, -1))
    };
    assertEquals("[0, 2677, 2677, 3213, 2114, 925]", Arrays.toString(buckets));
  }

  @Test
  void neighbouringExtentsOfManySpacesAreSpreadEvenly() {
    int[] counts = new int[PageBuckets.BUCKETS];
    int extents = 0;
    for (int space = 1; space <= 200; space++) {
      for (int extent = 0; extent < 2_048; extent++) {
        counts[PageBuckets.of(PageId.of(space, extent * PageBuckets.EXTENT_PAGES))]++;
        extents++;
      }
    }
    int mean = extents / PageBuckets.BUCKETS;
    // 100 in a bucket on average, standard deviation 10: six of these either way.
    assertTrue(Arrays.stream(counts).min().orElseThrow() > mean - 60);
    assertTrue(Arrays.stream(counts).max().orElseThrow() < mean + 60);
  }
}
