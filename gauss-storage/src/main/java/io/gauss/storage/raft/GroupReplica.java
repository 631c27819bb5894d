package io.gauss.storage.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/**
 * A replica of a group's state: what the entries of the group's log mean. It knows nothing of how
 * the members of the group agree on the log.
 *
 * <p>A snapshot is a position in the log that the replica has recorded itself, with all that it
 * needs of the entries up to there. A replica that fell behind the others' logs fetches the state
 * that it needs ({@link #fetch}) and continues from there.
 *
 * <p>Threads: loading, applying, snapshots and taking up are for one thread at a time, in the order
 * of the log; the rest may be called by any thread.
 */
public interface GroupReplica extends AutoCloseable {
  /** Creates the replica of a group on this node, once per group and start. */
  @FunctionalInterface
  interface Factory {
    GroupReplica create(GroupId group);
  }

  /**
   * Loads this replica's state at start.
   *
   * @return the position up to which it has applied the log; null when it has no snapshot
   * @throws IOException when it cannot be read; the replica does not start then
   */
  LogPosition load(ReplicaFiles files) throws IOException;

  /**
   * Applies a committed entry.
   *
   * @param command read-only
   * @return the answer to the command's sender
   */
  ByteBuffer apply(LogPosition at, ByteBuffer command);

  /** Answers from the present state. */
  ByteBuffer query(ByteBuffer question);

  /** Position of the last snapshot; null when there is none. */
  LogPosition lastSnapshot();

  /**
   * Takes a snapshot, if there is anything new in it.
   *
   * @param log the log of this node's member
   * @return the index up to which the log is not needed here; -1 when all of it is
   */
  long takeSnapshot(GroupLog log) throws IOException;

  /**
   * Fetches the state at a position at or behind {@code firstAvailable - 1} from another node, and
   * saves it: from the moment when this is done on, a start begins there. Does not block. A failed
   * fetch is repeated.
   *
   * @param leader the leading node, if known
   * @param firstAvailable where the others' logs begin
   * @return the position of the fetched state; null when nothing is needed
   */
  CompletableFuture<LogPosition> fetch(OptionalInt leader, LogPosition firstAvailable);

  /**
   * Continues from the fetched state. The log may have begun anew behind it before.
   *
   * @return its position; null when nothing was fetched
   */
  LogPosition takeUpFetched();

  /** Another node leads the group, as far as this node's member knows. */
  default void leaderChanged(int self, OptionalInt leader) {}

  /** The log of this node's member cannot be written and accepts no more entries; once. */
  void logFailed(Throwable cause);

  /** The member stops. */
  @Override
  default void close() {}
}
