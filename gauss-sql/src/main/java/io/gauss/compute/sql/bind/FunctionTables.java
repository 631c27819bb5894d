package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.algebra.PgProducer;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.algebra.PgTypeFactory;
import io.gauss.compute.sql.algebra.PgValues;
import io.gauss.compute.sql.algebra.SubQueries;
import io.gauss.compute.sql.bind.set.JsonSetFunctions;
import io.gauss.compute.sql.bind.set.SetFunctions;
import io.gauss.compute.sql.exec.RowProducer;
import io.gauss.compute.sql.exec.function.Lockstep;
import io.gauss.compute.sql.exec.function.OneValue;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalCorrelate;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * Binds functions in FROM. Their arguments see the entries to the left of them, as if LATERAL were
 * written. One statement, one thread.
 */
final class FunctionTables {
  private final BindContext context;
  private final ExprBinder expressions;

  FunctionTables(BindContext context, ExprBinder expressions) {
    this.context = context;
    this.expressions = expressions;
  }

  /**
   * @param alias null = the function's name
   * @param given aliases of the columns, or their definitions
   * @param ordinality whether a column that numbers the rows is added
   */
  RelNode bind(
      SqlCall call,
      String alias,
      FromBinder.Columns given,
      boolean ordinality,
      Scope scope,
      int base) {
    int position = ExprBinder.position(call);
    String name = FunctionBinder.name(call);
    List<String> names = given.names();
    Scope around = new Scope(scope.lateral != null ? scope.lateral : scope.parent, context.cluster);
    around.close(PgTypeFactory.INSTANCE.builder().build());
    ExprContext in = ExprContext.of(around, "functions in FROM");
    if (ordinality && given.types() != null) {
      throw new GaussException(
              SqlState.SYNTAX_ERROR, "WITH ORDINALITY cannot be used with a column definition list")
          .hint("Put the column definition list inside ROWS FROM().")
          .position(given.position());
    }
    SetFunctions.Resolved resolved = new PopulatedTables(context, expressions).resolve(call, in);
    boolean ofTable = resolved != null;
    if (ofTable) {
      requireNoTypes(given, "a function returning a named composite type");
    } else {
      resolved = resolve(name, expressions.row(call, in), given, position);
    }
    SetFunctions.Call function = resolved.call();
    List<PgType> types = new ArrayList<>(function.types());
    List<String> columns = new ArrayList<>(function.columns());
    RowProducer producer = function.producer();
    if (ordinality) {
      types.add(PgType.INT8);
      columns.add("ordinality");
      Lockstep.Part part =
          new Lockstep.Part(
              producer, resolved.arguments().size(), function.types().toArray(PgType[]::new));
      producer = new Lockstep(new Lockstep.Part[] {part}, true);
    }
    String shown = alias == null ? name : alias;
    FromBinder.checkAliases(shown, names, columns.size(), position);
    Relation relation = new Relation(null, shown, null);
    var row = PgTypeFactory.INSTANCE.builder();
    for (int i = 0; i < types.size(); i++) {
      boolean scalar = function.types().size() == 1 && i == 0 && columns.get(i).equals(name);
      String column = i < names.size() ? names.get(i) : scalar ? shown : columns.get(i);
      RexNode reference = new RexInputRef(base + i, PgRex.rel(types.get(i)));
      relation.columns.add(new Relation.Column(column, reference, 0, 0));
      row.add("f" + i, PgRex.rel(types.get(i)));
    }
    relation.base = base;
    relation.width = types.size();
    relation.isScalar = types.size() == 1 && given.types() == null && !ofTable;
    FromBinder.addRelation(relation, scope);
    return rows(name, row.build(), producer, resolved.arguments());
  }

  private SetFunctions.Resolved resolve(
      String name, List<RexNode> arguments, FromBinder.Columns given, int position) {
    if (JsonSetFunctions.isRecord(name)) {
      if (given.types() == null) {
        throw new GaussException(
                SqlState.SYNTAX_ERROR,
                "a column definition list is required for functions returning \"record\"")
            .position(position);
      }
      return new JsonSetFunctions(expressions.coercion)
          .records(name, arguments, given.names(), given.types(), position);
    }
    if (SetFunctions.contains(name)) {
      SetFunctions.Resolved resolved =
          new SetFunctions(context.functions, expressions.coercion)
              .resolve(name, arguments, position);
      if (resolved.call().types().size() > 1) {
        requireNoTypes(given, "a function with OUT parameters");
      }
      given.requireNoTypes();
      return resolved;
    }
    given.requireNoTypes();
    if (context.functions.isAggregate(name)) {
      throw new GaussException(
              SqlState.GROUPING_ERROR, "aggregate functions are not allowed in functions in FROM")
          .position(position);
    }
    // A function that gives one value is a table of one row.
    RexNode value = expressions.functions().call(name, arguments, position);
    SetFunctions.Call call =
        new SetFunctions.Call(name, List.of(name), List.of(PgRex.type(value)), OneValue.INSTANCE);
    return new SetFunctions.Resolved(call, List.of(value));
  }

  private static void requireNoTypes(FromBinder.Columns given, String function) {
    if (given.types() != null) {
      throw new GaussException(
              SqlState.SYNTAX_ERROR, "a column definition list is redundant for " + function)
          .position(given.position());
    }
  }

  private RelNode rows(
      String name,
      org.apache.calcite.rel.type.RelDataType type,
      RowProducer producer,
      List<RexNode> arguments) {
    if (arguments.stream().noneMatch(SubQueries::isIn)) {
      return new PgProducer(context.cluster, name, type, producer, arguments);
    }
    // Sub-queries are computed in a separate row first.
    RelNode values =
        LogicalProject.create(
            PgValues.oneRow(context.cluster), List.of(), arguments, (List<String>) null);
    CorrelationId id = context.cluster.createCorrel();
    RexNode variable = PgRex.BUILDER.makeCorrel(values.getRowType(), id);
    List<RexNode> computed = new ArrayList<>();
    for (int i = 0; i < arguments.size(); i++) {
      computed.add(PgRex.BUILDER.makeFieldAccess(variable, i));
    }
    RelNode joined =
        LogicalCorrelate.create(
            values,
            new PgProducer(context.cluster, name, type, producer, computed),
            List.of(),
            id,
            ImmutableBitSet.range(arguments.size()),
            JoinRelType.INNER);
    List<RexNode> columns = new ArrayList<>();
    for (int i = 0; i < type.getFieldCount(); i++) {
      columns.add(PgRex.input(arguments.size() + i, joined.getRowType()));
    }
    return LogicalProject.create(joined, List.of(), columns, type.getFieldNames());
  }
}
