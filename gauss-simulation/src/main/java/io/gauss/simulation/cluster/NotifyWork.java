package io.gauss.simulation.cluster;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Rows that are inserted, and told by the same transaction: who begins to listen and then looks
 * sees each of them, or is told of it, and is told of none that is not there.
 */
final class NotifyWork implements Workload {
  /** How often a session that has seen a row waits to be told of it, some 0.25 s each time. */
  private static final int MOST_LOOKS = 400;

  private static final int PAUSE_MILLIS = 500;
  private static final String READ = "SELECT id FROM told ORDER BY id";

  private final int clients;
  private int last;

  NotifyWork(int clients) {
    this.clients = clients;
  }

  @Override
  public List<String> tables() {
    return List.of("CREATE TABLE told (id int PRIMARY KEY)");
  }

  @Override
  public int clients() {
    return clients;
  }

  @Override
  public void turn(Visit visit) {
    if (visit.random().nextInt(3) == 0) {
      listen(visit);
      return;
    }
    for (int i = 1 + visit.random().nextInt(4); i > 0 && !visit.connection().isBroken(); i--) {
      insert(visit);
      visit.rollBack();
      visit.pause(20);
    }
  }

  private void insert(Visit visit) {
    int id = ++last;
    if (!visit.ask("BEGIN").succeeded()
        || !visit.ask("SELECT pg_notify('told', '%d')".formatted(id)).succeeded()) {
      return;
    }
    if (visit.random().nextInt(4) == 0) {
      visit.ask("SAVEPOINT s");
      visit.ask("NOTIFY told, '-1'");
      visit.ask("ROLLBACK TO s");
    }
    if (visit.ask("INSERT INTO told VALUES (%d)".formatted(id)).succeeded()) {
      visit.ask(visit.random().nextInt(5) == 0 ? "ROLLBACK" : "COMMIT");
    }
  }

  // ---------------------------------------------------------------- listening

  private static void listen(Visit visit) {
    if (!visit.ask("LISTEN told").succeeded()) {
      return;
    }
    Set<Integer> known = new TreeSet<>();
    Set<Integer> rows = read(visit);
    if (rows == null) {
      return;
    }
    known.addAll(rows);
    for (int i = 2 + visit.random().nextInt(6); i > 0; i--) {
      visit.pause(PAUSE_MILLIS);
      Set<Integer> told = told(visit);
      rows = read(visit);
      if (rows == null) {
        return;
      }
      if (!rows.containsAll(told)) {
        visit.wrong("was told of " + told + ", and sees " + rows);
      }
      known.addAll(told);
    }
    awaitAll(visit, rows, known);
  }

  /** What it has seen it is told of, sooner or later. */
  private static void awaitAll(Visit visit, Set<Integer> rows, Set<Integer> known) {
    for (int looks = 0; !known.containsAll(rows); looks++) {
      if (looks == MOST_LOOKS) {
        rows.removeAll(known);
        visit.wrong("was not told of " + rows);
        return;
      }
      visit.pause(PAUSE_MILLIS);
      if (!visit.ask("SELECT 1").connected()) {
        return;
      }
      known.addAll(told(visit));
    }
  }

  /** Null when there is no answer. */
  private static Set<Integer> read(Visit visit) {
    Answer answer = visit.ask(READ);
    if (!answer.succeeded()) {
      return null;
    }
    Set<Integer> rows = new TreeSet<>();
    answer.rows().forEach(row -> rows.add(Integer.parseInt(row)));
    return rows;
  }

  private static Set<Integer> told(Visit visit) {
    Set<Integer> told = new TreeSet<>();
    visit.connection().takeTold().forEach(payload -> told.add(Integer.parseInt(payload)));
    return told;
  }

  @Override
  public void check(int node, ClientConnection connection, Consumer<String> wrong) {
    Workers.must(connection, READ);
  }
}
