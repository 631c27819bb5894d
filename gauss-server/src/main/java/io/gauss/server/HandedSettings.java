package io.gauss.server;

import io.gauss.common.config.NodeKind;
import io.gauss.common.config.NodeSetting;
import io.gauss.common.config.NodeSetting.Spread;
import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.config.SettingValues;
import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Settings passed to {@code gauss up --processes} for a cluster, and the nodes to which each
 * applies: those of the kinds that have it. Immutable.
 */
final class HandedSettings {
  private static final String UNSET_PORT = "0";

  private final Map<NodeKind, Map<String, String>> byKind = new EnumMap<>(NodeKind.class);

  /**
   * @param given from the command line
   * @param nodes how many nodes of each kind the cluster has
   * @throws GaussException 42704 for a setting that no node of the cluster has, 22023 for an
   *     invalid value
   * @throws RefusedException for a setting that cannot be the same on several nodes
   */
  HandedSettings(Map<String, String> given, Map<NodeKind, Integer> nodes) {
    for (NodeKind kind : NodeKind.values()) {
      byKind.put(kind, new TreeMap<>());
    }
    given.forEach((name, value) -> hand(name, value, nodes));
    byKind.forEach(SettingValues::check);
    SettingValues.checkEnvironment();
  }

  private void hand(String name, String value, Map<NodeKind, Integer> nodes) {
    Set<NodeKind> having = NodeSettingTable.kindsWith(name);
    if (having.isEmpty()) {
      throw SettingValues.unknown(name);
    }
    boolean isHanded = false;
    for (NodeKind kind : having) {
      int count = nodes.getOrDefault(kind, 0);
      NodeSetting<?> row = NodeSettingTable.find(kind, name).orElseThrow();
      if (count != 0 && isFor(row, kind == first(nodes), value, count)) {
        byKind.get(kind).put(name, value);
        isHanded = true;
      }
    }
    if (!isHanded) {
      throw new GaussException(
          SqlState.UNDEFINED_OBJECT,
          "setting \"%s\": this cluster has no node of the kind that has it, %s"
              .formatted(name, having));
    }
  }

  /** Of several kinds the one whose node gets what only one can have. */
  private static NodeKind first(Map<NodeKind, Integer> nodes) {
    return Arrays.stream(NodeKind.values())
        .filter(kind -> nodes.getOrDefault(kind, 0) != 0)
        .findFirst()
        .orElseThrow();
  }

  /**
   * @param isFirst whether this kind's node gets what only one can have
   */
  private static boolean isFor(NodeSetting<?> row, boolean isFirst, String value, int count) {
    if (row.spread() == Spread.DECIDED_BY_UP) {
      throw new RefusedException(
          "--set " + row.name() + ": `gauss` gives each node its value itself");
    }
    if (row.spread() == Spread.ONE_NODE && isFirst) {
      if (count > 1 && !value.strip().equals(UNSET_PORT)) {
        throw new RefusedException(
            "--set %s=%s: %d compute nodes on one machine cannot have the same one; set it in %s of each node's directory"
                .formatted(row.name(), value, count, SettingValues.FILE));
      }
      return true;
    }
    return row.spread() == Spread.EVERY_NODE;
  }

  /** The settings for the nodes of a kind. */
  Map<String, String> of(NodeKind kind) {
    return Map.copyOf(byKind.get(kind));
  }
}
