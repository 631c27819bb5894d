package io.gauss.memory.directory;

import io.gauss.common.id.Lsn;
import io.gauss.memory.bucket.AppliedMarks;
import io.gauss.memory.bucket.BucketState;
import io.gauss.memory.coherence.DirectoryPage;

/**
 * When an entry may go: nobody has the page, and page stores have applied its last change. Before
 * it goes the bucket's read floor rises to what they have applied, so that none that is behind,
 * comes later, or falls back, answers with an older page (rule 18), and the bucket remembers that
 * its numbers were used (rule 17).
 */
public final class EntryDrops {
  private EntryDrops() {}

  /** Whether the page could be read from page stores as well as with the help of this entry. */
  static boolean mayDrop(DirectoryEntry entry, AppliedMarks applied) {
    return entry.state() == DirectoryPage.State.FREE
        && entry.lsn() <= applied.of(Lsn.node(entry.lsn())).lsn();
  }

  /**
   * Drops the page's entry if it may go.
   *
   * @param entry is moved to it
   * @param bucket the page's
   */
  public static boolean dropIfPossible(
      PageDirectory directory,
      long page,
      DirectoryEntry entry,
      AppliedMarks applied,
      BucketState bucket) {
    if (!directory.find(page, entry) || !mayDrop(entry, applied)) {
      return false;
    }
    if (entry.lsn() != Lsn.NONE) {
      int stream = Lsn.node(entry.lsn());
      bucket.floor().raise(stream, applied.of(stream).offset());
    }
    bucket.used(entry.number());
    return directory.remove(page);
  }
}
