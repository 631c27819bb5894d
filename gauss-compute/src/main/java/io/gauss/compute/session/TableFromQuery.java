package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.ddl.CommandTags;
import io.gauss.compute.session.message.ResponseWriter;
import io.gauss.compute.sql.exec.node.InsertNode;
import io.gauss.compute.sql.exec.run.Execution;
import io.gauss.compute.sql.parse.PgStatement;
import io.gauss.compute.sql.plan.PreparedPlan;
import io.gauss.compute.sql.plan.ResultColumn;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import io.gauss.compute.wait.WouldBlockException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * CREATE TABLE AS and SELECT INTO: plans the query, makes a table with its columns, and inserts its
 * rows. Belongs to the session.
 */
final class TableFromQuery {
  private static final int[] NO_OIDS = new int[0];

  private final SessionServices services;
  private final SessionState state;
  private final ResponseWriter out;

  TableFromQuery(SessionServices services, SessionState state, ResponseWriter out) {
    this.services = services;
    this.state = state;
    this.out = out;
  }

  /** Runs inside the session's transaction; returns the command tag. */
  String run(PgStatement.CreateTableAs statement) {
    if (!state.context().waits().mayBlock()) {
      throw WouldBlockException.INSTANCE;
    }
    state.control().ensureOpen();
    state.control().requireReadWrite(CommandTags.refusedReadOnly(statement));
    if (!(statement.query() instanceof PgStatement.Query)) {
      throw GaussException.notSupported("CREATE TABLE AS of a statement that is no query");
    }
    PreparedPlan plan = lockedPlan(statement.query());
    boolean first = !state.transaction().hasSnapshot();
    state.transaction().startStatement();
    try {
      if (first) {
        state.catalog().snapshotTaken();
      } else {
        state.catalog().checkSnapshot(plan);
      }
      TableDef table = state.catalog().createAs(statement, columns(plan), out);
      if (table == null || !statement.withData()) {
        return "CREATE TABLE AS";
      }
      return "SELECT " + fill(table, plan);
    } finally {
      state.transaction().endStatement();
    }
  }

  private PreparedPlan lockedPlan(PgStatement query) {
    state.catalog().freshenSurely();
    while (true) {
      PreparedPlan plan =
          services
              .plans()
              .planOnce(
                  query,
                  NO_OIDS,
                  state.searchPath(),
                  state.catalog().view(),
                  state.roles().planRole(),
                  state.context().waits()::yieldCarrier);
      if (plan.parameterTypes().length > 0) {
        throw new GaussException(SqlState.UNDEFINED_PARAMETER, "there is no parameter $1");
      }
      plan.checkAllowed();
      if (state.catalog().lockTables(plan)) {
        return plan;
      }
      // A definition changed before the lock was taken: plan again.
    }
  }

  private static List<TableDef.ColumnDef> columns(PreparedPlan plan) {
    List<TableDef.ColumnDef> columns = new ArrayList<>();
    for (ResultColumn column : plan.columns()) {
      PgType type = column.type();
      columns.add(TableDef.ColumnDef.of(columns.size() + 1, column.name(), type, false));
    }
    return columns;
  }

  private long fill(TableDef table, PreparedPlan plan) {
    Value[] slots = new Value[plan.parameterSlots()];
    Arrays.setAll(slots, i -> new Value());
    state.eval().parameters = slots;
    Execution execution = new Execution(new InsertNode(table, plan.root(), null, null));
    try {
      execution.open(state.exec());
      execution.fetch(0, (batch, from, to) -> {});
      state.catalog().noteWritten(table.oid());
      services.modifications().changed(table.oid(), execution.rowsAffected(), 0, 0);
      return execution.rowsAffected();
    } finally {
      execution.close();
    }
  }
}
