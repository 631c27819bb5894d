package io.gauss.compute.sql.exec;

import io.gauss.compute.expr.Accumulator;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.expr.call.AggregateDef;
import io.gauss.compute.expr.call.ResolvedAggregate;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.row.ColumnVector;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.exec.node.ProducerNode;
import io.gauss.compute.sql.exec.run.Execution;
import io.gauss.compute.sql.exec.spill.TemporaryFiles;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * Rows as plain Java lists (Long, Double, BigDecimal, String, null), plans over them, and their
 * results.
 */
final class Plans {
  private Plans() {}

  static ExecContext context(Path directory, long workMemoryBytes) {
    ExecContext ctx = new ExecContext();
    ctx.engine = new EngineContext(null);
    ctx.eval = new EvalContext();
    ctx.temporaryFiles = new TemporaryFiles(directory);
    ctx.workMemoryBytes = workMemoryBytes;
    ctx.eval.parameters = new Value[8];
    for (int i = 0; i < ctx.eval.parameters.length; i++) {
      ctx.eval.parameters[i] = new Value();
    }
    return ctx;
  }

  /** A plan that yields the rows. */
  static PlanNode rows(PgType[] types, List<List<Object>> rows) {
    RowProducer producer =
        (ctx, arguments) ->
            new RowProducer.Rows() {
              private int next;

              @Override
              public boolean next(RowBatch out, int maxRows) {
                while (next < rows.size() && out.size < maxRows) {
                  List<Object> row = rows.get(next++);
                  for (int i = 0; i < types.length; i++) {
                    set(out.columns[i], out.size, row.get(i));
                  }
                  out.size++;
                }
                return out.size > 0;
              }
            };
    return new ProducerNode("rows", types, producer, new Expr[0]);
  }

  static void set(ColumnVector column, int row, Object value) {
    Value v = new Value();
    switch (value) {
      case null -> v.setNull();
      case Long number -> v.setLong(number);
      case Double number -> v.setDouble(number);
      case BigDecimal number -> v.setNumeric(number);
      case String text -> {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        v.setBytes(bytes, 0, bytes.length);
      }
      default -> throw new IllegalArgumentException(value.toString());
    }
    column.set(row, v);
  }

  static Object get(ColumnVector column, int row) {
    Value v = new Value();
    column.get(row, v);
    if (v.isNull) {
      return null;
    }
    return switch (column.kind) {
      case LONG -> v.l;
      case DOUBLE -> v.d;
      case NUMERIC -> v.big != null ? v.big : BigDecimal.valueOf(v.l, v.scale);
      case BYTES -> new String(v.bytes, v.off, v.len, StandardCharsets.UTF_8);
    };
  }

  static List<List<Object>> run(PlanNode plan, ExecContext ctx) {
    Execution execution = new Execution(plan);
    List<List<Object>> result = run(execution, ctx);
    // A second run with the same operators must give the same.
    List<List<Object>> again = run(execution, ctx);
    if (!result.equals(again)) {
      throw new AssertionError("second execution differs: " + result + " and " + again);
    }
    return result;
  }

  static List<List<Object>> run(Execution execution, ExecContext ctx) {
    List<List<Object>> result = new ArrayList<>();
    try {
      execution.open(ctx);
      execution.fetch(
          0,
          (batch, from, to) -> {
            for (int row = from; row < to; row++) {
              result.add(row(batch, row));
            }
          });
    } finally {
      execution.close();
    }
    return result;
  }

  static List<Object> row(RowBatch batch, int row) {
    List<Object> values = new ArrayList<>();
    for (ColumnVector column : batch.columns) {
      values.add(get(column, row));
    }
    return values;
  }

  static List<Object> concat(List<Object> left, List<Object> right) {
    List<Object> both = new ArrayList<>(left);
    both.addAll(right);
    return both;
  }

  static List<Object> nulls(int count) {
    return Arrays.asList(new Object[count]);
  }

  /** Rows in an order that does not depend on how they came. */
  static List<String> sorted(List<List<Object>> rows) {
    return rows.stream().map(Plans::text).sorted().toList();
  }

  /** Numbers that are equal look alike. */
  static String text(List<Object> row) {
    StringBuilder text = new StringBuilder();
    for (Object value : row) {
      text.append(value instanceof BigDecimal n ? n.stripTrailingZeros().toPlainString() : value)
          .append('|');
    }
    return text.toString();
  }

  /** An expression by a function of the row's values. */
  static Expr expr(PgType type, Function<List<Object>, Object> function) {
    return new Expr() {
      @Override
      public PgType type() {
        return type;
      }

      @Override
      public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
        ColumnVector column = new ColumnVector(type.kind());
        set(column, 0, function.apply(row(in, row)));
        column.get(0, out);
      }

      @Override
      public boolean dependsOnRow() {
        return true;
      }
    };
  }

  /** A condition by a function of the row's values; null is NULL. */
  static Expr condition(Function<List<Object>, Boolean> function) {
    return expr(
        PgType.BOOL,
        row -> {
          Boolean result = function.apply(row);
          return result == null ? null : Long.valueOf(result ? 1 : 0);
        });
  }

  /** Sum of longs, NULL over nothing. */
  static ResolvedAggregate sum() {
    AggregateDef def =
        new AggregateDef("sum", List.of(PgType.INT8), PgType.INT8, true, true, types -> new Sum());
    return new ResolvedAggregate(def, List.of(PgType.INT8), PgType.INT8);
  }

  /** Rows of a group; 0 over nothing. */
  static ResolvedAggregate count() {
    AggregateDef def =
        new AggregateDef("count", List.of(), PgType.INT8, false, false, types -> new Count());
    return new ResolvedAggregate(def, List.of(), PgType.INT8);
  }

  /** Texts one after the other. */
  static ResolvedAggregate join() {
    AggregateDef def =
        new AggregateDef(
            "join", List.of(PgType.TEXT), PgType.TEXT, true, true, types -> new Join());
    return new ResolvedAggregate(def, List.of(PgType.TEXT), PgType.TEXT);
  }

  private static final class Sum extends Accumulator {
    private long sum;

    @Override
    public void add(EvalContext ctx, Value[] arguments) {
      sum += arguments[0].l;
    }

    @Override
    public void merge(EvalContext ctx, Accumulator other) {
      sum += ((Sum) other).sum;
    }

    @Override
    public void result(EvalContext ctx, Value out) {
      out.setLong(sum);
    }

    @Override
    public void reset() {
      sum = 0;
    }
  }

  private static final class Count extends Accumulator {
    private long count;

    @Override
    public void add(EvalContext ctx, Value[] arguments) {
      count++;
    }

    @Override
    public void merge(EvalContext ctx, Accumulator other) {
      count += ((Count) other).count;
    }

    @Override
    public void result(EvalContext ctx, Value out) {
      out.setLong(count);
    }

    @Override
    public void reset() {
      count = 0;
    }
  }

  private static final class Join extends Accumulator {
    private final StringBuilder text = new StringBuilder();

    @Override
    public void add(EvalContext ctx, Value[] arguments) {
      Value v = arguments[0];
      text.append(new String(v.bytes, v.off, v.len, StandardCharsets.UTF_8)).append(' ');
    }

    @Override
    public void merge(EvalContext ctx, Accumulator other) {
      text.append(((Join) other).text);
    }

    @Override
    public void result(EvalContext ctx, Value out) {
      byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
      out.setBytes(bytes, 0, bytes.length);
    }

    @Override
    public void reset() {
      text.setLength(0);
    }
  }
}
