package io.gauss.storage.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.ClusterSettings;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.command.MapResult.Refusal;
import io.gauss.storage.map.command.MapResult.Registered;
import io.gauss.storage.map.command.MapResult.RenewalAnswer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Joins, leases, and the ends of nodes. */
class MembershipTest {
  private final MapRun run = MapRun.withStorage(3);

  private MapResult renew(int node, int epoch, long number) {
    return run.apply(
        new MapCommand.RenewLeases(List.of(new MapCommand.Renewal(node, epoch, number))));
  }

  private static MapResult renewed(RenewalAnswer answer) {
    return new MapResult.Renewed(List.of(answer));
  }

  @Test
  void nothingHappensBeforeTheClusterWasMade() {
    MapRun none = new MapRun();
    none.refused(Refusal.WRONG_CLUSTER, none.register(0, 1, Role.STORAGE));
    assertEquals(ClusterMap.EMPTY, none.map());
  }

  @Test
  void aClusterIsMadeOnceAndTheSameCommandAgainIsDone() {
    run.done(new MapCommand.InitCluster(MapRun.CLUSTER, 1, ClusterSettings.DEFAULTS));
    run.refused(
        Refusal.INVALID, new MapCommand.InitCluster(new UUID(1, 1), 1, ClusterSettings.DEFAULTS));
  }

  @Test
  void aNodeOfAnotherClusterOrWithoutItsFormatsMayNotJoin() {
    MapCommand.Register good = run.register(0, 7, Role.MEMORY);
    run.refused(
        Refusal.WRONG_CLUSTER,
        new MapCommand.Register(new UUID(5, 5), 0, 0, good.roles(), "", good.endpoints(), 7, 1, 1));
    run.refused(
        Refusal.UNKNOWN_FORMAT,
        new MapCommand.Register(MapRun.CLUSTER, 0, 0, good.roles(), "", good.endpoints(), 7, 2, 3));
    run.refused(
        Refusal.INVALID,
        new MapCommand.Register(MapRun.CLUSTER, 0, 0, Set.of(Role.MEMORY), "", List.of(), 7, 1, 1));
  }

  @Test
  void epochsRiseOverAllNodes() {
    int first = run.join(0, Role.COMPUTE).epoch();
    int second = run.join(0, Role.MEMORY).epoch();
    int third = run.join(0, Role.COMPUTE).epoch();
    assertTrue(first < second && second < third);
  }

  @Test
  void registeringTwiceAsTheSameIncarnationGivesTheSameAnswer() {
    MapResult first = run.apply(run.register(0, 7, Role.COMPUTE));
    ClusterMap after = run.map();
    assertEquals(first, run.apply(run.register(0, 7, Role.COMPUTE)));
    assertEquals(after, run.map());
  }

  @Test
  void aComputeNodeWaitsForAsManyStorageNodesAsAStreamNeeds() {
    MapRun small = new MapRun();
    small.done(new MapCommand.InitCluster(MapRun.CLUSTER, 1, ClusterSettings.DEFAULTS));
    small.join(0, Role.STORAGE);
    small.join(0, Role.STORAGE);
    small.refused(Refusal.NOT_YET, small.register(0, 9, Role.COMPUTE));
    small.join(0, Role.STORAGE);
    assertInstanceOf(Registered.class, small.apply(small.register(0, 9, Role.COMPUTE)));
  }

  @Test
  void aJoiningNodeServesOnlyAfterAllLiveOnesHaveAcknowledgedAndItsClockIsAsHighAsTheirs() {
    Registered one = run.join(0, Role.COMPUTE);
    Registered two = run.join(0, Role.COMPUTE);
    Registered joining = run.registered(0, Role.COMPUTE);
    assertEquals(
        List.of(one.node(), two.node(), joining.node()),
        run.map().live(Role.COMPUTE).stream().map(MapNode::id).toList());
    assertEquals(
        List.of(two.node(), joining.node()),
        run.map().receivers(one.node()).stream().map(MapNode::id).toList());
    run.done(new MapCommand.AcknowledgeJoin(one.node(), one.epoch(), joining.epoch(), 0x900));
    run.refused(
        Refusal.NOT_YET, new MapCommand.FinishJoin(joining.node(), joining.epoch(), 0xFFFF));
    run.done(new MapCommand.AcknowledgeJoin(two.node(), two.epoch(), joining.epoch(), 0x700));
    run.refused(Refusal.NOT_YET, new MapCommand.FinishJoin(joining.node(), joining.epoch(), 0x8FF));
    run.done(new MapCommand.FinishJoin(joining.node(), joining.epoch(), 0x900));
    assertEquals(NodeState.UP, run.node(joining.node()).state());
  }

