package io.gauss.storage.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/** The log of this node's member of a group. Thread-safe; reading may take the disk. */
public interface GroupLog {
  /** Up to here entries are on a majority, as far as this member knows. */
  long committedIndex();

  /** Index of the next entry in this member's log. */
  long nextIndex();

  /**
   * An entry, committed or not; null when it was purged, or is not there.
   *
   * @throws IOException when it is damaged
   */
  Entry entry(long index) throws IOException;

  /** Position of an entry; null when it was purged, or is not there. */
  LogPosition position(long index);

  /** On the leader, the next entry that each of its followers needs. */
  long[] followersNext();

  /**
   * Replaces damaged entries around an index by intact ones, see {@link SegmentRepair}.
   *
   * @param intact returns the bytes ({@link Entry#bytes}) of a committed entry by its index, from
   *     another member; may throw GaussException
   * @return empty when no closed and committed part of the log holds the entry
   */
  Optional<SegmentRepair.Repaired> repair(long index, LongFunction<byte[]> intact)
      throws IOException;

  /**
   * An entry.
   *
   * @param command what was submitted, read-only; null for an entry of the group's own
   * @param size of the whole entry in bytes
   * @param bytes returns the whole entry
   */
  record Entry(LogPosition at, ByteBuffer command, int size, Supplier<byte[]> bytes) {}
}
