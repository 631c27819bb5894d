package io.gauss.compute.sql.exec.dml;

import io.gauss.common.error.GaussException;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.copy.CopyColumns;
import io.gauss.compute.sql.copy.CopyProgress;
import io.gauss.compute.sql.copy.CopyRows;
import io.gauss.compute.sql.exec.DmlOperator;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.node.CopyFromNode;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;

/**
 * Inserts the rows of COPY FROM's data as INSERT does: defaults, WHERE, constraints, foreign keys.
 * Rows are inserted in batches. So, as in PostgreSQL, an error in the data is reported before a key
 * error of the rows that wait to be inserted.
 *
 * <p>The context of an error tells where in the data it arose. As in PostgreSQL, an error of a
 * unique key names only the line, and an error of a foreign key has no context, since it arises at
 * the statement's end.
 */
public final class CopyFromOperator extends DmlOperator {
  private final CopyFromNode node;
  private final PgType[] types;
  private final RowBatch row;
  private final String[] names;
  private final PgType[] columnTypes;
  private final Value value = new Value();
  private TableWriter writer;
  private ForeignKeys foreignKeys;

  public CopyFromOperator(CopyFromNode node) {
    super(node.types());
    this.node = node;
    TableDef table = node.table();
    types = new PgType[table.columns().size()];
    for (int i = 0; i < types.length; i++) {
      types[i] = table.columns().get(i).type();
    }
    row = Rows.batch(types);
    int count = node.columns().length;
    names = new String[count];
    columnTypes = new PgType[count];
    for (int i = 0; i < count; i++) {
      int column = node.columns()[i];
      names[i] = table.columns().get(column).name();
      columnTypes[i] = types[column];
    }
  }

  @Override
  public void open(ExecContext context) {
    super.open(context);
    foreignKeys = ForeignKeys.reuse(foreignKeys, context);
    writer = foreignKeys.writer(node.table().oid());
  }

  @Override
  public void execute() {
    CopyProgress progress = ctx.copyProgress;
    CopyRows rows =
        CopyRows.of(
            node.table().name(),
            ctx.copyOptions,
            new CopyColumns(names, node.columns(), columnTypes, node.conversions(), ctx.eval),
            ctx.copyInput,
            progress);
    rows.begin();
    BufferedRows buffered = new BufferedRows(ctx, writer, foreignKeys, rows::lineContext);
    while (read(rows)) {
      if (row.size == 0) {
        progress.excluded++;
        continue;
      }
      buffered.add(row, rows.line());
      wrote();
      progress.rows++;
    }
    buffered.flush();
    foreignKeys.finish();
  }

  /**
   * Reads and checks the next row; it is empty when WHERE excludes it. False at the end of the
   * data.
   */
  private boolean read(CopyRows rows) {
    try {
      ctx.checkInterrupt();
      ctx.eval.resetScratch();
      row.clear();
      if (!rows.next(row)) {
        return false;
      }
      for (int i = 0; i < types.length; i++) {
        if (node.defaults()[i] != null) {
          node.defaults()[i].eval(ctx.eval, row, 0, value);
          row.columns[i].set(0, value);
        }
      }
      if (node.where() != null && !node.where().test(ctx.eval, row, 0)) {
        return true;
      }
      row.size = 1;
      writer.checkRow(row);
      return true;
    } catch (GaussException e) {
      throw e.context(rows.context());
    }
  }

  @Override
  public void close() {
    super.close();
    if (foreignKeys != null) {
      foreignKeys.reset();
    }
  }
}