  @Test
  void whereClientsConnectIsKnownOnceANodeHasJoinedAndSaysSo() {
    Endpoint clients = new Endpoint(Endpoint.Purpose.SQL, "127.0.0.1", 5432);
    Registered node = run.registered(0, Role.COMPUTE);
    MapCommand open = new MapCommand.OpenToClients(node.node(), node.epoch(), clients);
    run.refused(Refusal.NOT_YET, open);
    run.done(new MapCommand.FinishJoin(node.node(), node.epoch(), 0x500));
    assertEquals(Optional.empty(), run.node(node.node()).endpoint(Endpoint.Purpose.SQL));
    run.done(open);
    ClusterMap known = run.map();
    assertEquals(Optional.of(clients), run.node(node.node()).endpoint(Endpoint.Purpose.SQL));
    run.done(open);
    assertEquals(known, run.map(), "said again");
    run.expire(node.node());
    run.refused(Refusal.WRONG_EPOCH, open);
    run.done(new MapCommand.StreamSealed(node.epoch(), 4096, 0x600));
    Registered again = run.registered(node.node(), Role.COMPUTE);
    run.refused(Refusal.WRONG_EPOCH, open);
    assertEquals(Optional.empty(), run.node(again.node()).endpoint(Endpoint.Purpose.SQL));
  }

  @Test
  void clientsConnectToComputeNodesAtAddressesForSqlOnly() {
    Registered compute = run.join(0, Role.COMPUTE);
    Registered memory = run.join(0, Role.MEMORY);
    run.refused(
        Refusal.INVALID,
        new MapCommand.OpenToClients(
            memory.node(), memory.epoch(), new Endpoint(Endpoint.Purpose.SQL, "h", 1)));
    run.refused(
        Refusal.INVALID,
        new MapCommand.OpenToClients(
            compute.node(), compute.epoch(), new Endpoint(Endpoint.Purpose.PEER, "h", 1)));
  }

  @Test
  void aJoinDoesNotWaitForADeadNodeButForItsStreamToBeSealed() {
    Registered one = run.join(0, Role.COMPUTE);
    Registered joining = run.registered(0, Role.COMPUTE);
    run.expire(one.node());
    run.refused(
        Refusal.NOT_YET, new MapCommand.FinishJoin(joining.node(), joining.epoch(), 0xFFFF));
    run.done(new MapCommand.StreamSealed(one.epoch(), 4096, 0x1200));
    run.refused(
        Refusal.NOT_YET, new MapCommand.FinishJoin(joining.node(), joining.epoch(), 0x11FF));
    run.done(new MapCommand.FinishJoin(joining.node(), joining.epoch(), 0x1200));
  }

  @Test
  void renewalsKeepTheVersionAndLateOnesChangeNothing() {
    Registered node = run.join(0, Role.COMPUTE);
    long version = run.map().version();
    assertEquals(renewed(RenewalAnswer.GRANTED), renew(node.node(), node.epoch(), 3));
    assertEquals(renewed(RenewalAnswer.GRANTED), renew(node.node(), node.epoch(), 2));
    assertEquals(3, run.node(node.node()).lease().renewals());
    assertEquals(version, run.map().version());
  }

  @Test
  void aRenewalThatCameInBetweenRefusesTheEndOfTheLease() {
    Registered node = run.join(0, Role.COMPUTE);
    renew(node.node(), node.epoch(), 1);
    run.refused(Refusal.RENEWED, new MapCommand.ExpireLease(node.node(), node.epoch(), 0));
    assertTrue(run.map().isLive(node.node(), node.epoch()));
    run.done(new MapCommand.ExpireLease(node.node(), node.epoch(), 1));
    assertTrue(run.map().isDead(node.node(), node.epoch()));
    assertEquals(renewed(RenewalAnswer.DEAD), renew(node.node(), node.epoch(), 2));
  }

  @Test
  void aSuspectIsUpAgainWithItsNextRenewal() {
    Registered node = run.join(0, Role.COMPUTE);
    run.done(new MapCommand.Suspect(node.node(), node.epoch(), 0));
    assertEquals(NodeState.SUSPECT, run.node(node.node()).state());
    assertTrue(run.map().isLive(node.node(), node.epoch()));
    renew(node.node(), node.epoch(), 1);
    assertEquals(NodeState.UP, run.node(node.node()).state());
    run.refused(Refusal.RENEWED, new MapCommand.Suspect(node.node(), node.epoch(), 0));
  }

  @Test
  void proofOfExitCountsForTheIncarnationThatItNamesOnly() {
    Registered node = run.join(0, Role.COMPUTE);
    long incarnation = run.node(node.node()).incarnation();
    run.refused(
        Refusal.WRONG_EPOCH,
        new MapCommand.DeclareExited(node.node(), node.epoch(), incarnation + 1));
    run.done(new MapCommand.DeclareExited(node.node(), node.epoch(), incarnation));
    assertEquals(Death.Evidence.PROOF_OF_EXIT, run.map().deaths().get(node.epoch()).evidence());
  }

