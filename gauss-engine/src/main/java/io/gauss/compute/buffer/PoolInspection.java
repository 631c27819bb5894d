package io.gauss.compute.buffer;

import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.compute.log.LogBuffer;
import java.util.Arrays;

/**
 * The content of a pool, for checkers and checkpoints, which use no guards. Never waits;
 * thread-safe.
 */
final class PoolInspection {
  private final BufferPool pool;
  private final Frames frames;
  private final Latches latches;
  private final LogBuffer log;

  PoolInspection(BufferPool pool, Frames frames, Latches latches, LogBuffer log) {
    this.pool = pool;
    this.frames = frames;
    this.latches = latches;
    this.log = log;
  }

  long[] residentPages() {
    long[] ids = new long[frames.count()];
    int found = 0;
    for (int frame = 0; frame < frames.count(); frame++) {
      long pageId = frames.pageId(frame);
      if (pageId != PageId.NONE && PageRight.allowsRead(frames.right(frame))) {
        ids[found++] = pageId;
      }
    }
    return Arrays.copyOf(ids, found);
  }

  boolean isLent(long pageId) {
    int frame = frames.find(pageId);
    return frame >= 0 && frames.right(frame) == PageRight.LENT;
  }

  long copyDurable(long pageId, long destination) {
    int frame = frames.find(pageId);
    if (frame < 0 || !latches.tryShared(frame)) {
      return Lsn.NONE;
    }
    try {
      if (frames.pageId(frame) != pageId || !PageRight.allowsWrite(frames.right(frame))) {
        return Lsn.NONE;
      }
      long lsn = pool.pageLsn(frame);
      if (lsn > log.durableLsn()) {
        return Lsn.NONE;
      }
      Memory.copy(pool.address(frame), destination, PageLayout.PAGE_BYTES);
      return lsn;
    } finally {
      latches.releaseShared(frame);
    }
  }
}
