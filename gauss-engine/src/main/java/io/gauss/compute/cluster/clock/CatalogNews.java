package io.gauss.compute.cluster.clock;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Changes of the catalog that this node commits, and which nodes know of them. A commit that
 * changed the catalog is visible only when every node that commits wait for has been notified of
 * that very change: a clock that has passed its CSN is not enough.
 *
 * <p>Not thread-safe: guarded by the {@link CommitBroadcast}.
 */
final class CatalogNews {
  /** Values of the clock before commits of which the CSN is not known yet. */
  private final List<Long> committing = new ArrayList<>();

  /** Commits of which some peer may not know. */
  private final TreeSet<Long> commits = new TreeSet<>();

  private long newest;

  /**
   * A change is about to be committed: nothing above is visible until its CSN is known.
   *
   * @param clock a value of the clock; the CSN will be above
   */
  void committing(long clock) {
    committing.add(clock);
  }

  /**
   * @param clock as given to {@link #committing}
   * @param csn of the commit, 0 = there is none
   */
  void committed(long clock, long csn) {
    committing.remove((Long) clock);
    if (csn != 0) {
      commits.add(csn);
      newest = Math.max(newest, csn);
    }
  }

  /** The newest change, 0 = none. */
  long newest() {
    return newest;
  }

  /** Nothing above this LSN may be visible: a commit before it may turn out to be a change. */
  long limit() {
    return committing.stream().mapToLong(Long::longValue).min().orElse(Long.MAX_VALUE);
  }

  /**
   * The LSN up to which a peer knows of all commits and catalog changes.
   *
   * @param clock a value that its clock has passed
   * @param told the newest change of which it was notified
   */
  long heard(long clock, long told) {
    Long missing = commits.higher(told);
    return missing == null ? clock : Math.min(clock, missing - 1);
  }

  /** All peers know of the changes up to this one. */
  void allHave(long told) {
    commits.headSet(told, true).clear();
  }
}