  @Test
  void anEvictedNodeGetsNoMoreRenewals() {
    Registered node = run.join(0, Role.COMPUTE);
    run.done(new MapCommand.Evict(node.node(), node.epoch()));
    assertEquals(renewed(RenewalAnswer.EVICTED), renew(node.node(), node.epoch(), 1));
    run.expire(node.node());
  }

  @Test
  void aNodeComesBackUnderANewEpochOnceItsLastStreamIsSealed() {
    Registered first = run.join(0, Role.COMPUTE);
    run.refused(Refusal.NOT_YET, run.register(first.node(), 55, Role.COMPUTE));
    run.expire(first.node());
    run.refused(Refusal.NOT_YET, run.register(first.node(), 55, Role.COMPUTE));
    run.done(new MapCommand.StreamSealed(first.epoch(), 0, 0));
    Registered second = run.join(first.node(), Role.COMPUTE);
    assertEquals(first.slot(), second.slot());
    assertTrue(second.epoch() > first.epoch());
    assertTrue(run.map().isDead(first.node(), first.epoch()));
    assertFalse(run.map().isDead(second.node(), second.epoch()));
  }

  @Test
  void aLateRegistrationOfADeadIncarnationIsRefused() {
    Registered node = run.join(0, Role.COMPUTE);
    long incarnation = run.node(node.node()).incarnation();
    run.expire(node.node());
    run.done(new MapCommand.StreamSealed(node.epoch(), 0, 0));
    run.refused(Refusal.INVALID, run.register(node.node(), incarnation, Role.COMPUTE));
    run.refused(Refusal.INVALID, run.register(0, incarnation, Role.COMPUTE));
  }

  @Test
  void aRegistrationThatComesLateDoesNotTakeThePlaceOfALaterProcess() {
    Registered first = run.join(0, Role.COMPUTE);
    MapCommand.Register late = run.register(first.node(), 55, Role.COMPUTE);
    run.expire(first.node());
    run.done(new MapCommand.StreamSealed(first.epoch(), 0, 0));
    Registered second = run.join(first.node(), Role.COMPUTE);
    run.expire(second.node());
    run.done(new MapCommand.StreamSealed(second.epoch(), 0, 0));
    run.refused(Refusal.WRONG_EPOCH, late);
  }

  @Test
  void theLeaseOfAnEpochKeepsItsDurationWhenTheSettingChanges() {
    Registered before = run.join(0, Role.COMPUTE);
    run.refused(
        Refusal.INVALID, new MapCommand.ChangeSetting(ClusterSetting.LEASE_DURATION, 1_500));
    run.done(new MapCommand.ChangeSetting(ClusterSetting.LEASE_RENEWAL, 500));
    run.done(new MapCommand.ChangeSetting(ClusterSetting.LEASE_DURATION, 1_500));
    Registered after = run.join(0, Role.COMPUTE);
    assertEquals(3_000, run.node(before.node()).lease().durationMillis());
    assertEquals(1_500, after.leaseMillis());
  }

  @Test
  void aStorageNodeHasNoLeaseAndRestartsAtOnce() {
    MapNode storage = run.node(2);
    run.refused(Refusal.INVALID, new MapCommand.ExpireLease(2, storage.epoch(), 0));
    Registered again = run.registered(2, Role.STORAGE);
    assertEquals(0, again.leaseMillis());
    assertNotEquals(storage.epoch(), again.epoch());
    run.done(new MapCommand.FinishJoin(2, again.epoch(), 0));
    assertEquals(NodeState.UP, run.node(2).state());
  }

  @Test
  void aNodeIsRemovedWhenItIsDeadAndRecoveredAndItsNumberIsNeverUsedAgain() {
    Registered one = run.join(0, Role.COMPUTE);
    Registered two = run.join(0, Role.COMPUTE);
    run.refused(Refusal.NOT_YET, new MapCommand.RemoveNode(one.node()));
    run.done(new MapCommand.Drain(one.node(), one.epoch()));
    run.done(new MapCommand.Leave(one.node(), one.epoch()));
    run.refused(Refusal.NOT_YET, new MapCommand.RemoveNode(one.node()));
    run.done(new MapCommand.StreamSealed(one.epoch(), 100, 0x100));
    run.acknowledgeDeath(one.epoch(), 0x900);
    run.done(new MapCommand.TakeOver(two.node(), two.epoch(), one.epoch(), 0x900));
    run.done(new MapCommand.FinishRecovery(two.node(), two.epoch(), one.epoch()));
    run.done(new MapCommand.RemoveNode(one.node()));
    run.refused(Refusal.INVALID, run.register(one.node(), 77, Role.COMPUTE));
    Registered next = run.join(0, Role.COMPUTE);
    assertTrue(next.node() > two.node());
    assertEquals(one.slot(), next.slot(), "the slot is free again");
  }
}
