package io.gauss.simulation.cluster;

import io.gauss.common.error.SqlState;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Counters on pages that all nodes write: each committed increase gives a value of its own, and
 * none is lost.
 */
final class CountersWork implements Workload {
  private static final int PAD_BYTES = 1_800; // few of them on a page
  private static final Set<SqlState> NOTHING_DONE =
      Set.of(SqlState.SERIALIZATION_FAILURE, SqlState.DEADLOCK_DETECTED);

  private final Set<String> seen = new HashSet<>();
  private final int clients;
  private final int counters;
  private final int[] least;
  private final int[] most;

  CountersWork(int clients, int counters) {
    this.clients = clients;
    this.counters = counters;
    this.least = new int[counters];
    this.most = new int[counters];
  }

  @Override
  public List<String> tables() {
    return List.of(
        "CREATE TABLE counters (id int PRIMARY KEY, n int NOT NULL, pad text)",
        "INSERT INTO counters SELECT g, 0, repeat('x', %d) FROM generate_series(0, %d) AS g"
            .formatted(PAD_BYTES, counters - 1));
  }

  @Override
  public int clients() {
    return clients;
  }

  @Override
  public void turn(Visit visit) {
    for (int i = 2 + visit.random().nextInt(6); i > 0 && !visit.connection().isBroken(); i--) {
      int counter = visit.random().nextInt(counters);
      Answer answer =
          visit.ask("UPDATE counters SET n = n + 1 WHERE id = " + counter + " RETURNING n");
      if (answer.succeeded()) {
        least[counter]++;
        most[counter]++;
        if (!seen.add(counter + ":" + answer.rows())) {
          visit.wrong("increased counter " + counter + " to " + answer + ", as another one has");
        }
      } else if (!NOTHING_DONE.contains(answer.error())) {
        most[counter]++;
      }
      visit.pause(10);
    }
  }

  @Override
  public void check(int node, ClientConnection connection, Consumer<String> wrong) {
    List<String> rows = Workers.must(connection, "SELECT n FROM counters ORDER BY id").rows();
    for (int counter = 0; counter < counters; counter++) {
      int n = counter < rows.size() ? Integer.parseInt(rows.get(counter)) : -1;
      if (n < least[counter] || n > most[counter]) {
        wrong.accept(
            "counter %d is %d, not %d to %d".formatted(counter, n, least[counter], most[counter]));
      }
    }
  }
}
