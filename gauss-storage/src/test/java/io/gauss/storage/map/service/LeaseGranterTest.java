package io.gauss.storage.map.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.message.MapRequest.ReportUnreachable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The granter's side of leases, and broken links, with the time as an argument. */
class LeaseGranterTest {
  private static final long MILLI = 1_000_000;
  private static final long USUAL = 200 * MILLI;
  private static final int LEASE_AND_MARGIN = 3_500;

  private final TestCluster cluster = new TestCluster();
  private final int node = cluster.up(Role.MEMORY);
  private final int epoch = cluster.epoch(node);
  private final LeaseGranter granter = new LeaseGranter();
  private long now = 77_000 * MILLI;

  /** Polls every 100 ms for this time, and returns the due commands. */
  private List<MapCommand> pass(int millis) {
    List<MapCommand> due = new ArrayList<>();
    for (int passed = 0; passed < millis; passed += 100) {
      now += 100 * MILLI;
      due.addAll(granter.due(cluster.map(), now, USUAL));
    }
    return due;
  }

  private void renew(long number) {
    cluster.apply(new MapCommand.RenewLeases(List.of(new MapCommand.Renewal(node, epoch, number))));
    granter.observe(cluster.map(), now);
  }

  @Test
  void aNewLeaderWaitsForAFullLeaseAndTheMarginBeforeItEndsOne() {
    granter.lead(cluster.map(), now);
    List<MapCommand> before = pass(LEASE_AND_MARGIN - 100);
    assertEquals(List.of(new MapCommand.Suspect(node, epoch, 0)), first(before));
    assertEquals(List.of(new MapCommand.ExpireLease(node, epoch, 0)), pass(100));
  }

  private static List<MapCommand> first(List<MapCommand> commands) {
    return commands.stream().distinct().toList();
  }

  @Test
  void aRenewalStartsTheCountAnew() {
    granter.lead(cluster.map(), now);
    pass(1_500);
    renew(1);
    assertEquals(List.of(), pass(1_900));
    pass(1_500);
    assertEquals(List.of(new MapCommand.ExpireLease(node, epoch, 1)), pass(100));
  }

  @Test
  void afterAPauseOfTheLeaderItselfNobodyIsBlamed() {
    granter.lead(cluster.map(), now);
    pass(1_000);
    now += 60_000 * MILLI;
    assertEquals(List.of(), granter.due(cluster.map(), now, USUAL));
    assertEquals(List.of(), pass(500));
  }

  @Test
  void aProposalWithoutEffectIsMadeAgainAfterASecond() {
    granter.lead(cluster.map(), now);
    pass(LEASE_AND_MARGIN);
    assertEquals(List.of(), pass(900));
    assertEquals(List.of(new MapCommand.ExpireLease(node, epoch, 0)), pass(100));
  }

  @Test
  void theDeadHaveNoLeaseToEnd() {
    granter.lead(cluster.map(), now);
    cluster.apply(new MapCommand.ExpireLease(node, epoch, 0));
    assertEquals(List.of(), pass(10_000));
    assertEquals(0, granter.remainingMillis(node, now));
  }

  // ---- links

  private final LinkReports links = new LinkReports();

  private Optional<MapCommand.Evict> report(int reporter, int target, int millis) {
    Optional<MapCommand.Evict> due = Optional.empty();
    for (int passed = 0; passed <= millis && due.isEmpty(); passed += 500) {
      links.report(
          new ReportUnreachable(reporter, cluster.epoch(reporter), target, cluster.epoch(target)),
          now);
      due = links.due(cluster.map(), now);
      now += 500 * MILLI;
    }
    return due;
  }

  @Test
  void ofTwoThatCannotTalkForAsLongAsALeaseTheYoungerHasToGo() {
    int younger = cluster.up(Role.MEMORY);
    assertEquals(Optional.empty(), report(younger, node, 2_500));
    assertEquals(
        Optional.of(new MapCommand.Evict(younger, cluster.epoch(younger))),
        report(node, younger, 500));
  }

  @Test
  void ofTwoComputeNodesTheSuspendedOneHasToGoSinceTheOtherServes() {
    int older = cluster.up(Role.COMPUTE);
    int younger = cluster.up(Role.COMPUTE);
    cluster.apply(
        new MapCommand.Suspend(younger, cluster.epoch(younger), older, cluster.epoch(older), 0));
    assertEquals(
        Optional.of(new MapCommand.Evict(older, cluster.epoch(older))),
        report(younger, older, 3_000));
  }

  @Test
  void theOneOfWhichMoreOthersComplainHasToGo() {
    int second = cluster.up(Role.MEMORY);
    int third = cluster.up(Role.MEMORY);
    Optional<MapCommand.Evict> due = Optional.empty();
    for (int i = 0; i < 10 && due.isEmpty(); i++) {
      due = report(third, node, 500);
      if (due.isEmpty()) {
        due = report(second, node, 500);
      }
    }
    assertEquals(Optional.of(new MapCommand.Evict(node, epoch)), due);
  }

  @Test
  void aLinkThatIsNotReportedAnyMoreIsWholeAgain() {
    int second = cluster.up(Role.MEMORY);
    report(second, node, 2_500);
    now += 3_000 * MILLI;
    assertEquals(Optional.empty(), report(second, node, 500));
  }
}
