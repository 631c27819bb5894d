package io.gauss.compute.node;

import java.sql.Connection;
import java.sql.SQLException;

/** Clients whose transactions go to better nodes from their first one on. */
public final class ForwardedClients {
  /** Number of the node that runs it, which is its slot, too. */
  public static final String NODE =
      "(SELECT id FROM gauss.nodes WHERE role LIKE '%compute%' AND pid IS NOT NULL)";

  private ForwardedClients() {}

  /**
   * Waits until the connection between the client's node and a better one has been made: until then
   * transactions stay.
   *
   * @param thereIsBetter begins a statement that belongs to that node
   */
  public static Connection ready(Connection client, String thereIsBetter, int node)
      throws SQLException {
    String question = thereIsBetter + "SELECT " + NODE;
    while (!OneNode.query(client, question).getFirst().equals(Integer.toString(node))) {
      Thread.yield();
    }
    return client;
  }
}
