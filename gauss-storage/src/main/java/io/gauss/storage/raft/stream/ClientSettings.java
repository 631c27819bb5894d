package io.gauss.storage.raft.stream;

import java.time.Duration;

/**
 * Settings of a {@link ReplicatedLogStream}.
 *
 * @param callTimeout after this long without an answer the request is repeated to this or another
 *     storage node
 * @param deadline after this long a query fails; appends do not, they wait for the quorum
 * @param retryPause initial pause between two rounds of the search for the leader; it grows with
 *     the duration of the search
 * @param appendsInFlight appends handed to the leader before the first of them is answered
 * @param maxBatchBytes largest batch
 */
public record ClientSettings(
    Duration callTimeout,
    Duration deadline,
    Duration retryPause,
    int appendsInFlight,
    int maxBatchBytes) {

  public static ClientSettings defaults() {
    return new ClientSettings(
        Duration.ofSeconds(2), Duration.ofSeconds(30), Duration.ofMillis(20), 8, 2 << 20);
  }

  public ClientSettings withDeadline(Duration newDeadline) {
    return new ClientSettings(callTimeout, newDeadline, retryPause, appendsInFlight, maxBatchBytes);
  }

  ClientSettings withCallTimeout(Duration newCallTimeout) {
    return new ClientSettings(newCallTimeout, deadline, retryPause, appendsInFlight, maxBatchBytes);
  }
}
