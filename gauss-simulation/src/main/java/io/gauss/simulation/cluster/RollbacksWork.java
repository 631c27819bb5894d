package io.gauss.simulation.cluster;

import io.gauss.common.error.SqlState;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Transactions for whose few rows all others wait, and which are mostly rolled back, after so long
 * that their changes are durable: none of these stays, and none of the others is lost.
 */
final class RollbacksWork implements Workload {
  private static final int ROWS = 3;
  private static final int PAD_BYTES = 1_800; // few of them on a page
  private static final int MAX_OPEN_MILLIS = 60; // a log is forced more often
  private static final List<SqlState> NOTHING_DONE =
      List.of(SqlState.SERIALIZATION_FAILURE, SqlState.DEADLOCK_DETECTED);

  private final Set<String> seen = new HashSet<>();
  private final int clients;
  private final int[] least = new int[ROWS];
  private final int[] most = new int[ROWS];

  RollbacksWork(int clients) {
    this.clients = clients;
  }

  @Override
  public List<String> tables() {
    return List.of(
        "CREATE TABLE undone (id int PRIMARY KEY, n int NOT NULL, pad text)",
        "INSERT INTO undone SELECT g, 0, repeat('x', %d) FROM generate_series(0, %d) AS g"
            .formatted(PAD_BYTES, ROWS - 1));
  }

  @Override
  public int clients() {
    return clients;
  }

  @Override
  public void turn(Visit visit) {
    for (int i = 1 + visit.random().nextInt(4); i > 0 && !visit.connection().isBroken(); i--) {
      change(visit, visit.random().nextInt(ROWS));
      visit.rollBack();
    }
  }

  private void change(Visit visit, int row) {
    if (!visit.ask("BEGIN").succeeded()) {
      return;
    }
    Answer changed = visit.ask("UPDATE undone SET n = n + 1 WHERE id = " + row + " RETURNING n");
    if (!changed.succeeded()) {
      return;
    }
    visit.pause(MAX_OPEN_MILLIS);
    if (visit.random().nextInt(4) != 0) {
      return;
    }
    Answer committed = visit.ask("COMMIT");
    if (committed.succeeded()) {
      least[row]++;
      most[row]++;
      if (!seen.add(row + ":" + changed.rows())) {
        visit.wrong("increased row " + row + " to " + changed + ", as another one has");
      }
    } else if (!NOTHING_DONE.contains(committed.error())) {
      most[row]++;
    }
  }

  @Override
  public void check(int node, ClientConnection connection, Consumer<String> wrong) {
    List<String> rows = Workers.must(connection, "SELECT n FROM undone ORDER BY id").rows();
    for (int row = 0; row < ROWS; row++) {
      int n = row < rows.size() ? Integer.parseInt(rows.get(row)) : -1;
      if (n < least[row] || n > most[row]) {
        wrong.accept(
            "row %d was increased %d times, not %d to %d times, without what was rolled back"
                .formatted(row, n, least[row], most[row]));
      }
    }
  }
}
