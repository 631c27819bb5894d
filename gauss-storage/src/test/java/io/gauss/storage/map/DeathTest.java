package io.gauss.storage.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult.Refusal;
import io.gauss.storage.map.command.MapResult.Registered;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Seal, barrier, recoverer, take-over: in this order, whichever node dies meanwhile. */
class DeathTest {
  private final MapRun run = MapRun.withStorage(3);
  private final Registered dying = run.join(0, Role.COMPUTE);
  private final Registered recoverer = run.join(0, Role.COMPUTE);
  private final Registered other = run.join(0, Role.COMPUTE);
  private final Registered memory = run.join(0, Role.MEMORY);

  private Death death() {
    return run.map().deaths().get(dying.epoch());
  }

  private MapCommand takeOver(Registered by, long clock) {
    return new MapCommand.TakeOver(by.node(), by.epoch(), dying.epoch(), clock);
  }

  @Test
  void everyLiveNodeThatMayHoldSomethingIsAskedToInstallADeath() {
    run.expire(dying.node());
    assertEquals(Set.of(recoverer.node(), other.node(), memory.node()), death().installPending());
    assertEquals(recoverer.node(), death().recoverer());
  }

  @Test
  void pagesGoOnlyAfterSealAndBarrierAndRaisedClocks() {
    run.expire(dying.node());
    run.refused(Refusal.NOT_YET, takeOver(recoverer, 0xFFFF));
    run.acknowledgeDeath(dying.epoch(), 0x600);
    assertTrue(death().isInstalled());
    run.refused(Refusal.NOT_YET, takeOver(recoverer, 0xFFFF));
    run.done(new MapCommand.StreamSealed(dying.epoch(), 100, 0x1000));
    run.refused(Refusal.NOT_YET, takeOver(recoverer, 0xFFFF));
    run.acknowledgeDeath(dying.epoch(), 0x0FFF);
    run.refused(Refusal.NOT_YET, takeOver(recoverer, 0xFFFF));
    run.acknowledgeDeath(dying.epoch(), 0x1005);
    run.refused(Refusal.NOT_YET, takeOver(recoverer, 0x1004));
    assertFalse(run.map().mayServePagesOf(death()));
    run.done(takeOver(recoverer, 0x1005));
    assertTrue(run.map().mayServePagesOf(death()));
  }

  @Test
  void onlyTheNamedRecovererTakesOver() {
    run.expire(dying.node());
    run.done(new MapCommand.StreamSealed(dying.epoch(), 100, 0x1000));
    run.acknowledgeDeath(dying.epoch(), 0x1005);
    run.refused(Refusal.INVALID, takeOver(other, 0x2000));
    run.refused(
        Refusal.INVALID,
        new MapCommand.FinishRecovery(recoverer.node(), recoverer.epoch(), dying.epoch()));
  }

  @Test
  void whenTheRecovererDiesAnotherBeginsAnew() {
    run.expire(dying.node());
    run.done(new MapCommand.StreamSealed(dying.epoch(), 100, 0x1000));
    run.acknowledgeDeath(dying.epoch(), 0x1005);
    run.done(takeOver(recoverer, 0x2000));
    run.expire(recoverer.node());
    assertFalse(run.map().mayServePagesOf(death()));
    assertEquals(other.node(), death().recoverer());
    run.done(takeOver(other, 0x2000));
  }

  @Test
  void aNodeThatDiesOwesNoAcknowledgement() {
    run.expire(dying.node());
    run.expire(other.node());
    assertFalse(death().installPending().contains(other.node()));
    assertFalse(death().raisePending().contains(other.node()));
  }

  @Test
  void whenNobodyIsLeftTheFirstToComeBackRecovers() {
    run.expire(dying.node());
    run.expire(recoverer.node());
    run.expire(other.node());
    assertEquals(0, death().recoverer());
    run.done(new MapCommand.StreamSealed(dying.epoch(), 100, 0x1000));
    run.done(new MapCommand.StreamSealed(recoverer.epoch(), 100, 0x3000));
    run.done(new MapCommand.StreamSealed(other.epoch(), 100, 0x2000));
    Registered back = run.join(other.node(), Role.COMPUTE);
    assertEquals(back.node(), death().recoverer());
    assertEquals(0x3000, run.map().clockFloor());
  }

  @Test
  void severalDeathsAreSpreadOverTheLeastLoaded() {
    Registered fourth = run.join(0, Role.COMPUTE);
    run.expire(dying.node());
    run.expire(fourth.node());
    assertEquals(recoverer.node(), death().recoverer());
    assertEquals(other.node(), run.map().deaths().get(fourth.epoch()).recoverer());
  }

