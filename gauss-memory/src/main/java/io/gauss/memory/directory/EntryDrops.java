package io.gauss.memory.directory;

import io.gauss.memory.bucket.AppliedMarks;
import io.gauss.memory.bucket.ReadFloor;

/**
 * When an entry may go: nobody has the page or a past image of it, and every replica of the page
 * store has applied its last change. Before it goes the bucket's read floor rises to what they have
 * applied, so that no replica that comes later, or falls back, answers with an older page (rule
 * 18).
 */
public final class EntryDrops {
  private EntryDrops() {}

  /** Whether the page could be read from any replica as well as with the help of this entry. */
  public static boolean mayDrop(DirectoryEntry entry, AppliedMarks applied) {
    return entry.state() == EntryState.FREE
        && entry.sharers() == 0
        && entry.images() == 0
        && entry.lsn() <= applied.of(entry.stream()).lsn();
  }

  /**
   * Drops the page's entry if it may go.
   *
   * @param entry is moved to it
   * @param floor of the page's bucket
   */
  public static boolean dropIfPossible(
      PageDirectory directory,
      long page,
      DirectoryEntry entry,
      AppliedMarks applied,
      ReadFloor floor) {
    if (!directory.find(page, entry) || !mayDrop(entry, applied)) {
      return false;
    }
    floor.raise(entry.stream(), applied.of(entry.stream()).offset());
    return directory.remove(page);
  }
}
