package io.gauss.memory.directory;

import io.gauss.common.id.Lsn;
import io.gauss.memory.bucket.AppliedMarks;
import io.gauss.memory.bucket.BucketState;
import io.gauss.memory.coherence.DirectoryPage;

/**
 * Decides when an entry may be dropped: no node has the page, and page stores have applied its last
 * change. Before the drop, the bucket's read floor rises to the offset that they have applied. So
 * no page store that is behind, joins later, or falls back answers with an older page (rule 18).
 * The bucket also remembers that the entry's numbers were used (rule 17).
 */
public final class EntryDrops {
  private EntryDrops() {}

  /** Whether the page can be read from page stores without this entry. */
  static boolean mayDrop(DirectoryEntry entry, AppliedMarks applied) {
    return entry.state() == DirectoryPage.State.FREE
        && entry.lsn() <= applied.of(Lsn.node(entry.lsn())).lsn();
  }

  /**
   * Drops the page's entry if that is allowed.
   *
   * @param entry is moved to it
   * @param bucket of the page
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
