package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.SystemTables;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.sql.algebra.PgConstant;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.type.PgType;
import java.util.List;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/** Columns that every table has implicitly. */
final class SystemColumns {
  private SystemColumns() {}

  /**
   * The system column tableoid: a constant where the relation has a row. A column that is never
   * NULL shows whether an outer join's row is missing.
   *
   * @param alone whether there is no join: INSERT's RETURNING has no row key
   */
  static RexNode tableOid(Relation relation, boolean alone, int position) {
    TableDef table = relation.table;
    if (table == null) {
      throw new GaussException(SqlState.UNDEFINED_COLUMN, "column \"tableoid\" does not exist")
          .position(position);
    }
    RexNode oid = PgConstant.ofLong(PgType.OID, table.oid() & 0xFFFF_FFFFL);
    if (alone) {
      return oid;
    }
    RexNode always =
        SystemTables.isSystem(table)
            ? relation.columns.getFirst().expression()
            : new RexInputRef(relation.rowKey, PgRex.rel(PgType.BYTEA));
    return PgRex.call(
        SqlStdOperatorTable.CASE,
        PgType.OID,
        List.of(
            PgRex.bool(SqlStdOperatorTable.IS_NULL, always), PgConstant.ofNull(PgType.OID), oid));
  }
}
