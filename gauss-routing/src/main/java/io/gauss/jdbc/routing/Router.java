package io.gauss.jdbc.routing;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * Chooses the compute node of a transaction. Asked at the first statement of every transaction, and
 * at every statement in autocommit mode; never while a connection is pinned, a hint names the node,
 * or there is only one node.
 *
 * <p>One router serves all connections of an application that have the same hosts and properties.
 * Implementations are thread-safe, do not block and do not throw: a wrong route is slower, never
 * wrong, and a router's failure must not be the application's.
 */
public interface Router extends AutoCloseable {
  /** Called on the application's thread before the statement is sent: microseconds count. */
  Decision route(RouteRequest request);

  /** What it has done since it was made. */
  RouterReport report();

  /**
   * Why a statement goes where it goes: lines of text for people. Made anew from what is known now;
   * counts nothing and moves nothing.
   */
  List<String> explain(RouteRequest request);

  /**
   * Called by the cluster's monitor every few seconds with its own connection to one of the nodes
   * (autocommit on), for routers that read something from the server. What it throws is logged, and
   * tried again at the next call.
   *
   * @param connection not to be kept or closed
   * @param topology as it was found just before
   * @throws SQLException when the server's answer cannot be had
   */
  default void refresh(Connection connection, Topology topology) throws SQLException {}

  /** Called once, when the last connection has been closed. */
  @Override
  default void close() {}
}
