package io.gauss.compute.sql.exec.dml;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.exec.row.JoinTypes;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.type.PgType;

/** The columns that RETURNING of an UPDATE or DELETE sees: the target row ++ the input row. */
final class ReturningInput {
  private ReturningInput() {}

  static RowBatch batch(TableDef table, PlanNode input) {
    PgType[] types = new PgType[table.columns().size()];
    for (int i = 0; i < types.length; i++) {
      types[i] = table.columns().get(i).type();
    }
    return Rows.batch(JoinTypes.concat(types, input.types()));
  }

  static void fill(RowBatch batch, RowBatch target, RowBatch in, int row) {
    batch.clear();
    Rows.copy(target, 0, batch, 0);
    Rows.copy(in, row, batch, 0, target.columns.length);
    batch.size = 1;
  }
}
