package io.gauss.storage.map.client;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.map.ClusterMapTransitions;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSettings;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Law 7: nothing from a dead epoch is accepted. */
class MapEpochGuardTest {
  private static final UUID CLUSTER = new UUID(1, 2);

  private static ClusterMap apply(ClusterMap map, MapCommand command) {
    return ClusterMapTransitions.apply(map, command).map();
  }

  @Test
  void deadEpochsAreShutOutAndNewerOnesThanTheMapKnowsAreNot() {
    ClusterMap made =
        apply(ClusterMap.EMPTY, new MapCommand.InitCluster(CLUSTER, 1, ClusterSettings.DEFAULTS));
    ClusterMap live =
        apply(
            made,
            new MapCommand.Register(
                CLUSTER,
                7,
                0,
                Set.of(Role.MEMORY),
                "",
                List.of(new Endpoint(Endpoint.Purpose.PEER, "h", 1)),
                5,
                1,
                1));
    assertTrue(new MapEpochGuard(() -> made).alive(7, 1), "never heard of");
    assertTrue(new MapEpochGuard(() -> live).alive(7, 1));
    ClusterMap dead = apply(live, new MapCommand.ExpireLease(7, 1, 0));
    assertFalse(new MapEpochGuard(() -> dead).alive(7, 1));
    assertTrue(new MapEpochGuard(() -> dead).alive(7, 2));
    assertTrue(new MapEpochGuard(() -> dead).alive(7, MapEpochGuard.UNREGISTERED));
  }
}