  /** It waits for its slot before it recovers others: if these waited for it, nobody would end. */
  @Test
  void aNodeThatIsBackRecoversItselfWhenItsRecovererDies() {
    run.expire(other.node());
    run.expire(dying.node());
    sealed(other.epoch());
    sealed(dying.epoch());
    assertEquals(recoverer.node(), recovererOf(dying));
    assertEquals(recoverer.node(), recovererOf(other));
    run.join(dying.node(), Role.COMPUTE);
    run.join(other.node(), Role.COMPUTE);
    run.expire(recoverer.node());
    assertEquals(dying.node(), recovererOf(dying));
    assertEquals(other.node(), recovererOf(other));
  }

  /** They are recovered in their order, and the node waits until all of them are its own. */
  @Test
  void theLivesOfANodeHaveOneRecoverer() {
    run.expire(dying.node());
    sealed(dying.epoch());
    Registered again = run.join(dying.node(), Role.COMPUTE);
    run.expire(again.node());
    sealed(again.epoch());
    assertEquals(recoverer.node(), recovererOf(dying));
    assertEquals(recoverer.node(), recovererOf(again));
    run.join(dying.node(), Role.COMPUTE);
    run.expire(recoverer.node());
    assertEquals(dying.node(), recovererOf(dying));
    assertEquals(dying.node(), recovererOf(again));
  }

  private int recovererOf(Registered dead) {
    return run.map().deaths().get(dead.epoch()).recoverer();
  }

  private void sealed(int epoch) {
    run.done(new MapCommand.StreamSealed(epoch, 100, 0x1000));
  }

  /** Several times anew, since the map remembers every life: each step takes longer. */
  @RepeatedTest(4)
  void nodesThatAreBackNeverWaitForEachOther() {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    Random random = new Random(seed);
    int[] nodes = {dying.node(), recoverer.node(), other.node(), run.join(0, Role.COMPUTE).node()};
    for (int step = 0; step < 500; step++) {
      int node = nodes[random.nextInt(nodes.length)];
      if (run.node(node).isLive()) {
        run.expire(node);
        sealed(run.node(node).epoch());
      } else {
        run.join(node, Role.COMPUTE);
      }
      if (random.nextInt(4) == 0) {
        run.map().deaths().values().forEach(this::endIfItCan);
      }
      assertEquals(List.of(), endless(), () -> "seed " + seed + ": " + run.map().deaths());
    }
  }

  /** Those whose recovery would not end even if nothing else happened. */
  private List<Death> endless() {
    List<Death> left =
        new ArrayList<>(
            run.map().deaths().values().stream().filter(d -> d.recoverer() != 0).toList());
    List<Death> ending = left;
    while (!ending.isEmpty()) {
      List<Death> now = List.copyOf(left);
      ending = now.stream().filter(death -> canEnd(death, now)).toList();
      left.removeAll(ending);
    }
    return left;
  }

  /** Its recoverer has its own slot, and no earlier life of the node is left. */
  private static boolean canEnd(Death death, Collection<Death> all) {
    int by = death.recoverer();
    return by != 0
        && all.stream().noneMatch(d -> d.node() == by && d.recoverer() != by)
        && all.stream().noneMatch(d -> d.node() == death.node() && d.epoch() < death.epoch());
  }

  private void endIfItCan(Death death) {
    if (!canEnd(death, run.map().deaths().values())) {
      return;
    }
    int by = death.recoverer();
    run.acknowledgeDeath(death.epoch(), 0x1005);
    int epoch = run.node(by).epoch();
    run.done(new MapCommand.TakeOver(by, epoch, death.epoch(), 0x1005));
    run.done(new MapCommand.FinishRecovery(by, epoch, death.epoch()));
  }

  @Test
  void theDeathOfAMemoryNodeIsOverWhenItIsInstalled() {
    run.expire(memory.node());
    assertTrue(run.map().deaths().containsKey(memory.epoch()));
    run.acknowledgeDeath(memory.epoch(), 1);
    assertFalse(run.map().deaths().containsKey(memory.epoch()));
  }

  @Test
  void aSealedStreamKeepsItsEndForEver() {
    run.refused(Refusal.INVALID, new MapCommand.StreamSealed(dying.epoch(), 100, 0x1000));
    run.expire(dying.node());
    run.done(new MapCommand.StreamSealed(dying.epoch(), 100, 0x1000));
    run.done(new MapCommand.StreamSealed(dying.epoch(), 100, 0x1000));
    run.refused(Refusal.INVALID, new MapCommand.StreamSealed(dying.epoch(), 101, 0x1000));
    run.refused(Refusal.NOT_YET, new MapCommand.ForgetStream(dying.epoch()));
  }
}
