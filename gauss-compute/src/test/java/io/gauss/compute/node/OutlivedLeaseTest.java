package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.common.history.ClientScript;
import io.gauss.common.transport.sim.JitterNetwork.Weather;
import io.gauss.compute.history.FaultPlan;
import io.gauss.compute.history.FaultPlan.Event;
import io.gauss.compute.history.FaultPlan.Kind;
import java.nio.file.Path;
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
 * A compute node that is cut off for longer than its lease, while its clients continue asking it
 * and others recover what it had: when it can be heard again, nobody is shown what was true before,
 * and nothing that it does counts.
 */
@Tag("long")
class OutlivedLeaseTest {
  private static final int NODES = 3;
  private static final int MEMORIES = 2;
  private static final int CLIENTS = 6;
  private static final int TRANSACTIONS = 40;
  private static final int SEEDS = 6;
  private static final Map<String, String> LEASE_SECONDS = Map.of("cluster.lease", "3");
  private static final int LONGER_MILLIS = 6_000;

  @Test
  @Timeout(600)
  void aNodeThatOutlivesItsLeaseShowsAndWritesNothing(@TempDir Path directory) throws Exception {
    Set<Long> given = ConcurrentHashMap.newKeySet();
    try (ExecutorService threads = Executors.newCachedThreadPool();
        FaultyCluster cluster = new FaultyCluster(directory, MEMORIES, NODES, LEASE_SECONDS);
        ClusterClients clients = new ClusterClients(cluster)) {
      FaultRound.tables(cluster.compute(1));
      for (long seed = 1; seed <= SEEDS; seed++) {
        int node = 1 + (int) (seed % NODES);
        FaultPlan plan =
            new FaultPlan(
                seed,
                new Weather(200_000, 0, 0),
                Map.of(),
                List.of(new Event(CLIENTS * TRANSACTIONS / 4, Kind.OUTLIVE, node, LONGER_MILLIS)));
        ClientScript script = ClientScript.of(seed, CLIENTS, NODES, TRANSACTIONS);
        assertEquals(
            List.of(),
            new FaultRound(cluster, clients, threads, given, script, plan).run(),
            "seed " + seed);
      }
    }
  }
}
