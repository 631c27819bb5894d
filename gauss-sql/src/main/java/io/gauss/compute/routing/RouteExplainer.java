package io.gauss.compute.routing;

import java.util.List;

/**
 * Tells people where transactions belong and why, by what was learned of them; {@link BetterNode}
 * is what sends transactions there. Compute nodes do not read models: who starts them does, by the
 * classes that drivers have. Thread-safe; neither waits nor throws.
 */
public interface RouteExplainer {
  /** Of a node that nobody has given the means. */
  RouteExplainer NONE = (text, parameters) -> List.of("Nothing is known of routes by this node");

  /**
   * Why transactions that begin with a statement go to which compute node: lines for people.
   *
   * @param text of the statement, as the client sent it
   * @param parameters bound to it: Long, Double or String, points in time as µs since 1970; null
   *     for NULL and what cannot be told
   */
  List<String> explain(String text, List<?> parameters);
}
