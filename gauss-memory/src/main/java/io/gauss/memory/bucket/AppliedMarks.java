package io.gauss.memory.bucket;

import io.gauss.common.id.Lsn;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * How far a majority of the page stores has applied each stream, as compute nodes announce it.
 * Floors are raised to these marks, so a page store that is behind them makes reads wait. Parked
 * records do not count as applied (rule 18). Belongs to one thread.
 */
public final class AppliedMarks {
  private final Int2ObjectHashMap<Mark> byStream = new Int2ObjectHashMap<>();

  /**
   * The mark of one stream.
   *
   * @param offset a majority of the page stores has applied all before it
   * @param lsn highest LSN among these: LSNs rise along a stream, so every record up to it is
   *     applied
   */
  public record Mark(long offset, long lsn) {}

  private static final Mark NOTHING = new Mark(0, Lsn.NONE);

  /** Takes over the announced mark; an older one than the known one is ignored. */
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
