package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.session.message.ResponseWriter;
import io.gauss.compute.session.prepared.PreparedStatement;
import io.gauss.compute.sql.exec.run.Execution;
import io.gauss.compute.sql.parse.ParsedStatement;
import io.gauss.compute.sql.parse.PgStatement;
import io.gauss.compute.sql.parse.PgTypeSpec;
import io.gauss.compute.sql.parse.TypeLookup;
import io.gauss.compute.sql.parse.TypeName;
import io.gauss.compute.sql.plan.PreparedPlan;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import io.gauss.compute.wait.WouldBlockException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlBasicVisitor;

/**
 * PREPARE and EXECUTE as SQL. Their statements share the session's name space with those that the
 * protocol prepared. Belongs to the session.
 */
final class SqlPrepared {
  private static final int[] NO_OIDS = new int[0];

  /** Wherever in an expression: its tables would be read without locks and a snapshot. */
  private static final SqlBasicVisitor<Void> NO_QUERIES =
      new SqlBasicVisitor<>() {
        @Override
        public Void visit(SqlCall call) {
          if (call.isA(SqlKind.QUERY)) {
            throw new GaussException(
                SqlState.FEATURE_NOT_SUPPORTED, "cannot use subquery in EXECUTE parameter");
          }
          return super.visit(call);
        }
      };

  private final SessionServices services;
  private final SessionState state;
  private final Session session;
  private final ResponseWriter out;

  SqlPrepared(SessionServices services, SessionState state, Session session, ResponseWriter out) {
    this.services = services;
    this.state = state;
    this.session = session;
    this.out = out;
  }

  /** The statement of a PREPARE that ran on another node. */
  PreparedStatement again(PgStatement.Prepare prepare, String text, int[] oids) {
    ParsedStatement inner = new ParsedStatement(prepare.statement(), text, 0, oids.length);
    return session.runner().prepare(inner, oids).bySql();
  }

  /**
   * @param text of the whole statement, under which the plan is cached too
   */
  void prepare(PgStatement.Prepare prepare, String text) {
    int[] oids = new int[prepare.types().size()];
    TypeLookup types = new TypeLookup(state.catalog().view(), state.searchPath());
    for (int i = 0; i < oids.length; i++) {
      oids[i] = types.find(prepare.types().get(i)).declaredOid();
    }
    ParsedStatement inner = new ParsedStatement(prepare.statement(), text, 0, oids.length);
    session.store(prepare.name(), session.runner().prepare(inner, oids).bySql());
    out.commandComplete("PREPARE");
  }

  void execute(PgStatement.Execute execute, Portal around) {
    StatementRunner runner = session.runner();
    PreparedStatement statement = session.statement(execute.name());
    runner.refresh(statement);
    PgType[] types = statement.parameterTypes();
    int given = execute.arguments().size();
    if (given != types.length) {
      throw new GaussException(
              SqlState.SYNTAX_ERROR,
              "wrong number of parameters for prepared statement \"%s\"".formatted(execute.name()))
          .detail("Expected %d parameters but got %d.".formatted(types.length, given));
    }
    Portal portal = new Portal("");
    portal.ensureParameters(statement.plan().parameterSlots());
    if (given > 0) {
      evaluate(execute.arguments(), types, portal.parameters);
    }
    portal.formats = around.formats;
    runner.bind(portal, statement);
    runner.execute(portal, 0);
  }

  /** Computes the arguments by a separate statement, {@code VALUES (argument::type, ...)}. */
  private void evaluate(List<SqlNode> arguments, PgType[] types, Value[] to) {
    if (!state.context().waits().mayBlock()) {
      throw WouldBlockException.INSTANCE;
    }
    List<SqlNode> typed = new ArrayList<>();
    for (int i = 0; i < types.length; i++) {
      SqlNode argument = arguments.get(i);
      argument.accept(NO_QUERIES);
      SqlParserPos at = argument.getParserPosition();
      TypeName name = TypeLookup.nameOf(types[i]);
      SqlDataTypeSpec type = new SqlDataTypeSpec(new PgTypeSpec(name, at), at);
      typed.add(SqlStdOperatorTable.CAST.createCall(at, argument, type));
    }
    SqlParserPos at = typed.getFirst().getParserPosition();
    SqlNode row = SqlStdOperatorTable.ROW.createCall(at, typed);
    PreparedPlan plan =
        services
            .plans()
            .planOnce(
                new PgStatement.Query(SqlStdOperatorTable.VALUES.createCall(at, row)),
                NO_OIDS,
                state.searchPath(),
                state.catalog().view(),
                state.roles().planRole(),
                state.context().waits()::yieldCarrier);
    plan.checkAllowed();
    state.control().ensureOpen();
    Value[] slots = new Value[plan.parameterSlots()];
    Arrays.setAll(slots, i -> new Value());
    state.eval().parameters = slots;
    Execution execution = new Execution(plan.root());
    try {
      execution.open(state.exec());
      execution.fetch(1, (batch, from, end) -> copy(batch, from, types.length, to));
    } finally {
      execution.close();
    }
  }

  private static void copy(RowBatch batch, int row, int count, Value[] to) {
    Value value = new Value();
    for (int i = 0; i < count; i++) {
      batch.columns[i].get(row, value);
      to[i].set(value);
      if (!value.isNull && value.bytes != null) {
        to[i].setBytes(
            Arrays.copyOfRange(value.bytes, value.off, value.off + value.len), 0, value.len);
      }
      value.bytes = null;
    }
  }
}
