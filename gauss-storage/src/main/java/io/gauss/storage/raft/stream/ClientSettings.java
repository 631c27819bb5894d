package io.gauss.storage.raft.stream;

import java.time.Duration;

/**
 * Settings of a {@link ReplicatedLogStream}.
 *
 * @param callTimeout after this long without an answer a storage node is asked again, or another
 * @param deadline after this long a question fails; appends do not, they wait for the quorum
 * @param retryPause between two rounds of looking for the leader, at first; later it grows with the
 *     time that the search has taken
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
