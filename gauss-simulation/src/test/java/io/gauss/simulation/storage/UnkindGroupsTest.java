package io.gauss.simulation.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.runtime.Environment;
import io.gauss.simulation.Simulation;
import io.gauss.storage.raft.GroupHost;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupNodes;
import io.gauss.storage.raft.GroupStatus;
import io.gauss.storage.raft.Submitted;
import io.gauss.storage.raft.SumReplica;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Everything unkind that the simulated groups are meant to do does happen. */
@Timeout(300)
@Isolated
class UnkindGroupsTest {
  private static final GroupId GROUP = GroupId.stream(1);
  private static final long LONG = TimeUnit.SECONDS.toNanos(2);

  /** A simulated group of three, and what is cut between them. */
  private static final class World implements Links {
    final Map<Integer, SumReplica> replicas = new TreeMap<>();
    final Set<Integer> cutOff = new HashSet<>();
    final SimulatedGroupNodes nodes;

    World() {
      nodes =
          new SimulatedGroupNodes(
              3,
              this,
              LogFaults.none(),
              node ->
                  group -> {
                    SumReplica made = new SumReplica();
                    replicas.put(node, made);
                    return made;
                  });
      nodes.startAll();
      nodes.addGroup(GROUP);
      leader();
    }

    @Override
    public boolean reach(int from, int to) {
      return !cutOff.contains(from) && !cutOff.contains(to);
    }

    void are(LogFaults faults) {
      nodes.groups().faults(faults);
    }

    GroupHost leader() {
      return nodes.host(nodes.awaitLeader(GROUP));
    }

    CompletableFuture<Submitted> submit(long value) {
      return leader().submit(GROUP, SumReplica.number(value));
    }

    long sum(int node) {
      return replicas.get(node).sum();
    }

    GroupStatus status(int node) {
      return nodes.host(node).status(GROUP);
    }
  }

  private interface Scenario {
    void play(World world) throws Exception;
  }

  private static void play(long seed, Scenario scenario) {
    new Simulation(seed).run(() -> scenario.play(new World()));
  }

  private static Submitted await(CompletableFuture<Submitted> outcome) throws Exception {
    return Environment.get(outcome, 30, TimeUnit.SECONDS);
  }

  private static LogFaults faults(
      int refused, int leadLost, int answerLost, int answerLate, int slow, int behind) {
    return new LogFaults(refused, leadLost, answerLost, answerLate, slow, behind, LONG);
  }

  @Test
  void aLeaderRefuses() {
    play(
        1,
        world -> {
          world.are(faults(1000, 0, 0, 0, 0, 0));
          assertInstanceOf(Submitted.Busy.class, await(world.submit(1)));
          world.are(LogFaults.none());
          Submitted.Applied applied =
              assertInstanceOf(Submitted.Applied.class, await(world.submit(2)));
          assertEquals(2, SumReplica.number(applied.answer()));
        });
  }

  @Test
  void aLeaderLosesTheLeadWithACommandUnderWay() {
    Set<Long> sums = new HashSet<>();
    for (int seed = 1; seed <= 10; seed++) {
      play(
          seed,
          world -> {
            world.are(faults(0, 1000, 0, 0, 0, 0));
            assertInstanceOf(Submitted.Unknown.class, await(world.submit(10)));
            world.are(LogFaults.none());
            Submitted.Applied applied =
                assertInstanceOf(Submitted.Applied.class, await(world.submit(1)));
            sums.add(SumReplica.number(applied.answer()));
          });
    }
    assertEquals(Set.of(1L, 11L), sums, "it was carried out, or it was not");
  }

  @Test
  void anAnswerIsLostAlthoughTheCommandIsCarriedOut() {
    play(
        1,
        world -> {
          world.are(faults(0, 0, 1000, 0, 0, 0));
          assertInstanceOf(Submitted.Unknown.class, await(world.submit(10)));
          assertEquals(10, world.sum(world.leader().node()));
        });
  }

