package io.gauss.compute.session;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.ddl.DdlSession;
import io.gauss.compute.sql.parse.PgStatement;
import io.gauss.compute.sql.parse.PgStatement.DropBehavior;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.sql.plan.PreparedPlan;
import io.gauss.compute.txn.TableLockMode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** ON COMMIT of a session's temporary tables. Belongs to the session. */
final class TemporaryTables {
  private final DdlSession ddl;
  private final SessionState state;

  /** Tables of ON COMMIT DELETE ROWS that the transaction may have written. */
  private final Set<Integer> written = new HashSet<>(0);

  TemporaryTables(DdlSession ddl, SessionState state) {
    this.ddl = ddl;
    this.state = state;
  }

  /** Records the tables that the transaction writes. */
  void noteUse(PreparedPlan plan) {
    if (ddl.commitActions().isEmpty()) {
      return;
    }
    for (PreparedPlan.TableUse use : plan.tables()) {
      if (use.mode() == TableLockMode.ROW_EXCLUSIVE
          && ddl.commitActions().containsKey(use.tableOid())) {
        written.add(use.tableOid());
      }
    }
  }

  void noteWritten(int tableOid) {
    written.add(tableOid);
  }

  /** Whether {@link #beforeCommit} has anything to do. */
  boolean mayWaitAtCommit() {
    return !ddl.commitActions().isEmpty() && !(drops().isEmpty() && deletes().isEmpty());
  }

  void beforeCommit() {
    if (ddl.commitActions().isEmpty()) {
      return;
    }
    List<Name> drops = drops();
    List<Name> deletes = deletes();
    if (!drops.isEmpty()) {
      execute(new PgStatement.DropTable(drops, true, DropBehavior.CASCADE));
    }
    if (!deletes.isEmpty()) {
      execute(new PgStatement.Truncate(deletes, false, DropBehavior.RESTRICT));
    }
    ddl.commitActions().keySet().removeIf(oid -> ddl.view().table(oid) == null);
  }

  private void execute(PgStatement statement) {
    state.transaction().startStatement();
    try {
      state.catalog().executeQuietly(statement);
    } finally {
      state.transaction().endStatement();
    }
  }

  private List<Name> drops() {
    List<Name> names = new ArrayList<>();
    for (Map.Entry<Integer, String> action : ddl.commitActions().entrySet()) {
      if (action.getValue().equals("drop")) {
        add(action.getKey(), names);
      }
    }
    return names;
  }

  private List<Name> deletes() {
    List<Name> names = new ArrayList<>();
    for (int oid : written) {
      if ("delete".equals(ddl.commitActions().get(oid))) {
        add(oid, names);
      }
    }
    return names;
  }

  private void add(int oid, List<Name> names) {
    TableDef table = ddl.view().table(oid);
    if (table != null) {
      names.add(new Name(table.schema(), table.name(), 0));
    }
  }

  /** The transaction has ended. */
  void ended() {
    written.clear();
  }
}
