package io.gauss.simulation.cluster;

import io.gauss.common.error.SqlState;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Rows whose keys change while others change the rows: at READ COMMITTED each statement finds its
 * row wherever it is by then, as PostgreSQL does, and no change is lost. A child follows each.
 */
final class MovedRowsWork implements Workload {
  private static final int ROWS = 3;
  private static final int FIRST_FREE = 1000;
  private static final Set<SqlState> NOTHING_DONE =
      Set.of(SqlState.SERIALIZATION_FAILURE, SqlState.DEADLOCK_DETECTED);

  private final int[] least = new int[ROWS];
  private final int[] most = new int[ROWS];
  private int keys = FIRST_FREE;

  @Override
  public List<String> tables() {
    return List.of(
        "CREATE TABLE moved (id int PRIMARY KEY, tag int NOT NULL, n int NOT NULL)",
        "CREATE INDEX moved_tag ON moved (tag)",
        "INSERT INTO moved SELECT g, g, 0 FROM generate_series(0, " + (ROWS - 1) + ") AS g",
        "CREATE TABLE moved_child (tag int PRIMARY KEY, p int NOT NULL"
            + " REFERENCES moved ON UPDATE CASCADE)",
        "INSERT INTO moved_child SELECT tag, id FROM moved");
  }

  @Override
  public int clients() {
    return 3;
  }

  @Override
  public void turn(Visit visit) {
    for (int i = 1 + visit.random().nextInt(3); i > 0; i--) {
      int row = visit.random().nextInt(ROWS);
      switch (visit.random().nextInt(4)) {
        case 0 -> move(visit, row);
        case 1 -> addLocked(visit, row);
        default -> add(visit, row);
      }
      visit.rollBack();
      if (visit.connection().isBroken()) {
        return;
      }
    }
  }

  private void move(Visit visit, int row) {
    visit.ask("BEGIN");
    one(visit, visit.ask("UPDATE moved SET id = " + keys++ + " WHERE tag = " + row), "UPDATE 1");
    visit.pause(30);
    visit.ask(visit.random().nextInt(5) == 0 ? "ROLLBACK" : "COMMIT");
  }

  private void add(Visit visit, int row) {
    Answer answer = visit.ask("UPDATE moved SET n = n + 1 WHERE tag = " + row);
    one(visit, answer, "UPDATE 1");
    note(row, answer);
  }

  private void addLocked(Visit visit, int row) {
    visit.ask("BEGIN");
    Answer locked = visit.ask("SELECT id, n FROM moved WHERE tag = " + row + " FOR UPDATE");
    if (!locked.succeeded()) {
      return;
    }
    if (locked.rows().size() != 1) {
      visit.wrong("locked " + locked + ", not one row");
      return;
    }
    String[] found = locked.rows().getFirst().split("\\|");
    int next = Integer.parseInt(found[1]) + 1;
    visit.pause(10);
    Answer changed = visit.ask("UPDATE moved SET n = " + next + " WHERE id = " + found[0]);
    one(visit, changed, "UPDATE 1");
    if (changed.succeeded()) {
      note(row, visit.ask("COMMIT"));
    }
  }

  private static void one(Visit visit, Answer answer, String expected) {
    if (answer.succeeded() && !expected.equals(answer.tag())) {
      visit.wrong("was told " + answer.tag() + ", not " + expected);
    }
  }

  /** Of a statement that commits. */
  private void note(int row, Answer answer) {
    if (answer.succeeded()) {
      least[row]++;
      most[row]++;
    } else if (!NOTHING_DONE.contains(answer.error())) {
      most[row]++;
    }
  }

  @Override
  public void check(int node, ClientConnection connection, Consumer<String> wrong) {
    List<String> rows = Workers.must(connection, "SELECT tag, n FROM moved ORDER BY tag").rows();
    if (rows.size() != ROWS) {
      wrong.accept("the rows whose keys change are " + rows);
      return;
    }
    String children =
        "SELECT count(*) FROM moved_child c JOIN moved m ON m.id = c.p AND m.tag = c.tag";
    List<String> found = Workers.must(connection, children).rows();
    if (!found.equals(List.of(Integer.toString(ROWS)))) {
      wrong.accept("of the children " + found + " have their parents, not " + ROWS);
    }
    for (int row = 0; row < ROWS; row++) {
      int n = Integer.parseInt(rows.get(row).split("\\|")[1]);
      if (n < least[row] || n > most[row]) {
        wrong.accept(
            "row %d was increased %d times, of which %d were told to be committed, %d perhaps"
                .formatted(row, n, least[row], most[row] - least[row]));
      }
    }
  }
}
