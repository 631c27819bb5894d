package io.gauss.simulation.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The product's storage nodes above the stand-ins, on threads of the JVM. */
@Timeout(180)
class SimulatedStorageNodeTest {
  private final StorageTier tier = new StorageTier(LogFaults.none(), Links.WHOLE);

  @AfterEach
  void stop() {
    tier.close();
  }

  @Test
  void aClusterIsFoundedAndItsPagesAreReadFromEveryNode() throws Exception {
    tier.awaitWell();
    try (ComputeClient compute = tier.compute(1)) {
      long first = compute.write(1);
      long second = compute.write(2);
      assertEquals(first, compute.read(1));
      assertEquals(second, compute.read(2));
    }
  }

  @Test
  void whatWasAcknowledgedOutlivesEveryNodeInTurn() throws Exception {
    tier.awaitWell();
    List<Long> lsns = new ArrayList<>();
    try (ComputeClient compute = tier.compute(1)) {
      for (int round = 0; round < 6; round++) {
        int node = 201 + round % 3;
        lsns.add(compute.write(lsns.size()));
        if (round == 2) {
          tier.node(node).node().checkpoint();
        }
        tier.kill(node, round % 2 == 0);
        lsns.add(compute.write(lsns.size()));
        tier.node(node).start();
        tier.awaitWell();
      }
      for (int page = 0; page < lsns.size(); page++) {
        assertEquals(lsns.get(page), compute.read(page));
      }
    }
  }

  @Test
  void itOutlivesAPowerFailureOfAllNodesAtOnce() throws Exception {
    tier.awaitWell();
    try (ComputeClient compute = tier.compute(1)) {
      long lsn = compute.write(1);
      for (int node = 201; node <= 203; node++) {
        tier.kill(node, true);
      }
      for (int node = 201; node <= 203; node++) {
        tier.node(node).start();
      }
      tier.awaitWell();
      assertEquals(lsn, compute.read(1));
    }
  }
}
