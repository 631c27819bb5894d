package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.CollectedStatistics;
import io.gauss.compute.catalog.SystemTables;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableStatistics;
import io.gauss.compute.catalog.statistics.StatisticsCollector;
import io.gauss.compute.sql.parse.PgStatement;
import io.gauss.compute.txn.TableLockMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * ANALYZE: samples one table or all tables and stores the result with the transaction. Readers and
 * writers continue meanwhile; DDL on the table waits.
 */
final class TableAnalyzer {
  private final DdlContext ddl;

  TableAnalyzer(DdlContext ddl) {
    this.ddl = ddl;
  }

  void analyze(PgStatement.Analyze statement) {
    Set<Integer> named = new HashSet<>();
    for (PgStatement.AnalyzeTarget target : statement.targets()) {
      if (ddl.isView(target.table())) {
        ddl.warning(
            new GaussException(
                SqlState.WARNING,
                "skipping \"%s\" --- cannot analyze non-tables or special system tables"
                    .formatted(target.table().name())));
        continue;
      }
      ddl.requireSchemaUsage(target.table());
      TableDef found =
          ddl.view().table(ddl.searchPath(), target.table().schema(), target.table().name());
      if (found != null && !mayAnalyze(found)) {
        continue;
      }
      TableDef table = ddl.table(target.table(), TableLockMode.ACCESS_SHARE);
      target.columns().forEach(column -> DdlContext.column(table, column));
      if (named.add(table.oid())) {
        analyze(table);
      }
    }
    if (!statement.targets().isEmpty()) {
      return;
    }
    List<TableDef> tables = new ArrayList<>(ddl.view().tables());
    tables.sort(Comparator.comparingInt(TableDef::oid));
    for (TableDef table : tables) {
      if (!mayAnalyze(table)) {
        continue;
      }
      ddl.transaction().lockTable(table.oid(), TableLockMode.ACCESS_SHARE);
      TableDef locked = ddl.view().table(table.oid());
      if (locked != null) {
        analyze(locked);
      }
    }
  }

  /** Tables of other owners are skipped with a warning. */
  boolean mayAnalyze(TableDef table) {
    if (SystemTables.isSystem(table)
        || ddl.session.access().owns(ddl.session.identity().current(), table.oid())) {
      return true;
    }
    ddl.warning(
        new GaussException(
            SqlState.WARNING,
            "skipping \"%s\" --- only table or database owner can analyze it"
                .formatted(table.name())));
    return false;
  }

  /** Analyzes a locked table; a statement of the transaction is open. */
  void analyze(TableDef table) {
    // The sample need not be unpredictable, but should not always be the same.
    SplittableRandom random = new SplittableRandom(ddl.services().clock().now());
    TableStatistics statistics =
        new StatisticsCollector(random)
            .collect(
                ddl.transaction(),
                table,
                ddl.services().store().tree(table.space()),
                ddl.services().rowCodec(table),
                new KeySample(ddl.services(), table, ddl.view()));
    ddl.session.putStatistics(CollectedStatistics.of(table, statistics));
  }
}
