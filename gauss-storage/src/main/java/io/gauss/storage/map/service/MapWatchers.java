package io.gauss.storage.map.service;

import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.message.MapAnswer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Watches that wait for a newer map. Thread-safe. */
final class MapWatchers {
  private final List<Waiting> waiting = new ArrayList<>();

  private record Waiting(long version, long until, CompletableFuture<MapAnswer> answer) {}

  /**
   * Waits for a map above the version.
   *
   * @param until monotonic time at which to give up
   */
  CompletableFuture<MapAnswer> add(long version, long until) {
    CompletableFuture<MapAnswer> answer = new CompletableFuture<>();
    synchronized (this) {
      waiting.add(new Waiting(version, until, answer));
    }
    return answer;
  }

  /** Answers the watches with an older map, and those whose time is up. */
  void tell(ClusterMap map, long now) {
    List<Waiting> ready = new ArrayList<>();
    synchronized (this) {
      for (Iterator<Waiting> i = waiting.iterator(); i.hasNext(); ) {
        Waiting w = i.next();
        if (map.version() > w.version() || now - w.until() >= 0) {
          ready.add(w);
          i.remove();
        }
      }
    }
    for (Waiting w : ready) {
      w.answer()
          .complete(
              map.version() > w.version() ? new MapAnswer.NewMap(map) : new MapAnswer.Unchanged());
    }
  }
}
