package io.gauss.memory.node;

import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.id.LamportClock;
import io.gauss.common.runtime.Environment;
import io.gauss.common.task.CloseStack;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.client.ClusterMapClient;
import io.gauss.storage.map.client.ClusterMember;
import io.gauss.storage.map.client.MemberView;
import io.gauss.storage.map.client.StoragePeers;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Second phase of a memory node's start: its place in the cluster, which it has not requested yet,
 * and the hooks through which the cluster directs it. Thread-safe.
 *
 * @param lost completes with the reason when the node has lost its place
 * @param drained completes when the cluster has asked the node to leave and others serve its
 *     buckets
 */
record MemoryMembership(
    ClusterMapClient map,
    ClusterMember member,
    MapFollower follower,
    CompletableFuture<String> lost,
    CompletableFuture<Void> drained) {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryMembership.class);
  private static final long LEAVE_MILLIS = 2_000;
  private static final Duration PROPOSAL = Duration.ofSeconds(5);

  /**
   * @param view receives the map and the member
   * @param clock of the node
   * @param opened collects the resources to close
   */
  static MemoryMembership open(
      MemoryNodeSettings settings,
      MemoryBuckets buckets,
      MemberView view,
      LamportClock clock,
      CloseStack opened) {
    StoragePeers storage =
        opened.add(
            new StoragePeers(
                buckets.transport(),
                settings.storageNodes().stream().map(StorageAddress::address).toList()));
    ClusterMapClient map = storage.client();
    view.follow(map);
    MapFollower follower =
        new MapFollower(
            buckets.servers(),
            buckets.links(),
            clock,
            view::epoch,
            view::map,
            new BucketMoves(settings.node(), command -> map.propose(command, PROPOSAL)));
    CompletableFuture<String> lost = new CompletableFuture<>();
    ClusterMember member =
        opened.add(
            new ClusterMember(
                map,
                new ClusterMember.Identity(
                    settings.node(), Set.of(Role.MEMORY), settings.get(NodeSettingTable.ZONE)),
                new Hooks(clock, follower, lost),
                Environment::nanoTime));
    view.become(member);
    opened.add(() -> leave(member, lost));
    return new MemoryMembership(map, member, follower, lost, new CompletableFuture<>());
  }

  /** The node serves the buckets that the map gives it, from the next version of the map on. */
  void begin() {
    map.addListener(follower::follow);
    map.addListener(this::lookWhetherDrained);
  }

  /**
   * Completes {@code drained} if the cluster has asked this node to leave and it no longer serves
   * anything.
   */
  private void lookWhetherDrained(ClusterMap now) {
    int self = member.node();
    boolean isEmpty =
        now.buckets().count(self) == 0
            && now.buckets().moves().values().stream().noneMatch(move -> move.to() == self);
    boolean leaves =
        now.node(self)
            .filter(n -> n.epoch() == member.epoch() && n.state() == NodeState.DRAINING)
            .isPresent();
    if (isEmpty && leaves && drained.complete(null)) {
      LOG.info("all buckets of memory node {} have gone to others", self);
    }
  }

  /** Leaves the cluster, so that the node's buckets get other homes at once. */
  private static void leave(ClusterMember member, CompletableFuture<String> lost) {
    if (member.node() == 0 || lost.isDone()) {
      return;
    }
    try {
      Environment.get(member.leave(), LEAVE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.info("the cluster will notice by the lease that this node has gone: {}", e.toString());
    }
  }

  /** The cluster's calls to this node. */
  private record Hooks(LamportClock lamport, MapFollower follower, CompletableFuture<String> lost)
      implements ClusterMember.Hooks {
    @Override
    public long clock() {
      return lamport.now();
    }

    @Override
    public void raiseClock(long lsn) {
      lamport.observe(lsn);
    }

    /** Memory nodes broadcast nothing. */
    @Override
    public void installReceiver(MapNode joining) {
      LOG.debug("node {} joins", joining.id());
    }

    @Override
    public CompletableFuture<Void> installDeath(Death death) {
      return follower.install(death);
    }

    @Override
    public void epochLost(String why) {
      LOG.error("this node has lost its place in the cluster and ends: {}", why);
      lost.complete(why);
    }
  }
}
