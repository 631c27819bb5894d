package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.ClusterSettings;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a compute node takes from the cluster's map. */
class ClusterNodesTest {
  private static Duration death(ClusterSettings settings) {
    return Duration.ofNanos(ClusterNodes.deathNanos(settings));
  }

  @Test
  void howLongADeathTakesFollowsFromTheLease() {
    assertEquals(Duration.ofMillis(10_500), death(ClusterSettings.DEFAULTS));
    assertEquals(
        Duration.ofMinutes(33),
        death(
            ClusterSettings.DEFAULTS
                .with(ClusterSetting.LEASE_DURATION, 600_000)
                .with(ClusterSetting.LEASE_MARGIN, 60_000)));
  }
}
