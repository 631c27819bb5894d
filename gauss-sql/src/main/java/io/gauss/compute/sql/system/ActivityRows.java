package io.gauss.compute.sql.system;

import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.SystemOids;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.sql.state.SystemState;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The pg_stat_... and pg_statio_... views. Columns that Gauss does not count by table or index are
 * NULL, where PostgreSQL always has a number.
 */
final class ActivityRows {
  private ActivityRows() {}

  static void register(Map<String, SystemTableRows.Source> sources) {
    sources.put("pg_catalog.pg_stat_archiver", (state, rows) -> archiver(rows));
    sources.put("pg_catalog.pg_stat_bgwriter", ActivityRows::backgroundWriter);
    sources.put("pg_catalog.pg_stat_database", ActivityRows::database);
    sources.put("pg_catalog.pg_stat_database_conflicts", (state, rows) -> conflicts(rows));
    for (String which : new String[] {"user", "all"}) {
      sources.put("pg_catalog.pg_stat_" + which + "_tables", ActivityRows::tables);
      sources.put("pg_catalog.pg_stat_" + which + "_indexes", ActivityRows::indexes);
      sources.put("pg_catalog.pg_statio_" + which + "_tables", ActivityRows::tableBlocks);
      sources.put("pg_catalog.pg_statio_" + which + "_indexes", ActivityRows::indexBlocks);
      sources.put("pg_catalog.pg_statio_" + which + "_sequences", ActivityRows::sequenceBlocks);
    }
  }

  /** There is no archive of the log. */
  private static void archiver(Consumer<Object[]> rows) {
    rows.accept(new Object[] {0L, null, null, 0L, null, null, null});
  }

  private static void backgroundWriter(SystemState state, Consumer<Object[]> rows) {
    SystemState.Counters counters = state.counters();
    rows.accept(
        new Object[] {
          counters.checkpoints(),
          null,
          counters.checkpointMillis(),
          null,
          null,
          counters.pagesEvicted(),
          null,
          null,
          null,
          null,
          null
        });
  }

  private static void database(SystemState state, Consumer<Object[]> rows) {
    SystemState.Counters counters = state.counters();
    long inserted = 0;
    long updated = 0;
    long deleted = 0;
    for (TableDef table : state.catalog().tables()) {
      SystemState.Writes writes = state.writes(table);
      inserted += writes.inserted();
      updated += writes.updated();
      deleted += writes.deleted();
    }
    Object[] row = new Object[28];
    row[0] = SystemOids.DATABASE;
    row[1] = ServerRows.DATABASE_NAME;
    row[2] = state.sessions().size();
    row[3] = counters.commits();
    row[4] = counters.rollbacks();
    row[5] = counters.pagesRead();
    row[6] = counters.pagesHit();
    row[9] = inserted;
    row[10] = updated;
    row[11] = deleted;
    row[12] = 0L;
    row[15] = counters.deadlocks();
    rows.accept(row);
  }

  /** Conflicts with recovery occur only on a standby; this is not one. */
  private static void conflicts(Consumer<Object[]> rows) {
    rows.accept(new Object[] {SystemOids.DATABASE, ServerRows.DATABASE_NAME, 0L, 0L, 0L, 0L, 0L});
  }

  private static void tables(SystemState state, Consumer<Object[]> rows) {
    for (TableDef table : state.catalog().tables()) {
      SystemState.Writes writes = state.writes(table);
      Object[] row = new Object[23];
      row[0] = table.oid();
      row[1] = table.schema();
      row[2] = table.name();
      row[7] = writes.inserted();
      row[8] = writes.updated();
      row[9] = writes.deleted();
      row[11] = writes.rows();
      row[13] = writes.sinceAnalyze();
      rows.accept(row);
    }
  }

  private static void tableBlocks(SystemState state, Consumer<Object[]> rows) {
    for (TableDef table : state.catalog().tables()) {
      Object[] row = new Object[11];
      row[0] = table.oid();
      row[1] = table.schema();
      row[2] = table.name();
      rows.accept(row);
    }
  }

  private static void indexes(SystemState state, Consumer<Object[]> rows) {
    indexes(state, 8, rows);
  }

  private static void indexBlocks(SystemState state, Consumer<Object[]> rows) {
    indexes(state, 7, rows);
  }

  private static void indexes(SystemState state, int width, Consumer<Object[]> rows) {
    for (TableDef table : state.catalog().tables()) {
      for (IndexDef index : table.shownIndexes()) {
        rows.accept(index(table, index.oid(), index.name(), width));
      }
    }
  }

  private static Object[] index(TableDef table, int oid, String name, int width) {
    Object[] row = new Object[width];
    row[0] = table.oid();
    row[1] = oid;
    row[2] = table.schema();
    row[3] = table.name();
    row[4] = name;
    return row;
  }

  private static void sequenceBlocks(SystemState state, Consumer<Object[]> rows) {
    for (SequenceDef sequence : state.catalog().sequences()) {
      rows.accept(new Object[] {sequence.oid(), sequence.schema(), sequence.name(), null, null});
    }
  }
}
