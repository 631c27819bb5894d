package io.gauss.simulation.cluster;

import io.gauss.common.history.History.Outcome;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Tables that are made, changed and dropped all the while: what was told to be so is so on every
 * node, at once and in the end.
 */
final class DefinitionsWork implements Workload {
  private final int clients;
  private final Map<Integer, Table> tables = new TreeMap<>();
  private int made;
  private int columns;
  private List<String> seen;

  /** What a client knows of a table. */
  private static final class Table {
    private Outcome made;
    private Outcome dropped = Outcome.ABORTED;
    private int leastRows;
    private int mostRows;
    private boolean isBusy = true;
  }

  /**
   * @param clients how many make and change them at a time
   */
  DefinitionsWork(int clients) {
    this.clients = clients;
  }

  @Override
  public List<String> tables() {
    return List.of();
  }

  @Override
  public int clients() {
    return clients;
  }

  @Override
  public void turn(Visit visit) {
    Integer known =
        tables.entrySet().stream()
            .filter(one -> isThere(one.getValue()) && !one.getValue().isBusy)
            .map(Map.Entry::getKey)
            .skip(visit.random().nextInt(3))
            .findFirst()
            .orElse(null);
    if (known == null || visit.random().nextInt(3) == 0) {
      make(visit, ++made);
      return;
    }
    Table table = tables.get(known);
    table.isBusy = true;
    String name = "made" + known;
    switch (visit.random().nextInt(6)) {
      case 0 -> {
        Answer answer = visit.ask("DROP TABLE " + name);
        changed(visit, answer);
        table.dropped = outcome(answer);
      }
      case 1 ->
          changed(visit, visit.ask("ALTER TABLE " + name + " ADD COLUMN c" + ++columns + " int"));
      case 2 ->
          changed(visit, visit.ask("CREATE INDEX made_index" + ++columns + " ON " + name + " (v)"));
      default -> insert(visit, name, table);
    }
    table.isBusy = false;
    visit.rollBack();
  }

  private static boolean isThere(Table table) {
    return table.made == Outcome.COMMITTED && table.dropped == Outcome.ABORTED;
  }

  private void make(Visit visit, int number) {
    Table table = new Table();
    tables.put(number, table);
    String name = "made" + number;
    visit.ask("BEGIN");
    visit.ask("CREATE TABLE " + name + " (id int PRIMARY KEY, v int)");
    visit.ask("INSERT INTO " + name + " VALUES (0, 0)");
    Answer answer = visit.ask("COMMIT");
    // After an error the COMMIT of a failed transaction succeeds as ROLLBACK.
    table.made =
        answer.succeeded() && !"COMMIT".equals(answer.tag()) ? Outcome.ABORTED : outcome(answer);
    table.leastRows = 1;
    table.mostRows = 1;
    table.isBusy = false;
  }

  private void insert(Visit visit, String name, Table table) {
    Answer answer = visit.ask("INSERT INTO " + name + " VALUES (" + ++columns + ", 1)");
    changed(visit, answer);
    switch (outcome(answer)) {
      case COMMITTED -> {
        table.leastRows++;
        table.mostRows++;
      }
      case OPEN -> table.mostRows++;
      case ABORTED -> {}
    }
  }

  /** A table that is there cannot be missed. */
  private static void changed(Visit visit, Answer answer) {
    if (!answer.succeeded() && answer.error().code().startsWith("42")) {
      visit.wrong("was told " + answer);
    }
  }

  private static Outcome outcome(Answer answer) {
    if (answer.succeeded()) {
      return Outcome.COMMITTED;
    }
    // What is refused before it runs has done nothing; all else may have.
    String state = answer.error().code();
    boolean isRefused = state.startsWith("42") || state.startsWith("40");
    return answer.connected() && isRefused ? Outcome.ABORTED : Outcome.OPEN;
  }

  @Override
  public void check(int node, ClientConnection connection, Consumer<String> wrong) {
    List<String> now =
        Workers.must(
                connection,
                "SELECT table_name, column_name FROM information_schema.columns"
                    + " WHERE table_name LIKE 'made%' ORDER BY 1, 2")
            .rows();
    if (seen == null) {
      seen = now;
    } else if (!now.equals(seen)) {
      wrong.accept("other tables than on the first node: " + now + ", not " + seen);
    }
    tables.forEach(
        (number, table) -> {
          boolean isThere = now.contains("made" + number + "|id");
          boolean mustBe = isThere(table);
          boolean mayBe = table.made != Outcome.ABORTED && table.dropped != Outcome.COMMITTED;
          if (mustBe && !isThere || isThere && !mayBe) {
            wrong.accept(
                "table made%d is %s; made: %s, dropped: %s"
                    .formatted(number, isThere ? "there" : "not there", table.made, table.dropped));
          }
          if (isThere) {
            count(connection, number, table, wrong);
          }
        });
  }

  private static void count(
      ClientConnection connection, int number, Table table, Consumer<String> wrong) {
    int rows =
        Integer.parseInt(
            Workers.must(connection, "SELECT count(*) FROM made" + number).rows().getFirst());
    if (rows < table.leastRows || rows > table.mostRows) {
      wrong.accept(
          "table made%d has %d rows, not %d to %d"
              .formatted(number, rows, table.leastRows, table.mostRows));
    }
  }
}
