package io.gauss.compute.ddl;

import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.catalog.KeyExpression;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.statistics.StatisticsCollector;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.row.RowCodec;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Values of the expressions that are keys of a table's indexes, for rows of a sample. */
final class KeySample implements StatisticsCollector.Keys {
  private final RowCodec codec;
  private final List<KeyExpression> expressions = new ArrayList<>();
  private final List<Expr> values = new ArrayList<>();

  /** Conditions of their indexes; null = all rows are in it. */
  private final List<Expr> conditions = new ArrayList<>();

  private final EvalContext eval = new EvalContext();
  private final int[] columns;
  private final RowBatch batch;
  private final Value scratch = new Value();

  KeySample(DdlServices services, TableDef table, CatalogView view) {
    codec = services.rowCodec(table);
    columns = IntStream.range(0, table.columns().size()).toArray();
    batch =
        Rows.batch(table.columns().stream().map(TableDef.ColumnDef::type).toArray(PgType[]::new));
    boolean any = table.indexes().stream().anyMatch(index -> !index.expressions().isEmpty());
    if (!any) {
      return;
    }
    TableHandle.Expressions compiled = services.expressions().compile(table, view);
    for (int i = 0; i < table.indexes().size(); i++) {
      List<KeyExpression> keys = table.indexes().get(i).expressions();
      for (int k = 0; k < keys.size(); k++) {
        expressions.add(keys.get(k));
        values.add(compiled.keys()[i][k]);
        conditions.add(compiled.predicates()[i]);
      }
    }
  }

  @Override
  public List<KeyExpression> expressions() {
    return expressions;
  }

  @Override
  public boolean value(int expression, byte[] row, Value out) {
    eval.resetScratch();
    batch.clear();
    codec.decode(row, 0, row.length, columns, batch.columns, 0, scratch);
    batch.size = 1;
    Expr condition = conditions.get(expression);
    if (condition != null && !condition.test(eval, batch, 0)) {
      return false;
    }
    values.get(expression).eval(eval, batch, 0, out);
    return true;
  }
}
