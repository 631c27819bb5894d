package io.gauss.compute.pgwire;

/** How many answers are held, for tests of nodes. */
public final class GateWaits {
  private GateWaits() {}

  /**
   * Connections whose answers wait for the node's right to answer (law 10, no lease, no answer).
   */
  public static int of(PgServer server) {
    return server.held();
  }
}
