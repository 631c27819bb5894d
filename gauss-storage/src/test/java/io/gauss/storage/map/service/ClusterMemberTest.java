package io.gauss.storage.map.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.LamportClock;
import io.gauss.common.id.Lsn;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.client.ClusterMapClient;
import io.gauss.storage.map.client.ClusterMember;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes that join, observe deaths of others, and return. */
@Timeout(300)
class ClusterMemberTest {
  private final MapNodes nodes = new MapNodes();
  private final List<Process> processes = new ArrayList<>();

  /** A compute process with a clock, which records the calls of its hooks. */
  private final class Process implements ClusterMember.Hooks {
    final LamportClock clock;
    final List<Integer> receivers = new CopyOnWriteArrayList<>();
    final List<Integer> deaths = new CopyOnWriteArrayList<>();
    final CompletableFuture<String> lost = new CompletableFuture<>();
    final ClusterMapClient client = new ClusterMapClient(nodes.links);
    final ClusterMember member;

    Process(int node) {
      clock = new LamportClock(node, 0);
      member =
          new ClusterMember(
              client,
              new ClusterMember.Identity(node, Set.of(Role.COMPUTE), ""),
              this,
              nodes.clock::get);
      processes.add(this);
    }

    List<Endpoint> endpoints() {
      return List.of(
          new Endpoint(Endpoint.Purpose.PEER, "127.0.0.1", 7_000 + Lsn.node(clock.now())));
    }

    ClusterMap join() {
      return member.join(endpoints()).orTimeout(60, TimeUnit.SECONDS).join();
    }

    @Override
    public long clock() {
      return clock.now();
    }

    @Override
    public void raiseClock(long lsn) {
      clock.observe(lsn);
    }

    @Override
    public void installReceiver(MapNode joining) {
      receivers.add(joining.id());
    }

    @Override
    public CompletableFuture<Void> installDeath(Death death) {
      deaths.add(death.epoch());
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void epochLost(String why) {
      lost.complete(why);
    }
  }

  @AfterEach
  void stop() {
    for (Process process : processes) {
      process.member.close();
      process.client.close();
    }
    nodes.close();
  }

  private void exits(Process process) {
    MapNode node = nodes.map().nodes().get(process.member.node());
    nodes.client.reportExit(node.id(), node.incarnation(), MapNodes.LONG).join();
    nodes.look();
  }

  @Test
  void theFirstNodeServesAtOnceAndTheSecondAfterTheFirstSendsItItsBroadcasts() {
    Process first = new Process(2);
    first.join();
    first.clock.observe(Lsn.of(77, 2));
    Process second = new Process(3);
    ClusterMap map = second.join();
    assertEquals(List.of(3), first.receivers);
    assertTrue(second.clock.now() >= Lsn.of(77, 2));
    assertEquals(List.of(2), map.receivers(3).stream().map(MapNode::id).toList());
    assertTrue(first.member.isValid() && second.member.isValid());
  }

  @Test
  void aDeathIsInstalledOnceAndClocksAreRaisedToTheSealedEnd() {
    Process dying = new Process(2);
    dying.join();
    int epoch = dying.member.epoch();
    Process other = new Process(3);
    other.join();
    exits(dying);
    Death settled =
        other
            .client
            .await(
                m ->
                    m.deaths().containsKey(epoch)
                        && m.deaths().get(epoch).isInstalled()
                        && m.deaths().get(epoch).raisePending().isEmpty())
            .orTimeout(60, TimeUnit.SECONDS)
            .join()
            .deaths()
            .get(epoch);
    assertEquals(List.of(epoch), other.deaths);
    assertTrue(other.clock.now() >= MapNodes.SEALED_LSN);
    assertEquals(3, settled.recoverer());
  }

  @Test
  void whoIsDeclaredDeadHearsOfItAndIsNoMemberAnyMore() {
    Process process = new Process(2);
    process.join();
    exits(process);
    assertEquals(
        "the cluster map has declared this epoch dead",
        process.lost.orTimeout(60, TimeUnit.SECONDS).join());
    assertFalse(process.member.isValid());
    assertEquals(0, process.member.epoch());
  }

  @Test
  void aRestartedProcessComesBackUnderANewEpochAndAClockAboveItsLastStream() {
    Process first = new Process(2);
    first.join();
    int epoch = first.member.epoch();
    first.member.close();
    Process second = new Process(2);
    nodes.refusedForNow.set(0);
    CompletableFuture<ClusterMap> joining = second.member.join(second.endpoints());
    while (nodes.refusedForNow.get() == 0 && !joining.isDone()) {
      Thread.onSpinWait();
    }
    assertFalse(joining.isDone(), "its last lease is not over");
    exits(first);
    joining.orTimeout(60, TimeUnit.SECONDS).join();
    assertTrue(second.member.epoch() > epoch);
    assertEquals(first.member.slot(), second.member.slot());
    assertTrue(second.clock.now() >= MapNodes.SEALED_LSN);
  }

  @Test
  void whoLeavesInOrderIsDeadAtOnce() {
    Process process = new Process(2);
    process.join();
    int epoch = process.member.epoch();
    process.member.leave().join();
    assertTrue(nodes.map().isDead(2, epoch));
    assertFalse(process.member.isValid());
    assertFalse(process.lost.isDone());
  }

  @Test
  void aNodeThatTheClusterDoesNotWantFailsToJoin() {
    Process unwanted = new Process(1);
    unwanted
        .member
        .join(unwanted.endpoints())
        .orTimeout(60, TimeUnit.SECONDS)
        .handle(
            (map, failure) -> {
              assertTrue(failure.getMessage().contains("the cluster refuses this node"));
              return null;
            })
        .join();
    assertThrows(CompletionException.class, () -> processes.get(0).join());
  }
}
