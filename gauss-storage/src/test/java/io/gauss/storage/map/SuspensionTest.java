package io.gauss.storage.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult.Refusal;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which of two compute nodes that cannot reach each other continues (rule 6). */
class SuspensionTest {
  private final MapRun run = MapRun.withStorage(1);
  private MapNode one;
  private MapNode two;

  @BeforeEach
  void twoComputeNodes() {
    one = run.node(run.join(0, Role.COMPUTE).node());
    two = run.node(run.join(0, Role.COMPUTE).node());
  }

  private static MapCommand suspend(MapNode by, MapNode other, long known) {
    return new MapCommand.Suspend(by.id(), by.epoch(), other.id(), other.epoch(), known);
  }

  private MapCommand resume(MapNode node, long number) {
    return new MapCommand.Resume(node.id(), node.epoch(), number, run.map().nextEpoch() - 1);
  }

  @Test
  void ofTwoThatAskForEachOtherTheFirstSucceeds() {
    run.done(suspend(one, two, 0));
    assertEquals(run.map().version(), run.map().suspension(two.epoch()));
    run.refused(Refusal.NOT_YET, suspend(two, one, 0));
    assertEquals(0, run.map().suspension(one.epoch()));
  }

  @Test
  void aRepeatChangesNothing() {
    run.done(suspend(one, two, 0));
    long number = run.map().suspension(two.epoch());
    run.done(suspend(one, two, 0));
    assertEquals(number, run.map().suspension(two.epoch()));
  }

  @Test
  void whoKnowsTheSuspensionAndIsNotAnsweredAgainBeginsANewOne() {
    run.done(suspend(one, two, 0));
    long number = run.map().suspension(two.epoch());
    run.done(suspend(one, two, number));
    assertTrue(run.map().suspension(two.epoch()) > number);
    run.refused(Refusal.NOT_YET, resume(two, number));
  }

  @Test
  void aNodeThatHasReachedAllOthersIsSuspendedNoMore() {
    run.done(suspend(one, two, 0));
    run.done(resume(two, run.map().suspension(two.epoch())));
    assertEquals(0, run.map().suspension(two.epoch()));
    run.done(suspend(two, one, 0));
  }

  @Test
  void aNodeThatRegisteredAfterThoseWhoWereReachedHasToBeReachedToo() {
    run.done(suspend(one, two, 0));
    long number = run.map().suspension(two.epoch());
    int newest = run.map().nextEpoch() - 1;
    MapNode three = run.node(run.registered(0, Role.COMPUTE).node());
    run.refused(Refusal.NOT_YET, new MapCommand.Resume(two.id(), two.epoch(), number, newest));
    run.done(new MapCommand.Resume(two.id(), two.epoch(), number, three.epoch()));
  }

  @Test
  void aDeadNodeIsNotSuspended() {
    run.done(suspend(one, two, 0));
    run.expire(two.id());
    assertEquals(0, run.map().suspensions().size());
    run.refused(Refusal.WRONG_EPOCH, suspend(one, two, 0));
  }

  @Test
  void onlyComputeNodesAreSuspended() {
    MapNode memory = run.node(run.join(0, Role.MEMORY).node());
    run.refused(Refusal.INVALID, suspend(one, memory, 0));
    run.refused(Refusal.INVALID, suspend(memory, one, 0));
    run.refused(Refusal.INVALID, suspend(one, one, 0));
  }
}
