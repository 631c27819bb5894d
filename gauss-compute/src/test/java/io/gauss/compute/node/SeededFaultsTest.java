package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.compute.buffer.CoherentPages;
import io.gauss.compute.engine.Checker;
import io.gauss.compute.engine.Engine;
import io.gauss.compute.history.ClientScript;
import io.gauss.compute.history.FaultPlan;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients of a whole cluster while messages are late and doubled, connections break, threads stand
 * still, nodes are cut off and die, as drawn from seeds. Each seed's statements and faults follow
 * from the seed alone, and {@code -Dgauss.seed} has them again, on a cluster of its own. What its
 * threads do first cannot be had again, nor what the seeds before have left; a seed that failed may
 * have to be tried several times ({@code -Dgauss.seeds}).
 */
class SeededFaultsTest {
  private static final int NODES = 3;
  private static final int MEMORIES = 2;
  private static final int CLIENTS = 6;
  private static final int TRANSACTIONS = 4;

  /** Comparing all pages with the page store takes longer than a seed does. */
  private static final int PAGES_EVERY = 10;

  private static final int FEW = 100;
  private static final int MANY = 1_000;

  @TempDir private Path directory;

  @Test
  @Timeout(300)
  void aHundredSeeds() throws Exception {
    run(Integer.getInteger("gauss.seeds", FEW), 1);
  }

  @Test
  @Tag("long")
  @Timeout(1_800)
  void aThousandSeeds() throws Exception {
    run(Integer.getInteger("gauss.seeds", MANY), 1 + FEW);
  }

  private void run(int seeds, long first) throws Exception {
    Set<Long> given = ConcurrentHashMap.newKeySet();
    Long only = Long.getLong("gauss.seed");
    try (ExecutorService threads = Executors.newCachedThreadPool();
        FaultyCluster cluster = new FaultyCluster(directory, MEMORIES, NODES);
        ClusterClients clients = new ClusterClients(cluster)) {
      FaultRound.tables(cluster.compute(1));
      for (int i = 0; i < seeds; i++) {
        long seed = only == null ? first + i : only;
        FaultPlan plan = FaultPlan.of(seed, NODES, MEMORIES, CLIENTS * TRANSACTIONS);
        ClientScript script = ClientScript.of(seed, CLIENTS, NODES, TRANSACTIONS);
        long t0 = System.nanoTime();
        try {
          List<String> wrong = new FaultRound(cluster, clients, threads, given, script, plan).run();
          long t1 = System.nanoTime();
          assertEquals(List.of(), wrong);
          assertEquals(List.of(), OwnershipChecker.problems(pages(cluster)));
          if (i % PAGES_EVERY == PAGES_EVERY - 1 || i == seeds - 1) {
            cluster.numbers().forEach(number -> check(cluster.compute(number).node.engine()));
          }
          System.err.println(
              "SEED "
                  + seed
                  + " run "
                  + (t1 - t0) / 1000000
                  + " checks "
                  + (System.nanoTime() - t1) / 1000000
                  + " "
                  + plan.events()
                  + plan.weather());
        } catch (Exception | AssertionError e) {
          throw new AssertionError("-Dgauss.seed=" + seed + ": " + plan + ": " + e, e);
        }
      }
    }
  }

  private static Map<Integer, CoherentPages> pages(FaultyCluster cluster) {
    Map<Integer, CoherentPages> pages = new HashMap<>();
    cluster.numbers().forEach(number -> pages.put(number, cluster.compute(number).node.pages()));
    return pages;
  }

  private static void check(Engine engine) {
    for (Checker checker : engine.checkers()) {
      checker.check(engine.newContext());
    }
  }
}
