package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.config.NodeKind;
import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HandedSettingsTest {
  private static final Map<NodeKind, Integer> ALL =
      Map.of(NodeKind.COMPUTE, 2, NodeKind.MEMORY, 2, NodeKind.STORAGE, 3);
  private static final Map<NodeKind, Integer> WITHOUT_MEMORY =
      Map.of(NodeKind.COMPUTE, 1, NodeKind.MEMORY, 0, NodeKind.STORAGE, 3);

  @Test
  void aSettingGoesToTheKindsThatHaveIt() {
    HandedSettings handed =
        new HandedSettings(
            Map.of("pool.size", "16MB", "log.keep", "1MB", "checkpoint.seconds", "7", "zone", "a"),
            ALL);
    assertEquals(
        Map.of("pool.size", "16MB", "checkpoint.seconds", "7", "zone", "a"),
        handed.of(NodeKind.COMPUTE));
    assertEquals(
        Map.of("log.keep", "1MB", "checkpoint.seconds", "7", "zone", "a"),
        handed.of(NodeKind.STORAGE));
    assertEquals(Map.of("zone", "a"), handed.of(NodeKind.MEMORY));
  }

  @Test
  void whatNoNodeHasIsRefused() {
    GaussException unknown =
        assertThrows(GaussException.class, () -> new HandedSettings(Map.of("pool.sice", ""), ALL));
    assertEquals(SqlState.UNDEFINED_OBJECT, unknown.state());
    GaussException of =
        assertThrows(
            GaussException.class,
            () -> new HandedSettings(Map.of("cache.size", "1GB"), WITHOUT_MEMORY));
    assertTrue(of.getMessage().contains("[memory]"), of.getMessage());
  }

  @Test
  void valuesAreCheckedForEveryKindThatGetsThem() {
    GaussException e =
        assertThrows(
            GaussException.class,
            () -> new HandedSettings(Map.of("threads.event-loops", "300"), ALL));
    assertTrue(e.getMessage().contains("1 to 256"), e.getMessage());
    assertEquals(
        Map.of("threads.event-loops", "300"),
        new HandedSettings(Map.of("threads.event-loops", "300"), WITHOUT_MEMORY)
            .of(NodeKind.COMPUTE));
  }

  @Test
  void portsAreASingleComputeNodes() {
    HandedSettings handed = new HandedSettings(Map.of("metrics.port", "9187"), WITHOUT_MEMORY);
    assertEquals(Map.of("metrics.port", "9187"), handed.of(NodeKind.COMPUTE));
    assertEquals(Map.of(), handed.of(NodeKind.STORAGE));
    assertThrows(
        RefusedException.class, () -> new HandedSettings(Map.of("metrics.port", "9187"), ALL));
  }

  @Test
  void whatUpDecidesIsNotGivenToIt() {
    assertThrows(
        RefusedException.class, () -> new HandedSettings(Map.of("cluster.node", "3"), ALL));
  }
}
