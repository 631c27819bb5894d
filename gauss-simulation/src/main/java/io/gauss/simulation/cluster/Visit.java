package io.gauss.simulation.cluster;

import io.gauss.common.runtime.Environment;
import io.gauss.simulation.Simulation;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A client's visit to a compute node, for one turn of a {@link Workload}.
 *
 * @param name of the client and its turn
 * @param random for what it does
 * @param told is told of what cannot be
 */
record Visit(
    Simulation simulation,
    SimulatedCluster cluster,
    String name,
    int number,
    ClientConnection connection,
    SplittableRandom random,
    Consumer<String> told) {
  /** Runs a query, and notes question and answer in the trace. */
  Answer ask(String text) {
    return noted(text, connection.query(text), number);
  }

  private Answer noted(String text, Answer answer, int by) {
    simulation.event(name + ": " + text + " => " + answer);
    if (!answer.succeeded() && answer.error().code().startsWith("XX")) {
      wrong("was told " + answer);
    }
    if (answer.connected() && by != 0) {
      cluster.answered(by);
    }
    return answer;
  }

  /** A session of another node, which forwards its transactions to this one. */
  ForwardedConnection forwarded() {
    int before = 1 + random.nextInt(cluster.computes() - 1);
    int here = before < number ? before : before + 1;
    return new ForwardedConnection(connection, () -> cluster.connect(here));
  }

  /** Runs a query in such a session. */
  Answer ask(ForwardedConnection forwarded, String text) {
    Answer answer = forwarded.query(text);
    return noted(text, answer, forwarded.answeredBy());
  }

  /** Sends a query, and ends the connection without waiting for the answer. */
  void abandon(String text) {
    simulation.event(name + ": " + text + ", and leaves");
    connection.abandon(text);
  }

  /** Ends a transaction that has failed. */
  void rollBack() {
    if (!connection.isBroken() && connection.inBlock()) {
      ask("ROLLBACK");
    }
  }

  /** Waits for up to so long. */
  void pause(int maxMillis) {
    Environment.parkNanos(1 + random.nextLong(TimeUnit.MILLISECONDS.toNanos(maxMillis)));
  }

  /** Something happened that cannot be. */
  void wrong(String what) {
    told.accept(name + " " + what);
  }
}
