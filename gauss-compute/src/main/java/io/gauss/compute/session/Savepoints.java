package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.exec.deferred.PendingChecks;
import java.util.ArrayList;
import java.util.List;

/**
 * The savepoints of a transaction, outermost first. A transaction may have as many as fit into the
 * memory of its session. Belongs to the session.
 */
final class Savepoints {
  /**
   * @param isReadOnly restored when the savepoint is released: a subtransaction's READ ONLY ends
   *     with it
   */
  record Savepoint(
      String name,
      long undo,
      int settings,
      long ddl,
      int advisory,
      PendingChecks.Position pending,
      SessionNotifications.Position notifications,
      boolean isReadOnly) {
    private static final int BYTES = 170; // with the objects in it, roughly

    private long bytes() {
      return (long) BYTES + name.length();
    }
  }

  private final ClientMemory.Share memory;
  private final List<Savepoint> list = new ArrayList<>(0);

  Savepoints(ClientMemory.Share memory) {
    this.memory = memory;
  }

  boolean isEmpty() {
    return list.isEmpty();
  }

  int size() {
    return list.size();
  }

  Savepoint get(int index) {
    return list.get(index);
  }

  Savepoint innermost() {
    return list.getLast();
  }

  Savepoint outermost() {
    return list.getFirst();
  }

  /**
   * @throws GaussException 53200 when there is no memory for it
   */
  void add(Savepoint savepoint) {
    memory.resize(0, savepoint.bytes());
    list.add(savepoint);
  }

  /** Keeps so many of the outermost. */
  void keep(int count) {
    long freed = 0;
    while (list.size() > count) {
      freed += list.removeLast().bytes();
    }
    memory.resize(freed, 0);
  }

  /**
   * Index of the innermost of that name.
   *
   * @throws GaussException 3B001 when there is none
   */
  int find(String name) {
    for (int i = list.size() - 1; i >= 0; i--) {
      if (list.get(i).name().equals(name)) {
        return i;
      }
    }
    throw new GaussException(
        SqlState.INVALID_SAVEPOINT_SPECIFICATION,
        "savepoint \"%s\" does not exist".formatted(name));
  }
}
