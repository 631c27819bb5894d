package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.fault.FaultPoints;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Death;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Recoveries of several nodes by one. */
@Timeout(300)
class TakeoversTest {
  private static final int SURVIVOR = 1;
  private static final int FIRST = 2;
  private static final int SECOND = 3;

  /** What reads it may need answers about the second one, which it is to give itself. */
  @Test
  void aNodeIsTakenOverWhileWhatAnotherHasLeftIsRemoved(@TempDir Path directory) throws Exception {
    CountDownLatch removes = new CountDownLatch(1);
    CountDownLatch mayRemove = new CountDownLatch(1);
    try (WholeCluster cluster = new WholeCluster(directory, 1, 1, 3, Map.of());
        MapTool map = new MapTool(cluster.storage())) {
      cluster.compute(SURVIVOR).execute("CREATE TABLE t (id int PRIMARY KEY)");
      cluster.compute(FIRST).execute("INSERT INTO t VALUES (2)");
      cluster.compute(SECOND).execute("INSERT INTO t VALUES (3)");
      try (var removal =
          FaultPoints.arm(
              "takeover.leftovers",
              () -> {
                removes.countDown();
                await(mayRemove);
              })) {
        map.kill(FIRST);
        assertTrue(removes.await(120, TimeUnit.SECONDS), "nothing is removed");
        // Now the survivor is the only one that can recover it.
        map.kill(SECOND);
        map.await(now -> isTakenOver(now, SECOND));
        assertEquals(
            List.of("2", "3"), cluster.compute(SURVIVOR).query("SELECT id FROM t ORDER BY id"));
        mayRemove.countDown();
        map.await(now -> now.deaths().isEmpty());
      } finally {
        mayRemove.countDown();
      }
      cluster.end(FIRST);
      cluster.end(SECOND);
    }
  }

  private static boolean isTakenOver(ClusterMap map, int node) {
    return map.deaths().values().stream()
        .filter(death -> death.node() == node)
        .anyMatch(Death::takenOver);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
