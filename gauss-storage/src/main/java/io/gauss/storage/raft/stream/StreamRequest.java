package io.gauss.storage.raft.stream;

/** What a client asks of a storage node about a stream. */
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
   * Takes the stream for the one writer of a new epoch; answered by the leader.
   *
   * @param token chosen at random by the writer, so that its repeated request is told from that of
   *     another one that wants the same epoch
   */
  record Open(int stream, int epoch, long token) implements StreamRequest {}

  /** Lets the stream forget what lies wholly before the offset; answered by the leader. */
  record Trim(int stream, long offset) implements StreamRequest {}

  /**
   * Reads; answered by any replica.
   *
   * @param from an offset that is the start of an MTR
   * @param atLeast the replica waits until it knows that the stream is durable up to here
   * @param maxBytes about how much to answer; at least one batch is, if there is one
   * @param waitMillis how long to wait when there is nothing from {@code from} on
   */
  record Read(int stream, long from, long atLeast, int maxBytes, long waitMillis)
      implements StreamRequest {}

  /** Finds the batch with the first record at or above the LSN; answered by any replica. */
  record Locate(int stream, long csn, long atLeast) implements StreamRequest {}

  /** Asks for a committed entry of the Raft log as it is there; answered by any replica. */
  record Entry(int stream, long raftIndex) implements StreamRequest {}
}