  @Test
  void anAnswerComesLate() {
    play(
        2,
        world -> {
          world.are(faults(0, 0, 0, 1000, 0, 0));
          CompletableFuture<Submitted> outcome = world.submit(10);
          int leader = world.leader().node();
          GroupNodes.await("the command", () -> world.sum(leader) == 10);
          Environment.parkNanos(1_000_000);
          assertFalse(outcome.isDone());
          assertInstanceOf(Submitted.Applied.class, await(outcome));
        });
  }

  @Test
  void aReplicaLagsAndCatchesUp() {
    play(
        3,
        world -> {
          world.are(faults(0, 0, 0, 0, 0, 300));
          boolean lagged = false;
          for (int i = 0; i < 20; i++) {
            await(world.submit(1));
            int leader = world.leader().node();
            for (int node = 0; node < 3; node++) {
              lagged |= world.sum(node) < world.sum(leader) - 2;
            }
          }
          assertTrue(lagged);
          for (int node = 0; node < 3; node++) {
            int replica = node;
            GroupNodes.await("replica " + node, () -> world.sum(replica) == 20);
          }
        });
  }

  @Test
  void withThePowerGoesWhatWasNotForcedAndWithTheProcessItDoesNot() {
    int lost = 0;
    int kept = 0;
    for (int seed = 1; seed <= 20; seed++) {
      boolean powerLost = seed % 2 == 0;
      long[] ends = new long[2];
      play(
          seed,
          world -> {
            int leader = world.leader().node();
            GroupNodes.await(
                "all is forced",
                () -> world.status(leader).flushedIndex() == world.status(leader).lastIndex());
            world.are(faults(0, 0, 0, 0, 1000, 0));
            for (int i = 0; i < 5; i++) {
              world.nodes.host(leader).submit(GROUP, SumReplica.number(1));
            }
            ends[0] = world.status(leader).lastIndex();
            assertTrue(world.status(leader).flushedIndex() < ends[0]);
            world.cutOff.add(leader);
            world.nodes.kill(leader, powerLost);
            world.nodes.start(leader);
            ends[1] = world.status(leader).lastIndex();
            assertEquals(ends[1], world.status(leader).flushedIndex(), "the tail is forced first");
          });
      lost += ends[1] < ends[0] ? 1 : 0;
      kept += powerLost && ends[1] == ends[0] ? 1 : 0;
      assertTrue(powerLost || ends[1] == ends[0]);
    }
    assertTrue(lost >= 3, "lost " + lost);
    assertTrue(kept < 10, "kept " + kept);
  }

  @Test
  void anOldLeaderLeadsForAWhileAndAnswersNothing() {
    play(
        4,
        world -> {
          int old = world.leader().node();
          world.cutOff.add(old);
          CompletableFuture<Submitted> command =
              world.nodes.host(old).submit(GROUP, SumReplica.number(10));
          CompletableFuture<Submitted> question =
              world.nodes.host(old).query(GROUP, SumReplica.number(0));
          boolean[] both = {false};
          GroupNodes.await(
              "another leader",
              () -> {
                boolean other = false;
                for (int node = 0; node < 3; node++) {
                  other |= node != old && world.nodes.host(node).leads(GROUP);
                }
                both[0] |= other && world.nodes.host(old).leads(GROUP);
                return other && command.isDone();
              });
          assertTrue(both[0], "for a while two lead");
          assertInstanceOf(Submitted.Unknown.class, await(command));
          assertInstanceOf(Submitted.Unknown.class, await(question));
          assertEquals(0, world.sum(old));
          world.cutOff.clear();
          assertInstanceOf(Submitted.Applied.class, await(world.submit(1)));
          GroupNodes.await("the old one", () -> world.sum(old) == 1);
        });
  }

  @Test
  void aNodeThatStandsStillIsReplacedAsTheLeaderAndContinues() {
    play(
        5,
        world -> {
          int paused = world.leader().node();
          world.nodes.groups().pause(paused);
          GroupNodes.await(
              "another leader",
              () -> {
                for (int node = 0; node < 3; node++) {
                  if (node != paused && world.nodes.host(node).leads(GROUP)) {
                    return true;
                  }
                }
                return false;
              });
          world.nodes.groups().resume(paused);
          GroupNodes.await("it to hear of that", () -> world.status(paused).term() > 1);
          assertInstanceOf(Submitted.Applied.class, await(world.submit(1)));
          GroupNodes.await("it to have all", () -> world.sum(paused) == 1);
        });
  }

