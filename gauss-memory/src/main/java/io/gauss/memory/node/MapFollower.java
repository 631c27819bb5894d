package io.gauss.memory.node;

import io.gauss.common.id.LamportClock;
import io.gauss.common.runtime.InOrder;
import io.gauss.memory.coherence.Slots;
import io.gauss.storage.map.api.BucketMap;
import io.gauss.storage.map.api.BucketSet;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.MapStream;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.PageBuckets;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.client.EpochSteps;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Turns versions of the cluster map into tasks for the event loops: which buckets they serve, which
 * compute nodes are present, which have died, and which node recovers which. Maps arrive one after
 * another, on the map client's thread.
 */
final class MapFollower implements EpochSteps.Follower {
  /**
   * A home raises its epoch when it starts over, which it does for deaths alone. There are fewer
   * compute nodes than these bits count, and each further death is a further version of the map, so
   * that no home's epoch reaches the next version's (rule 36).
   */
  private static final int EPOCH_BITS = 8;

  private final List<BucketServer> servers;
  private final ComputeLinks links;
  private final int self;
  private final LamportClock clock;
  private final IntSupplier epoch;
  private final Supplier<ClusterMap> newest;
  private final EpochSteps steps = new EpochSteps();
  private final BucketMoves moves;
  private final BitSet own = new BitSet(PageBuckets.BUCKETS);
  private final Map<Integer, Integer> joined = new HashMap<>(); // epoch by slot
  private final Map<Integer, Death> deaths = new HashMap<>(); // by dead epoch, until recovered
  private final Set<Integer> over = new HashSet<>(); // dead epochs that the homes know of
  private final Set<Integer> installed = new HashSet<>(); // dead epochs, until recovered
  private final Map<Integer, Integer> heirs = new HashMap<>(); // epochs, by dead epoch
  private ClusterMap now = ClusterMap.EMPTY;

  /** The buckets that were followed to the end; behind {@link #now} when a step before failed. */
  private BucketMap followed = ClusterMap.EMPTY.buckets();

  /** Buckets are still to start over. */
  private boolean startsOver;

  /**
   * @param clock of the node
   * @param epoch this node's, 0 while it has none
   * @param newest the newest map
   * @param moves reports buckets that have moved to the map
   */
  MapFollower(
      List<BucketServer> servers,
      ComputeLinks links,
      LamportClock clock,
      IntSupplier epoch,
      Supplier<ClusterMap> newest,
      BucketMoves moves) {
    this.clock = clock;
    this.moves = moves;
    this.servers = servers;
    this.links = links;
    this.self = links.self();
    this.epoch = epoch;
    this.newest = newest;
  }

  static int loopOf(int bucket, int loops) {
    return bucket % loops;
  }

  /** Follows this map, unless it or a newer one has been followed already. */
  synchronized void follow(ClusterMap map) {
    int own = epoch.getAsInt();
    // Where a later process has this node's place, the buckets of the map are its buckets.
    if (own == 0 || map.isDead(self, own) || map.version() < now.version()) {
      return;
    }
    startsOver |= mayHaveMissedMoves(now, map);
    now = map;
    // Pages of dead nodes are granted to whoever wants them: the clock that goes with them has to
    // be above all snapshots that have read copies from those nodes (rule 10).
    clock.observe(map.clockFloor());
    links.follow(map);
    // Deaths come before joins: both may concern the same slot. Buckets come last, since all
    // present nodes are asked for reports about them.
    followDeaths(map);
    followMembers(map);
    if (startsOver || !map.buckets().equals(followed)) {
      followBuckets(map, startsOver);
      followed = map.buckets();
      startsOver = false;
    }
    moves.follow(
        map,
        epoch.getAsInt(),
        this::gone,
        bucket -> of(bucket).open(bucket),
        () -> follow(newest.get()));
  }

  /** Completes when the loops of these buckets have done everything that they were told before. */
  private CompletableFuture<Void> gone(BucketSet buckets) {
    return CompletableFuture.allOf(
        buckets.stream()
            .mapToObj(this::of)
            .distinct()
            .map(BucketServer::done)
            .toArray(CompletableFuture[]::new));
  }

  private BucketServer of(int bucket) {
    return servers.get(loopOf(bucket, servers.size()));
  }

  /**
   * Whether buckets may have had other homes, and have come back, in versions that were missed. A
   * home gives up before another one begins, except when a memory node joins while no compute node
   * lives: then the shares are evened out at once, since homes have nothing to forget.
   */
  private boolean mayHaveMissedMoves(ClusterMap before, ClusterMap map) {
    return map.version() > before.version() + 1
        && map.nodes().values().stream()
            .anyMatch(n -> n.id() != self && n.has(Role.MEMORY) && !hasJoined(before, n))
        && before.live(Role.COMPUTE).stream().noneMatch(n -> map.isLive(n.id(), n.epoch()));
  }

