package io.gauss.memory.home;

import io.gauss.memory.bucket.AppliedMarks;
import io.gauss.memory.bucket.BucketState;
import io.gauss.memory.directory.DirectoryEntry;
import io.gauss.memory.directory.EntryDrops;
import io.gauss.memory.directory.PageDirectory;
import io.gauss.storage.map.api.PageBuckets;
import java.util.function.IntFunction;

/**
 * Drops entries whose state storage also knows, once the directory is filling up. Each step sweeps
 * one bucket; rounds continue while they free entries. Belongs to the event loop.
 */
final class EntrySweep {
  private static final int PART_USED = 4;
  private static final int PARTS_BEFORE = 3;

  private final PageDirectory directory;
  private final AppliedMarks applied;
  private final IntFunction<BucketState> buckets;
  private final DirectoryEntry entry = new DirectoryEntry();
  private int next;
  private int idle; // buckets in a row without a drop, since the marks rose
  private long dropped;

  EntrySweep(PageDirectory directory, AppliedMarks applied, IntFunction<BucketState> buckets) {
    this.directory = directory;
    this.applied = applied;
    this.buckets = buckets;
  }

  /** Storage has applied more, so another round may find entries to drop. */
  void marksRose() {
    idle = 0;
  }

  /** Sweeps the next bucket if there is a reason to; true when there may be more to do. */
  boolean step() {
    if (directory.size() * PART_USED < directory.capacity() * PARTS_BEFORE
        || idle >= PageBuckets.BUCKETS) {
      return false;
    }
    int bucket = next;
    next = (next + 1) % PageBuckets.BUCKETS;
    long before = dropped;
    if (directory.count(bucket) > 0) {
      BucketState state = buckets.apply(bucket);
      directory.forEach(
          bucket,
          page -> {
            if (EntryDrops.dropIfPossible(directory, page, entry, applied, state)) {
              dropped++;
            }
          });
    }
    idle = dropped == before ? idle + 1 : 0;
    return true;
  }
}
