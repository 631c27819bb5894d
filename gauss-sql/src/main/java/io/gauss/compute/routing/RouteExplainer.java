package io.gauss.compute.routing;

import java.util.List;

/**
 * Explains to people where transactions belong and why, from what routing has learned; {@link
 * BetterNode} sends transactions there. Compute nodes do not read models: the code that starts them
 * does, with the drivers' classes. Thread-safe; neither waits nor throws.
 */
public interface RouteExplainer {
  /** For a node without another explainer. */
  RouteExplainer NONE =
      (text, parameters, rights) -> List.of("Nothing is known of routes by this node");

  /**
   * To which compute node transactions that begin with a statement go, and why: lines for people.
   *
   * @param text of the statement, as the client sent it
   * @param parameters bound to it: Long, Double or String, points in time as µs since 1970; null
   *     for NULL and for values that cannot be represented
   * @param rights of who asks: nothing is told of values of other tables
   */
  List<String> explain(String text, List<?> parameters, TableRights rights);
}