  private static boolean hasJoined(ClusterMap map, MapNode node) {
    return map.node(node.id())
        .filter(known -> known.epoch() == node.epoch() && known.state() != NodeState.JOINING)
        .isPresent();
  }

  /**
   * Lives that are over come first: a later one of the same slot, which may be dead as well, takes
   * its place here and is waited for.
   */
  private void followDeaths(ClusterMap map) {
    steps.follow(map, this);
    for (Death death : map.deaths().values()) {
      if (death.hasStream()) {
        follow(map, death);
      }
    }
  }

  /** Its last steps, or all of them, may have fallen between two versions that arrived here. */
  @Override
  public void recovered(EpochSteps.Life life) {
    if (life.slot() == 0) {
      return;
    }
    deaths.remove(life.epoch());
    if (!installed.remove(life.epoch())) {
      install(life.epoch());
    }
    tellDeath(life.slot(), life.epoch());
    over.remove(life.epoch());
    heirs.remove(life.epoch());
    servers.forEach(server -> server.recovered(life.epoch()));
  }

  private void follow(ClusterMap map, Death death) {
    deaths.put(death.epoch(), death);
    awaitEnd(death);
    int heir = heir(map, death);
    Integer before = heirs.put(death.epoch(), heir);
    if (before == null || before != heir) {
      servers.forEach(server -> server.inherit(death.epoch(), heir));
    }
    if (death.isInstalled() && death.raisePending().isEmpty() && map.isSealed(death)) {
      tellDeath(death.slot(), death.epoch());
    }
  }

  /**
   * The epoch that recovers the dead one; 0 = none yet. The recoverer may itself have died and come
   * back meanwhile, and is then another one.
   */
  private static int heir(ClusterMap map, Death death) {
    return map.node(death.recoverer()).map(MapNode::epoch).orElse(0);
  }

  /**
   * A node that was dead before this one knew of it counts as present until its stream is sealed:
   * until then page stores do not have all of its pages, and no bucket here may open without them.
   */
  private void awaitEnd(Death death) {
    if (death.slot() <= Slots.MAX
        && !over.contains(death.epoch())
        && !joined.containsKey(death.slot())) {
      joined.put(death.slot(), death.epoch());
      servers.forEach(server -> server.joined(death.slot(), death.epoch()));
    }
  }

  private void tellDeath(int slot, int epoch) {
    Integer known = joined.get(slot);
    if (over.add(epoch) && known != null && known == epoch) {
      joined.remove(slot);
      long end = Optional.ofNullable(now.streams().get(epoch)).map(MapStream::end).orElse(0L);
      servers.forEach(server -> server.died(slot, slot, end));
    }
  }

  private void followMembers(ClusterMap map) {
    for (MapNode node : map.live(Role.COMPUTE)) {
      if (node.slot() <= Slots.MAX && !joined.containsKey(node.slot())) {
        joined.put(node.slot(), node.epoch());
        servers.forEach(server -> server.joined(node.slot(), node.epoch()));
      }
    }
  }

  /**
   * @param startsOver also with the buckets that are here already
   */
  private void followBuckets(ClusterMap map, boolean startsOver) {
    Map<Integer, Integer> recoverers = new HashMap<>();
    deaths.values().forEach(death -> recoverers.put(death.epoch(), heir(map, death)));
    List<BitSet> taken = sets();
    List<BitSet> given = sets();
    for (int bucket = 0; bucket < PageBuckets.BUCKETS; bucket++) {
      // A bucket that leaves is given up at once: the new home begins only after the map has
      // recorded that.
      boolean isOwn = map.buckets().home(bucket) == self && !moves.leaves(map, bucket);
      boolean wasOwn = own.get(bucket);
      if (isOwn != wasOwn || isOwn && startsOver) {
        own.set(bucket, isOwn);
        int loop = loopOf(bucket, servers.size());
        taken.get(loop).set(bucket, isOwn);
        given.get(loop).set(bucket, wasOwn);
      }
    }
    for (int i = 0; i < servers.size(); i++) {
      if (!taken.get(i).isEmpty() || !given.get(i).isEmpty()) {
        servers
            .get(i)
            .assign(
                taken.get(i),
                given.get(i),
                map.version() << EPOCH_BITS,
                InOrder.copyOf(recoverers));
      }
    }
  }

  private List<BitSet> sets() {
    List<BitSet> sets = new ArrayList<>();
    servers.forEach(server -> sets.add(new BitSet(PageBuckets.BUCKETS)));
    return sets;
  }

  /** Installs a death; see {@code ClusterMember.Hooks.installDeath}. */
  synchronized CompletableFuture<Void> install(Death death) {
    if (now.deaths().containsKey(death.epoch())) {
      installed.add(death.epoch());
    }
    return install(death.epoch());
  }

  private CompletableFuture<Void> install(int epoch) {
    links.drop(epoch);
    int heir = heirs.getOrDefault(epoch, 0);
    return CompletableFuture.allOf(
        servers.stream()
            .map(server -> server.installDeath(epoch, heir))
            .toArray(CompletableFuture[]::new));
  }
}
