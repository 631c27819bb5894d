package io.gauss.common.config;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;

/**
 * One setting of nodes: a row of {@link NodeSettingTable}. Immutable.
 *
 * @param <T> type of its values
 * @param name as in {@code gauss.properties} and after {@code --set}
 * @param fallback default value
 * @param kinds nodes that have it
 * @param spread to which nodes {@code gauss up --processes --set} passes it
 * @param effect when a change takes effect
 * @param purpose its effect on a node, in Markdown, with links as from {@code docs/}
 */
public record NodeSetting<T>(
    String name,
    SettingType<T> type,
    Fallback fallback,
    Set<NodeKind> kinds,
    Spread spread,
    Effect effect,
    String purpose) {

  /** Prefix of the names of all environment variables of Gauss. */
  static final String VARIABLE_PREFIX = "GAUSS_";

  /**
   * The default value.
   *
   * @param text the value, which may depend on the machine
   * @param description for documentation
   */
  public record Fallback(Supplier<String> text, String description) {}

  /** Which nodes of a cluster of processes get a setting of the command line. */
  public enum Spread {
    /** All nodes of the kinds that have it. */
    EVERY_NODE,
    /** A single compute node, since no two processes of a machine can have the same value. */
    ONE_NODE,
    /** None: {@code gauss up} gives each node its value. */
    DECIDED_BY_UP
  }

  /** When a change of a setting takes effect. No setting is read again while a node runs. */
  enum Effect {
    /** From the node's next start on. */
    AT_START,
    /** In a new cluster; an existing one keeps its value. */
    IN_NEW_CLUSTER
  }

  public NodeSetting {
    kinds = Collections.unmodifiableSet(EnumSet.copyOf(kinds));
  }

  /** Name of the environment variable that sets it. */
  public String variable() {
    return VARIABLE_PREFIX + name.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
  }

  /**
   * @param text with or without surrounding blanks
   * @throws IllegalArgumentException when it is not a valid value of this setting
   */
  public T parse(String text) {
    return type.parser().apply(text.strip());
  }
}
