package io.gauss.simulation.cluster;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Numbers that are read, and written one higher by another transaction, under an advisory lock of
 * the session, or under one of the transaction: nobody writes what another one has written.
 */
final class AdvisoryWork implements Workload {
  private static final int KEYS = 2;

  private final Set<String> written = new HashSet<>();
  private final int[] highest = new int[KEYS];
  private final int clients;

  AdvisoryWork(int clients) {
    this.clients = clients;
  }

  @Override
  public List<String> tables() {
    return List.of(
        "CREATE TABLE guarded (id int PRIMARY KEY, n int NOT NULL)",
        "INSERT INTO guarded SELECT g, 0 FROM generate_series(0, %d) AS g".formatted(KEYS - 1));
  }

  @Override
  public int clients() {
    return clients;
  }

  @Override
  public void turn(Visit visit) {
    for (int i = 2 + visit.random().nextInt(4); i > 0 && !visit.connection().isBroken(); i--) {
      int key = visit.random().nextInt(KEYS);
      if (visit.random().nextInt(3) == 0) {
        inTransaction(visit, key);
      } else {
        inSession(visit, key);
      }
      visit.rollBack();
      visit.pause(10);
    }
    // Some leave with their locks.
  }

  private void inTransaction(Visit visit, int key) {
    if (!visit.ask("BEGIN").succeeded()
        || !visit.ask("SELECT pg_advisory_xact_lock(%d)".formatted(key)).succeeded()) {
      return;
    }
    int n = read(visit, key);
    if (n >= 0 && write(visit, key, n + 1) && isCommitted(visit.ask("COMMIT"))) {
      wrote(visit, key, n + 1);
    }
  }

  private static boolean isCommitted(Answer answer) {
    return answer.succeeded() && answer.tag().equals("COMMIT");
  }

  private void inSession(Visit visit, int key) {
    boolean waits = visit.random().nextBoolean();
    String lock = waits ? "pg_advisory_lock(%d) IS NOT NULL" : "pg_try_advisory_lock(%d)";
    Answer locked = visit.ask("SELECT " + lock.formatted(key));
    if (!locked.succeeded() || !locked.rows().equals(List.of("t"))) {
      return;
    }
    int n = read(visit, key);
    if (n >= 0 && write(visit, key, n + 1)) {
      wrote(visit, key, n + 1);
    }
    if (!visit.connection().isBroken() && visit.random().nextInt(8) != 0) {
      Answer unlocked = visit.ask("SELECT pg_advisory_unlock(%d)".formatted(key));
      if (unlocked.succeeded() && !unlocked.rows().equals(List.of("t"))) {
        visit.wrong("has lost its lock of key " + key);
      }
    }
  }

  /** Below 0 when there is no answer. */
  private static int read(Visit visit, int key) {
    Answer answer = visit.ask("SELECT n FROM guarded WHERE id = " + key);
    return answer.succeeded() ? Integer.parseInt(answer.rows().getFirst()) : -1;
  }

  private static boolean write(Visit visit, int key, int n) {
    return visit.ask("UPDATE guarded SET n = %d WHERE id = %d".formatted(n, key)).succeeded();
  }

  private void wrote(Visit visit, int key, int n) {
    highest[key] = Math.max(highest[key], n);
    if (!written.add(key + ":" + n)) {
      visit.wrong("wrote " + n + " under key " + key + ", as another one has");
    }
  }

  @Override
  public void check(int node, ClientConnection connection, Consumer<String> wrong) {
    List<String> rows = Workers.must(connection, "SELECT n FROM guarded ORDER BY id").rows();
    for (int key = 0; key < KEYS; key++) {
      int n = key < rows.size() ? Integer.parseInt(rows.get(key)) : -1;
      if (n < highest[key]) {
        wrong.accept("key %d has %d, although %d was written".formatted(key, n, highest[key]));
      }
    }
  }
}
