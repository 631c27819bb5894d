package io.gauss.compute.sql.system;

import io.gauss.compute.catalog.SystemTables;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.RowProducer;
import io.gauss.compute.sql.state.SystemState;
import io.gauss.compute.type.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Makes the rows of system tables: all of them when the table is opened, from a state that does not
 * change in the meantime.
 */
public final class SystemTableRows {
  /** Adds all rows of a table; each row has an element for each column of the definition. */
  @FunctionalInterface
  interface Source extends BiConsumer<SystemState, Consumer<Object[]>> {}

  private static final Map<String, Source> SOURCES = new HashMap<>();

  static {
    RelationRows.register(SOURCES);
    ConstraintRows.register(SOURCES);
    TypeRows.register(SOURCES);
    FunctionRows.register(SOURCES);
    ServerRows.register(SOURCES);
    RoleRows.register(SOURCES);
    Comments.register(SOURCES);
    NodeRows.register(SOURCES);
    PageRows.register(SOURCES);
    WaitRows.register(SOURCES);
    ActivityRows.register(SOURCES);
    RoutingRows.register(SOURCES);
    InformationSchemaRows.register(SOURCES);
  }

  private SystemTableRows() {}

  /** Whether the table never has rows: it is about objects that Gauss does not have. */
  public static boolean isAlwaysEmpty(TableDef table) {
    return SystemTables.isSystem(table) && !SOURCES.containsKey(key(table));
  }

  private static String key(TableDef table) {
    return table.schema() + "." + table.name();
  }

  /**
   * Rows of a system table, reduced to some of its columns. Tables without a source are empty.
   *
   * @param columns positions in the table's definition, in the order of the output
   */
  public static RowProducer of(TableDef table, int[] columns) {
    Source source = SOURCES.get(key(table));
    return (ctx, arguments) -> {
      List<Object[]> rows = new ArrayList<>();
      if (source != null) {
        source.accept(ctx.tables.system(), rows::add);
      }
      return new Reader(table, columns, rows);
    };
  }

  private static final class Reader implements RowProducer.Rows {
    private final TableDef table;
    private final int[] columns;
    private final List<Object[]> rows;
    private final Value scratch = new Value();
    private int at;

    Reader(TableDef table, int[] columns, List<Object[]> rows) {
      this.table = table;
      this.columns = columns;
      this.rows = rows;
    }

    @Override
    public boolean next(RowBatch out, int maxRows) {
      int row = 0;
      for (; row < maxRows && at < rows.size(); row++, at++) {
        Object[] values = rows.get(at);
        if (values.length != table.columns().size()) {
          throw new IllegalStateException(
              table.name() + " has " + table.columns().size() + " columns, not " + values.length);
        }
        for (int i = 0; i < columns.length; i++) {
          SystemRow.put(
              values[columns[i]], table.columns().get(columns[i]).type(), out, i, row, scratch);
        }
      }
      out.size = row;
      return row > 0;
    }
  }
}
