package io.gauss.storage.raft.stream;

/** A client's request to a storage node about a stream. */
public sealed interface StreamRequest {
  int stream();

  /**
   * Appends; answered by the leader.
   *
   * @param entry a {@link StreamEntryLayout}, which must not change until the answer
   */
  record Append(int stream, byte[] entry) implements StreamRequest {}

  /** Asks for the state after everything that was committed before; answered by the leader. */
  record Ask(int stream) implements StreamRequest {}

  /** Fences writers below the epoch; answered by the leader. */
  record Seal(int stream, int epoch) implements StreamRequest {}

  /**
   * Opens the stream for the only writer of a new epoch; answered by the leader.
   *
   * @param token chosen at random by the writer, so that its repeated request is distinguished from
   *     that of another writer with the same epoch
   */
  record Open(int stream, int epoch, long token) implements StreamRequest {}

  /**
   * Allows the stream to discard everything that lies wholly before the offset; answered by the
   * leader.
   */
  record Trim(int stream, long offset) implements StreamRequest {}

  /**
   * A storage node needs the log from an offset on; answered by the leader.
   *
   * @param node number of the storage node
   * @param tenure see {@link Subscriptions}
   * @param offset start of an MTR; the log may begin behind it, see {@link StreamAnswer.Subscribed}
   */
  record Subscribe(int stream, int node, long tenure, long offset) implements StreamRequest {}

  /**
   * A storage node has as durable pages what is before an offset; answered by the leader.
   *
   * @param offset start of an MTR
   */
  record Raise(int stream, int node, long tenure, long offset) implements StreamRequest {}

  /** All tenures of a storage node up to this one are over; answered by the leader. */
  record Unsubscribe(int stream, int node, long tenure) implements StreamRequest {}

  /**
   * Reads; answered by any replica.
   *
   * @param from an offset that is the start of an MTR
   * @param atLeast the replica waits until it knows that the stream is durable up to here
   * @param maxBytes approximate size of the answer; at least one batch, if there is one
   * @param waitMillis how long to wait when there is nothing from {@code from} on
   */
  record Read(int stream, long from, long atLeast, int maxBytes, long waitMillis)
      implements StreamRequest {}

  /** Finds the batch with the first record at or above the LSN; answered by any replica. */
  record Locate(int stream, long csn, long atLeast) implements StreamRequest {}

  /** Requests the replica's copy of a committed entry of the Raft log; answered by any replica. */
  record Entry(int stream, long raftIndex) implements StreamRequest {}
}
