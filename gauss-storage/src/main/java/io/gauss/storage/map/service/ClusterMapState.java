package io.gauss.storage.map.service;

import io.gauss.storage.map.ClusterMapTransitions;
import io.gauss.storage.map.ClusterMapTransitions.Applied;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterMapChecker;
import io.gauss.storage.map.codec.MapCommandCodec;
import io.gauss.storage.map.codec.MapResultCodec;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's replica of the map. Commands are applied and snapshots restored by one thread; the
 * map may be read by any. Listeners are called on the applying thread and must not block.
 */
public final class ClusterMapState {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterMapState.class);

  private final List<Consumer<ClusterMap>> listeners = new CopyOnWriteArrayList<>();
  private volatile ClusterMap map = ClusterMap.EMPTY;

  public ClusterMap map() {
    return map;
  }

  public void addListener(Consumer<ClusterMap> listener) {
    listeners.add(listener);
  }

  /**
   * Applies a committed command and returns its result, both encoded.
   *
   * @throws io.gauss.common.error.GaussException when the command cannot be read: this replica must
   *     stop, since others may be able to read it
   */
  public byte[] apply(byte[] command) {
    MapCommand decoded = MapCommandCodec.decode(command);
    Applied applied = soundOrRefused(map, ClusterMapTransitions.apply(map, decoded), decoded);
    publish(applied.map());
    return MapResultCodec.encode(applied.result());
  }

  /**
   * Refuses a command that would make the map inconsistent. An invariant that ends the process
   * would end all replicas, and again whenever they reach this command in their logs. A refused
   * command changes nothing on any of them. Violations that the map had before do not count, so
   * that a command that repairs them is accepted.
   */
  static Applied soundOrRefused(ClusterMap before, Applied applied, MapCommand command) {
    if (applied.map() == before) {
      return applied;
    }
    List<String> problems = ClusterMapChecker.check(applied.map());
    if (problems.isEmpty()) {
      return applied;
    }
    List<String> added = new ArrayList<>(problems);
    added.removeAll(ClusterMapChecker.check(before));
    if (added.isEmpty()) {
      return applied;
    }
    LOG.error("the cluster map would be unsound after {}, which is refused: {}", command, added);
    return new Applied(before, MapResult.invalid("the map would be unsound: " + added));
  }

  private void publish(ClusterMap next) {
    if (next == map) {
      return;
    }
    map = next;
    for (Consumer<ClusterMap> listener : listeners) {
      try {
        listener.accept(next);
      } catch (RuntimeException e) {
        // The map itself must advance identically on all replicas.
        LOG.error("a listener to the cluster map failed", e);
      }
    }
  }

  /** Replaces the map by a saved one, or by that of another replica. */
  public void restore(ClusterMap snapshot) {
    publish(snapshot);
  }
}
