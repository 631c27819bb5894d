package io.gauss.memory.bucket;

import io.gauss.common.id.Lsn;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * How far the page stores have applied each stream, as compute nodes announce it: a majority of
 * them, and one that is behind makes reads wait, since floors are raised to this. What is parked
 * there does not count (rule 18). Belongs to one thread.
 */
public final class AppliedMarks {
  private final Int2ObjectHashMap<Mark> byStream = new Int2ObjectHashMap<>();

  /**
   * One stream's.
   *
   * @param offset a majority of the page stores has applied all before it
   * @param lsn highest LSN among these: LSNs rise along a stream, so that every record up to it is
   *     among them
   */
  public record Mark(long offset, long lsn) {}

  private static final Mark NOTHING = new Mark(0, Lsn.NONE);

  /** Takes over what is said; what is older than that is ignored. */
  public void announce(int stream, long offset, long lsn) {
    if (offset > of(stream).offset()) {
      byStream.put(stream, new Mark(offset, lsn));
    }
  }

  public Mark of(int stream) {
    Mark mark = byStream.get(stream);
    return mark == null ? NOTHING : mark;
  }
}
