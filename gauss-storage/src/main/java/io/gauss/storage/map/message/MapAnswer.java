package io.gauss.storage.map.message;

import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.command.MapResult;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/** Answers to {@link MapRequest}s. */
public sealed interface MapAnswer {
  /** To a watch: a newer map. */
  record NewMap(ClusterMap map) implements MapAnswer {}

  /** To a watch: nothing newer in the time given. */
  record Unchanged() implements MapAnswer {}

  /**
   * The result of a command.
   *
   * @param version of the leader's map, so that a client that is behind notices
   */
  record Result(MapResult result, long version) implements MapAnswer {}

  /** A report was accepted. */
  record Noted() implements MapAnswer {}

  /**
   * The receiver is not the leader, or no longer leads; a command may or may not be carried out.
   *
   * @param leader storage node that leads, 0 if not known
   */
  record NotLeader(int leader) implements MapAnswer {}

  /** To a request for a snapshot. */
  record Snapshot(MapSnapshot snapshot) implements MapAnswer {}

  /** To {@link MapRequest.WhoAreYou}. */
  record Incarnation(long incarnation) implements MapAnswer {}

  /**
   * To a status request.
   *
   * @param leader storage node that leads the map's group
   * @param leaseMillis by node: how long its lease is still valid, as the leader counts
   */
  record Status(ClusterMap map, int leader, SortedMap<Integer, Integer> leaseMillis)
      implements MapAnswer {
    public Status {
      leaseMillis = Collections.unmodifiableSortedMap(new TreeMap<>(leaseMillis));
    }
  }
}
