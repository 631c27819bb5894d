package io.gauss.storage.map.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.command.MapResult.Registered;
import io.gauss.storage.map.command.MapResult.RenewalAnswer;
import io.gauss.storage.map.message.MapAnswer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The service on three storage nodes, and its client; the test controls the time. */
@Timeout(300)
class ClusterMapServiceTest {
  private final MapNodes nodes = new MapNodes();

  @AfterEach
  void stop() {
    nodes.close();
  }

  @Test
  void theClientFindsTheLeaderWhoeverItIs() {
    nodes.log.lead(3);
    MapNode node = nodes.join(Role.MEMORY);
    nodes.log.lead(2);
    assertEquals(RenewalAnswer.GRANTED, nodes.renew(node, 1));
  }

  @Test
  void theClientGoesOnWithOtherStorageNodesWhenOneIsGone() {
    nodes.log.lead(2);
    nodes.links.get(0).cut();
    MapNode node = nodes.join(Role.MEMORY);
    assertEquals(NodeState.UP, node.state());
  }

  @Test
  void withoutALeaderACommandFailsWhenTheTimeIsUp() {
    nodes.log.lead(0);
    CompletionException e =
        assertThrows(
            CompletionException.class,
            () -> nodes.client.propose(TestCluster.init(1), Duration.ofMillis(200)).join());
    assertEquals(
        SqlState.CANNOT_CONNECT_NOW, assertInstanceOf(GaussException.class, e.getCause()).state());
  }

  @Test
  void aCommandWhoseAnswerWasLostIsAnsweredWhenItIsSentAgain() {
    nodes.log.loseNextAnswer();
    Registered once = (Registered) nodes.propose(TestCluster.register(55, 7_000, Role.COMPUTE));
    Registered again = (Registered) nodes.propose(TestCluster.register(55, 7_000, Role.COMPUTE));
    assertEquals(once, again);
  }

  @Test
  void nodesMayNotProposeTheDeathOfOthers() {
    MapNode node = nodes.join(Role.MEMORY);
    CompletionException e =
        assertThrows(
            CompletionException.class,
            () -> nodes.propose(new MapCommand.ExpireLease(node.id(), node.epoch(), 0)));
    assertEquals(
        SqlState.INVALID_PARAMETER_VALUE,
        assertInstanceOf(GaussException.class, e.getCause()).state());
    assertTrue(nodes.map().isLive(node.id(), node.epoch()));
  }

  @Test
  void whoDoesNotRenewIsDeclaredDeadAndItsStreamIsSealed() {
    MapNode node = nodes.join(Role.COMPUTE);
    nodes.pass(2_000);
    assertTrue(nodes.map().isLive(node.id(), node.epoch()));
    nodes.pass(1_800);
    assertTrue(nodes.map().isDead(node.id(), node.epoch()));
    assertEquals(List.of(node.epoch()), nodes.sealed);
    assertTrue(nodes.map().streams().get(node.epoch()).sealed());
    assertEquals(0x300, nodes.map().clockFloor());
    assertEquals(RenewalAnswer.DEAD, nodes.renew(node, 1));
  }

  @Test
  void whoRenewsLivesOnAcrossLeaders() {
    MapNode node = nodes.join(Role.COMPUTE);
    for (int i = 1; i <= 10; i++) {
      nodes.pass(1_000);
      nodes.log.lead(1 + i % 3);
      assertEquals(RenewalAnswer.GRANTED, nodes.renew(node, i));
    }
    assertEquals(NodeState.UP, nodes.map().nodes().get(node.id()).state());
  }

  /**
   * The leader is sent commands all the time, so that it does not notice. Renewals wait behind the
   * one that was proposed first.
   */
  @Test
  void nobodyIsBlamedForTheTimeInWhichTheLeaderHadNoMajority() {
    List<MapNode> all = List.of(nodes.join(Role.COMPUTE), nodes.join(Role.MEMORY));
    nodes.pass(1_000);
    all.forEach(node -> assertEquals(RenewalAnswer.GRANTED, nodes.renew(node, 1)));
    nodes.log.loseMajority();
    List<CompletableFuture<RenewalAnswer>> later =
        all.stream().map(node -> nodes.renewLater(node, 2)).toList();
    nodes.pass(20_000);
    nodes.log.majorityIsBack();
    later.forEach(answer -> assertEquals(RenewalAnswer.GRANTED, answer.join()));
    nodes.pass(1_000);
    all.forEach(node -> assertEquals(RenewalAnswer.GRANTED, nodes.renew(node, 3)));
    nodes.pass(3_800);
    all.forEach(node -> assertTrue(nodes.map().isDead(node.id(), node.epoch())));
  }

  @Test
  void aMajorityThatComesAndGoesDoesNotKeepTheDeadAlive() {
    MapNode node = nodes.join(Role.COMPUTE);
    for (int i = 0; i < 5; i++) {
      nodes.pass(600);
      nodes.log.loseMajority();
      nodes.pass(5_000);
      nodes.log.majorityIsBack();
    }
    assertTrue(nodes.map().isLive(node.id(), node.epoch()), "heard for less than 3.5 s so far");
    nodes.pass(1_300);
    assertTrue(nodes.map().isDead(node.id(), node.epoch()));
  }

