package io.gauss.simulation.cluster;

import java.util.List;
import java.util.function.Consumer;

/**
 * Snapshots that are kept for long while everything changes and old versions are purged: they read
 * the same all the time, or an error.
 */
final class LongSnapshotWork implements Workload {
  private static final List<String> QUESTIONS =
      List.of(
          "SELECT k, list FROM lists WHERE list <> '' ORDER BY k",
          "SELECT id, balance FROM bank ORDER BY id",
          "SELECT id, v, w FROM indexed ORDER BY id",
          "SELECT id, v FROM indexed WHERE v BETWEEN 3 AND 40 ORDER BY v, id");

  @Override
  public List<String> tables() {
    return List.of();
  }

  @Override
  public void turn(Visit visit) {
    Answer begun = visit.ask("BEGIN ISOLATION LEVEL REPEATABLE READ");
    String question = QUESTIONS.get(visit.random().nextInt(QUESTIONS.size()));
    Answer first = begun.succeeded() ? visit.ask(question) : begun;
    for (int i = visit.random().nextInt(5); i > 0 && first.succeeded(); i--) {
      visit.pause(500);
      Answer again = visit.ask(question);
      if (again.succeeded() && !again.rows().equals(first.rows())) {
        visit.wrong("reads " + again + " under the snapshot that gave " + first);
      }
      if (!again.succeeded()) {
        break;
      }
    }
    visit.rollBack();
  }

  @Override
  public void check(int node, ClientConnection connection, Consumer<String> wrong) {}
}
