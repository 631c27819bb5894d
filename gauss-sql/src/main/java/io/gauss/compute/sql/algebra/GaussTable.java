package io.gauss.compute.sql.algebra;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.type.PgType;
import org.apache.calcite.plan.RelOptAbstractTable;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;

/**
 * A table of the catalog in Calcite's algebra. Its row has one field more than the table has
 * columns: the row key, by which UPDATE, DELETE and FOR UPDATE find rows. A scan emits the key only
 * if it is needed.
 */
public final class GaussTable extends RelOptAbstractTable {
  private final TableDef table;

  public GaussTable(TableDef table) {
    super(null, table.name(), rowType(table));
    this.table = table;
  }

  private static RelDataType rowType(TableDef table) {
    RelDataTypeFactory.Builder builder = PgTypeFactory.INSTANCE.builder();
    for (TableDef.ColumnDef column : table.columns()) {
      builder.add(column.name(), PgRex.rel(column.type()));
    }
    return builder.add("ctid", PgRex.rel(PgType.BYTEA)).build();
  }

  public TableDef table() {
    return table;
  }

  @Override
  public double getRowCount() {
    return table.statistics().rows();
  }

  @Override
  public <T> T unwrap(Class<T> type) {
    return type.isInstance(this) ? type.cast(this) : null;
  }
}
