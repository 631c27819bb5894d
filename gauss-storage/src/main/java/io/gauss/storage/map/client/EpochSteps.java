package io.gauss.storage.map.client;

import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.MapNode;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The steps of the nodes' lives between two versions of the cluster map, for components that keep
 * something of a node from one version to the next (rule 35). A follower that misses versions gets
 * the same steps as one that sees each of them: the end of an epoch with all that belongs to it is
 * never left out because the map shows the node's next epoch already.
 *
 * <p>A life begins, ends, is sealed (nothing is added to its stream any more, and the map's clock
 * floor is at or above it), and is recovered. All other steps come before beginnings, so that the
 * next node of a slot is reported after the last one; among them the steps of earlier epochs come
 * first. A life that the map shows to be over from the start gets all steps but its beginning. A
 * step whose action fails is repeated with the next version.
 *
 * <p>Thread-safe; steps are reported one after another, under this object's lock.
 */
public final class EpochSteps {
  /**
   * One life of a node.
   *
   * @param slot of a compute node, else 0
   */
  public record Life(int node, int slot, int epoch) {}

  /** Acts for the steps. */
  public interface Follower {
    /** The node has registered under a new epoch. */
    default void began(MapNode node) {}

    /** The epoch is over. Its stream may still grow. */
    default void ended(Life life) {}

    /** The map's clock floor is at or above everything that the epoch has left. */
    default void sealed(Life life) {}

    /** Nothing of the epoch is unfinished any more. */
    default void recovered(Life life) {}
  }

  private enum Phase {
    /** Not reported at all. */
    NEW,
    LIVE,
    ENDED,
    SEALED,
    RECOVERED
  }

  private final SortedMap<Integer, Known> known = new TreeMap<>(); // by epoch
  private long version;

  private static final class Known {
    final Life life;
    Phase phase = Phase.NEW;

    Known(Life life) {
      this.life = life;
    }
  }

  /**
   * Reports the steps from the version followed last to this one; an older one has none.
   *
   * @param follower the same in each call
   */
  public synchronized void follow(ClusterMap map, Follower follower) {
    if (map.version() <= version) {
      return;
    }
    for (MapNode node : map.nodes().values()) {
      know(new Life(node.id(), node.slot(), node.epoch()));
    }
    for (Death death : map.deaths().values()) {
      know(new Life(death.node(), death.slot(), death.epoch()));
    }
    for (Known one : known.values()) {
      Phase now = phase(map, one.life);
      if (now != Phase.LIVE) {
        end(one, now, follower);
      }
    }
    for (Known one : known.values()) {
      if (one.phase == Phase.NEW) {
        follower.began(map.nodes().get(one.life.node()));
        one.phase = Phase.LIVE;
      }
    }
    known.values().removeIf(one -> one.phase == Phase.RECOVERED && !isNewest(map, one.life));
    version = map.version();
  }

  private void know(Life life) {
    known.computeIfAbsent(life.epoch(), epoch -> new Known(life));
  }

  private static Phase phase(ClusterMap map, Life life) {
    if (map.isLive(life.node(), life.epoch())) {
      return Phase.LIVE;
    }
    Death death = map.deaths().get(life.epoch());
    if (death == null) {
      return Phase.RECOVERED;
    }
    return map.isSealed(death) ? Phase.SEALED : Phase.ENDED;
  }

  private static void end(Known one, Phase now, Follower follower) {
    if (one.phase.compareTo(Phase.ENDED) < 0) {
      follower.ended(one.life);
      one.phase = Phase.ENDED;
    }
    if (one.phase == Phase.ENDED && now != Phase.ENDED) {
      follower.sealed(one.life);
      one.phase = Phase.SEALED;
    }
    if (one.phase == Phase.SEALED && now == Phase.RECOVERED) {
      follower.recovered(one.life);
      one.phase = Phase.RECOVERED;
    }
  }

  /** Whether the map will show this life again. */
  private static boolean isNewest(ClusterMap map, Life life) {
    MapNode node = map.nodes().get(life.node());
    return node != null && node.epoch() == life.epoch();
  }
}