  @Test
  void aLogThatCannotBeWrittenTakesNoPartUntilItsNodeStartsAgain() {
    play(
        6,
        world -> {
          int failed = world.leader().node();
          world.nodes.groups().failLogs(failed);
          assertEquals(1, world.nodes.host(failed).logFailures().size());
          assertFalse(world.status(failed).alive());
          assertInstanceOf(Submitted.Applied.class, await(world.submit(1)));
          assertEquals(0, world.sum(failed));
          world.nodes.kill(failed, false);
          world.nodes.start(failed);
          GroupNodes.await("it to have all", () -> world.sum(failed) == 1);
        });
  }

  /** All others lose their power, and then are a majority without this one. */
  private static void loseTheOthers(World world, int node) {
    world.cutOff.add(node);
    for (int other = 0; other < 3; other++) {
      if (other != node) {
        world.nodes.kill(other, true);
        world.nodes.start(other);
        world.cutOff.remove(other);
        world.nodes.groups().resume(other);
      }
    }
    Environment.parkNanos(LONG);
  }

  /** Whatever happens, what was acknowledged is there, once. */
  @Test
  void whatWasAcknowledgedIsNeverLost() {
    for (int seed = 1; seed <= 40; seed++) {
      play(
          seed,
          world -> {
            world.are(new LogFaults(20, 20, 20, 20, 200, 20, TimeUnit.MILLISECONDS.toNanos(200)));
            RandomGenerator random = Environment.random();
            long acknowledged = 0;
            long unknown = 0;
            for (int i = 0; i < 60; i++) {
              switch (random.nextInt(12)) {
                case 0 -> world.nodes.kill(random.nextInt(3), false);
                case 1 -> world.nodes.kill(random.nextInt(3), true);
                case 2 -> world.cutOff.add(random.nextInt(3));
                case 3 -> world.nodes.groups().pause(random.nextInt(3));
                default -> {}
              }
              if (random.nextInt(4) == 0) {
                for (int node = 0; node < 3; node++) {
                  world.nodes.groups().resume(node);
                }
                world.cutOff.clear();
                world.nodes.startAll();
                Environment.parkNanos(random.nextLong(LONG));
              }
              int node = random.nextInt(3);
              if (world.nodes.host(node) != null) {
                CompletableFuture<Submitted> one =
                    world.nodes.host(node).submit(GROUP, SumReplica.number(1));
                Thread waiting = Thread.currentThread();
                one.thenRun(() -> LockSupport.unpark(waiting));
                Environment.await(this, LONG, one::isDone);
                Submitted outcome = one.getNow(null);
                acknowledged += outcome instanceof Submitted.Applied ? 1 : 0;
                unknown += outcome == null || outcome instanceof Submitted.Unknown ? 1 : 0;
                if (outcome instanceof Submitted.Applied && random.nextInt(3) == 0) {
                  loseTheOthers(world, node);
                }
              }
            }
            for (int node = 0; node < 3; node++) {
              world.nodes.groups().resume(node);
            }
            world.cutOff.clear();
            world.are(LogFaults.none());
            world.nodes.startAll();
            Submitted last = await(world.submit(0));
            while (!(last instanceof Submitted.Applied)) {
              last = await(world.submit(0));
            }
            long sum = SumReplica.number(((Submitted.Applied) last).answer());
            assertTrue(
                acknowledged <= sum && sum <= acknowledged + unknown,
                acknowledged + " were acknowledged, " + unknown + " unknown, the sum is " + sum);
            for (int node = 0; node < 3; node++) {
              int replica = node;
              GroupNodes.await("replica " + node, () -> world.sum(replica) == sum);
            }
          });
    }
  }
}