  @Test
  void aRestartedProcessNeedNotWaitForTheLeaseOfItsLastOne() {
    MapNode node = nodes.join(Role.COMPUTE);
    nodes.probesFind(Prober.Found.OTHER);
    MapCommand.Register again =
        new MapCommand.Register(
            TestCluster.CLUSTER,
            node.id(),
            node.epoch(),
            node.roles(),
            "",
            node.endpoints(),
            4711,
            1,
            1);
    assertInstanceOf(MapResult.Refused.class, nodes.propose(again));
    assertTrue(nodes.map().isDead(node.id(), node.epoch()));
    nodes.look();
    assertInstanceOf(Registered.class, nodes.propose(again));
  }

  @Test
  void aLivingProcessIsProbedOnceASecondHoweverOftenAnotherWantsItsPlace() {
    MapNode node = nodes.join(Role.MEMORY);
    nodes.probesFind(Prober.Found.ANSWERS);
    MapCommand.Register second =
        new MapCommand.Register(
            TestCluster.CLUSTER,
            node.id(),
            node.epoch(),
            node.roles(),
            "",
            node.endpoints(),
            4711,
            1,
            1);
    int before = nodes.probes.get();
    for (int number = 1; number <= 20; number++) {
      assertInstanceOf(MapResult.Refused.class, nodes.propose(second));
      nodes.pass(100);
      nodes.renew(node, number);
    }
    assertEquals(2, nodes.probes.get() - before);
    nodes.probesFind(Prober.Found.REFUSED);
    nodes.services.get(0).connectionLost(node.id());
    assertTrue(nodes.map().isDead(node.id(), node.epoch()), "its own connection shows it at once");
  }

  @Test
  void aNewLeaderWaitsAFullLease() {
    MapNode node = nodes.join(Role.COMPUTE);
    nodes.pass(3_000);
    nodes.log.lead(2);
    nodes.pass(3_000);
    assertTrue(nodes.map().isLive(node.id(), node.epoch()));
    nodes.pass(800);
    assertTrue(nodes.map().isDead(node.id(), node.epoch()));
  }

  @Test
  void aBrokenConnectionIsProbedAndARefusedPortIsProof() {
    MapNode node = nodes.join(Role.COMPUTE);
    nodes.probesFind(Prober.Found.ANSWERS);
    nodes.services.get(0).connectionLost(node.id());
    nodes.probesFind(Prober.Found.SILENT);
    nodes.services.get(0).connectionLost(node.id());
    assertTrue(nodes.map().isLive(node.id(), node.epoch()));
    nodes.probesFind(Prober.Found.REFUSED);
    nodes.services.get(1).connectionLost(node.id());
    assertTrue(nodes.map().isLive(node.id(), node.epoch()), "node 2 does not lead");
    nodes.services.get(0).connectionLost(node.id());
    assertTrue(nodes.map().isDead(node.id(), node.epoch()));
  }

  @Test
  void aSupervisorsReportCountsForTheIncarnationThatItNames() {
    MapNode node = nodes.join(Role.COMPUTE);
    nodes.client.reportExit(node.id(), node.incarnation() + 1, MapNodes.LONG).join();
    assertTrue(nodes.map().isLive(node.id(), node.epoch()));
    nodes.client.reportExit(node.id(), node.incarnation(), MapNodes.LONG).join();
    assertTrue(nodes.map().isDead(node.id(), node.epoch()));
  }

  @Test
  void aWatchHearsOfChangesAlsoWhenItsStorageNodeWasCutOff() {
    nodes.client.watch();
    nodes
        .client
        .await(m -> m.version() == nodes.map().version())
        .orTimeout(60, TimeUnit.SECONDS)
        .join();
    nodes.log.cutOff(1, true);
    nodes.log.lead(2);
    MapNode node = registerBesideNode1();
    nodes
        .client
        .await(m -> m.isLive(node.id(), node.epoch()))
        .orTimeout(60, TimeUnit.SECONDS)
        .join();
    assertFalse(nodes.map().isLive(node.id(), node.epoch()), "node 1 has not heard");
  }

  private MapNode registerBesideNode1() {
    Registered node = (Registered) nodes.propose(TestCluster.register(999, 7_000, Role.MEMORY));
    return nodes.log.replicas().get(1).state.map().nodes().get(node.node());
  }

  @Test
  void statusTellsHowLongLeasesAreGoodFor() {
    nodes.pass(100);
    MapNode node = nodes.join(Role.COMPUTE);
    nodes.pass(1_000);
    MapAnswer.Status status = nodes.client.status(MapNodes.LONG).join();
    assertEquals(1, status.leader());
    assertEquals(2_500, status.leaseMillis().get(node.id()));
    assertFalse(status.leaseMillis().containsKey(1), "storage nodes have no lease");
  }
}
