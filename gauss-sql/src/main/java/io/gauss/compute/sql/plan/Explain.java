package io.gauss.compute.sql.plan;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.routing.SampledValues;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Instrumentation;
import io.gauss.compute.sql.exec.RowProducer;
import io.gauss.compute.sql.exec.node.ProducerNode;
import io.gauss.compute.sql.exec.run.Execution;
import io.gauss.compute.sql.parse.PgStatement;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * EXPLAIN, EXPLAIN ANALYZE and EXPLAIN (ROUTE) as a plan whose rows are the lines of text.
 * Immutable.
 */
final class Explain implements RowProducer {
  private static final Set<String> OPTIONS =
      Set.of("costs", "buffers", "timing", "summary", "settings", "wal", "generic_plan");

  private final PreparedPlan plan;
  private final boolean analyze;
  private final boolean costs;
  private final boolean buffers;
  private final long planningNanos;

  private Explain(
      PreparedPlan plan, boolean analyze, boolean costs, boolean buffers, long planningNanos) {
    this.plan = plan;
    this.analyze = analyze;
    this.costs = costs;
    this.buffers = buffers;
    this.planningNanos = planningNanos;
  }

  static PreparedPlan plan(PgStatement.Explain statement, PreparedPlan inner, long planningNanos) {
    if (statement.format() != null && !statement.format().equalsIgnoreCase("text")) {
      throw GaussException.notSupported(
          "EXPLAIN format " + statement.format().toLowerCase(Locale.ROOT));
    }
    boolean costs = true;
    boolean buffers = true;
    for (String option : statement.options()) {
      String name = option.startsWith("no ") ? option.substring(3) : option;
      if (!OPTIONS.contains(name)) {
        throw new GaussException(
            SqlState.SYNTAX_ERROR, "unrecognized EXPLAIN option \"" + option + "\"");
      }
      switch (option) {
        case "costs" -> costs = true;
        case "no costs" -> costs = false;
        case "buffers" -> buffers = true;
        case "no buffers" -> buffers = false;
        default -> {}
      }
    }
    PgType[] types = {PgType.TEXT};
    RowProducer lines =
        statement.route()
            ? route(statement, inner)
            : new Explain(inner, statement.analyze(), costs, buffers, planningNanos);
    ProducerNode root = new ProducerNode("Explain", types, lines, new Expr[0]);
    return new PreparedPlan(
        PreparedPlan.Kind.EXPLAIN,
        inner.parameterTypes(),
        inner.parameterSlots(),
        List.of(new ResultColumn("QUERY PLAN", PgType.TEXT, 0, 0)),
        new PreparedPlan.Tree(root, inner.estimates(), inner.notes()),
        inner.use().asLong(statement.analyze() && inner.isWrite()),
        null);
  }

  private static RowProducer route(PgStatement.Explain statement, PreparedPlan inner) {
    if (statement.analyze()) {
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE,
          "EXPLAIN options ANALYZE and ROUTE cannot be used together");
    }
    PgType[] types = inner.parameterTypes();
    return (ctx, arguments) ->
        lines(
            ctx.tables
                .system()
                .explainRoute(statement.text(), SampledValues.of(types, ctx.eval.parameters)));
  }

  /** The lines of a plan that is not run. */
  static List<String> lines(PreparedPlan plan, boolean costs) {
    return new PlanText(plan, costs, false, null).lines();
  }

  @Override
  public Rows open(ExecContext ctx, Value[] arguments) {
    return lines(analyze ? analyzed(ctx) : lines(plan, costs));
  }

  private List<String> analyzed(ExecContext ctx) {
    Instrumentation outer = ctx.instrumentation;
    Instrumentation counters = new Instrumentation();
    ctx.instrumentation = counters;
    long started = Environment.nanoTime();
    Execution execution = new Execution(plan.root(), true);
    try {
      execution.open(ctx);
      execution.fetch(0, (batch, from, to) -> {});
    } finally {
      execution.close();
      ctx.instrumentation = outer;
    }
    long nanos = Environment.nanoTime() - started;
    List<String> lines = new ArrayList<>(new PlanText(plan, costs, buffers, counters).lines());
    lines.add("Planning Time: " + millis(planningNanos) + " ms");
    lines.add("Execution Time: " + millis(nanos) + " ms");
    return lines;
  }

  static String millis(long nanos) {
    return String.format(Locale.ROOT, "%.3f", nanos / 1e6);
  }

  private static Rows lines(List<String> lines) {
    Iterator<String> left = lines.iterator();
    return (out, maxRows) -> {
      Value value = new Value();
      int row = 0;
      while (row < maxRows && left.hasNext()) {
        byte[] bytes = left.next().getBytes(StandardCharsets.UTF_8);
        value.setBytes(bytes, 0, bytes.length);
        out.columns[0].set(row++, value);
      }
      out.size = row;
      return row > 0;
    };
  }
}
