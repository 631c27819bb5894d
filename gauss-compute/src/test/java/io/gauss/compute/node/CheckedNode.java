package io.gauss.compute.node;

import io.gauss.compute.engine.Checker;
import io.gauss.compute.engine.Engine;
import io.gauss.compute.engine.StoreEqualsBufferChecker;
import io.gauss.compute.pgwire.PgServer;

/** What is checked of every node that a test has used, whatever it was used for. */
public final class CheckedNode {
  private CheckedNode() {}

  /** Compares the node's pages with the page store's, if its log takes writes, and closes it. */
  public static void close(ComputeNode node) {
    try (node) {
      check(node);
    }
  }

  /** Where the node's clients connect. */
  public static PgServer server(ComputeNode node) {
    return node.server();
  }

  /** The check alone; others may use the node meanwhile. */
  public static void check(ComputeNode node) {
    Engine engine = node.engine();
    if (engine.log().hasFailed() || engine.log().refusal() != null) {
      return; // the pages may be ahead of what is durable, for ever
    }
    for (Checker checker : engine.checkers()) {
      if (checker instanceof StoreEqualsBufferChecker) {
        checker.check(engine.newContext());
      }
    }
  }
}
