package io.gauss.compute.catalog;

import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.catalog.TableStatistics.ColumnStatistics;
import io.gauss.compute.type.PgType;
import java.util.List;
import java.util.Map;

/**
 * Statistics of system tables for the planner, since these tables are never analyzed: sizes as in a
 * database of some fifty tables, and which columns distinguish rows. Only the proportions matter:
 * drivers join eight of these tables to list foreign keys. If all were assumed equally large and
 * every condition selective, joins would begin with products of attributes.
 */
final class SystemTableStatistics {
  private static final double ROWS_UNKNOWN = 100;
  private static final double ROWS_PER_PAGE = 100;

  private static final Map<String, Integer> ROWS =
      Map.ofEntries(
          Map.entry("pg_am", 2),
          Map.entry("pg_attrdef", 50),
          Map.entry("pg_attribute", 4000),
          Map.entry("pg_authid", 5),
          Map.entry("pg_class", 400),
          Map.entry("pg_collation", 3),
          Map.entry("pg_constraint", 150),
          Map.entry("pg_database", 1),
          Map.entry("pg_depend", 500),
          Map.entry("pg_index", 150),
          Map.entry("pg_namespace", 5),
          Map.entry("pg_proc", 1000),
          Map.entry("pg_roles", 5),
          Map.entry("pg_sequence", 20),
          Map.entry("pg_tables", 150),
          Map.entry("pg_tablespace", 2),
          Map.entry("pg_type", 500),
          Map.entry("columns", 4000),
          Map.entry("tables", 200));

  /** Number of different values, or, negative, their share of the rows. */
  private static final Map<String, Double> DISTINCT =
      Map.ofEntries(
          Map.entry("oid", -1.0),
          Map.entry("attname", -0.3),
          Map.entry("attnum", 30.0),
          Map.entry("attrelid", -0.1),
          Map.entry("column_name", -0.3),
          Map.entry("conrelid", -0.4),
          Map.entry("confrelid", -0.2),
          Map.entry("conindid", -0.4),
          Map.entry("indexrelid", -1.0),
          Map.entry("indrelid", -0.5),
          Map.entry("objid", -0.8),
          Map.entry("ordinal_position", 30.0),
          Map.entry("refobjid", -0.5));

  private static final double DISTINCT_SCHEMAS = 4;
  private static final double DISTINCT_BOOLEANS = 2;
  private static final double DISTINCT_CHARS = 4;
  private static final double DISTINCT_NAMES = -0.9;
  private static final double DISTINCT_OIDS = 20;

  private SystemTableStatistics() {}

  static TableStatistics of(String table, List<ColumnDef> columns) {
    Integer known = ROWS.get(table);
    double rows = known == null ? ROWS_UNKNOWN : known;
    ColumnStatistics[] statistics = new ColumnStatistics[columns.size()];
    for (int i = 0; i < statistics.length; i++) {
      double distinct = distinct(columns.get(i));
      if (!Double.isNaN(distinct)) {
        statistics[i] = new ColumnStatistics(0, distinct, 8, new byte[0][]);
      }
    }
    return new TableStatistics(rows, Math.max(1, rows / ROWS_PER_PAGE), statistics);
  }

  /** NaN when it is not known. */
  private static double distinct(ColumnDef column) {
    String name = column.name();
    Double known = DISTINCT.get(name);
    if (known != null) {
      return known;
    }
    if (name.endsWith("namespace") || name.endsWith("_schema") || name.equals("schemaname")) {
      return DISTINCT_SCHEMAS;
    }
    PgType type = column.type();
    if (type.sameType(PgType.BOOL)) {
      return DISTINCT_BOOLEANS;
    }
    if (type.sameType(PgType.CHAR)) {
      return DISTINCT_CHARS;
    }
    if (type.sameType(PgType.NAME)) {
      return DISTINCT_NAMES;
    }
    return type.sameType(PgType.OID) ? DISTINCT_OIDS : Double.NaN;
  }
}
