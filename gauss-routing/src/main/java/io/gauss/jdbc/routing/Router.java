package io.gauss.jdbc.routing;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * Chooses the compute node of a transaction. Called at the first statement of every transaction,
 * and at every statement in autocommit mode; never while a connection is pinned, a hint names the
 * node, or there is only one node.
 *
 * <p>One router serves all connections of an application that have the same hosts and properties.
 * Implementations are thread-safe, do not block and do not throw: a bad route is slower but never
 * incorrect, and a router's failure must not become the application's.
 */
public interface Router extends AutoCloseable {
  /** Called on the application's thread before the statement is sent: microseconds count. */
  Decision route(RouteRequest request);

  /** Its counts since it was created. */
  RouterReport report();

  /**
   * Explains why a statement goes where it goes: lines of text for users. Computed from present
   * knowledge; it counts nothing and moves nothing.
   */
  List<String> explain(RouteRequest request);

  /**
   * Called by the cluster's monitor every few seconds with its own connection to one of the nodes
   * (autocommit on), for routers that read something from the server. An exception is logged, and
   * the next call tries again.
   *
   * @param connection not to be kept or closed
   * @param topology as found just before
   * @throws SQLException when the server does not answer
   */
  default void refresh(Connection connection, Topology topology) throws SQLException {}

  /**
   * Called once, before the first decision, for routers that have questions between two calls of
   * {@link #refresh}.
   *
   * @param wake makes the monitor call {@link #ask} soon; does not wait
   */
  default void onQuestions(Runnable wake) {}

  /**
   * Called by the cluster's monitor soon after the router has asked for it, with the connection of
   * {@link #refresh}.
   *
   * @throws SQLException when the server does not answer
   */
  default void ask(Connection connection) throws SQLException {}

  /**
   * Called by the monitor when no node has answered for minutes: what was published may not be
   * right any more, and is not used until {@link #refresh} succeeds again.
   */
  default void forget() {}

  /** Called once, when the last connection has been closed. */
  @Override
  default void close() {}
}
