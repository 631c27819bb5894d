package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.SystemTables;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.sql.parse.PgStatement;
import io.gauss.compute.sql.parse.PgStatement.Option;
import io.gauss.compute.txn.TableLockMode;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * VACUUM: removes the records that no snapshot can see any more from a table's trees at once, which
 * the background would do later, and analyzes the table on request. Readers and writers continue
 * meanwhile; DDL on the table waits.
 *
 * <p>There is no visibility map and no transaction id that could wrap around, so FREEZE and
 * DISABLE_PAGE_SKIPPING request only what is done anyway. FULL would have to rebuild the trees and
 * is rejected.
 */
final class TableVacuum {
  private final DdlContext ddl;
  private final Consumer<String> infos;

  /**
   * @param infos receives the messages of VERBOSE
   */
  TableVacuum(DdlContext ddl, Consumer<String> infos) {
    this.ddl = ddl;
    this.infos = infos;
  }

  void vacuum(PgStatement.Vacuum statement) {
    checkOptions(statement.options());
    boolean analyze = statement.has("analyze") || statement.has("analyse");
    boolean verbose = statement.has("verbose");
    for (PgStatement.AnalyzeTarget target : statement.targets()) {
      if (!analyze && !target.columns().isEmpty()) {
        throw new GaussException(
            SqlState.FEATURE_NOT_SUPPORTED,
            "ANALYZE option must be specified when a column list is provided");
      }
    }
    if (statement.targets().isEmpty()) {
      ddl.view().tables().stream()
          .sorted(Comparator.comparingInt(TableDef::oid))
          .filter(table -> mayVacuum(table))
          .forEach(table -> one(table.oid(), analyze, verbose));
      return;
    }
    for (PgStatement.AnalyzeTarget target : statement.targets()) {
      if (ddl.isView(target.table())) {
        ddl.warning(
            new GaussException(
                SqlState.WARNING,
                "skipping \"%s\" --- cannot vacuum non-tables or special system tables"
                    .formatted(target.table().name())));
        continue;
      }
      ddl.requireSchemaUsage(target.table());
      TableDef found =
          ddl.view().table(ddl.searchPath(), target.table().schema(), target.table().name());
      if (found != null && SystemTables.isSystem(found)) {
        continue; // its rows are generated when they are read
      }
      if (found != null && !mayVacuum(found)) {
        continue;
      }
      TableDef table = ddl.table(target.table(), TableLockMode.ACCESS_SHARE);
      target.columns().forEach(column -> DdlContext.column(table, column));
      one(table.oid(), analyze, verbose);
    }
  }

  /** Tables of other owners are skipped with a warning. */
  private boolean mayVacuum(TableDef table) {
    if (ddl.session.access().owns(ddl.session.identity().current(), table.oid())) {
      return true;
    }
    ddl.warning(
        new GaussException(
            SqlState.WARNING,
            "skipping \"%s\" --- only table or database owner can vacuum it"
                .formatted(table.name())));
    return false;
  }

  private static void checkOptions(List<Option> options) {
    for (Option option : options) {
      switch (option.name()) {
        case "analyze", "analyse", "verbose", "freeze", "disable_page_skipping" -> {
          // Already handled, or always done.
        }
        case "full", "skip_locked", "index_cleanup", "process_toast", "truncate", "parallel" -> {
          if (PgStatement.Vacuum.isOn(option)) {
            throw GaussException.notSupported(
                "VACUUM with " + option.name().toUpperCase(Locale.ROOT));
          }
        }
        default ->
            throw new GaussException(
                SqlState.SYNTAX_ERROR,
                "unrecognized VACUUM option \"%s\"".formatted(option.name()));
      }
    }
  }

  private void one(int oid, boolean analyze, boolean verbose) {
    ddl.transaction().lockTable(oid, TableLockMode.ACCESS_SHARE);
    TableDef table = ddl.view().table(oid);
    if (table == null) {
      return; // dropped since
    }
    if (verbose) {
      infos.accept("vacuuming \"gauss.%s.%s\"".formatted(table.schema(), table.name()));
    }
    var context = ddl.transaction().context();
    var store = ddl.services().store();
    long leaves = store.purge(context, table.space());
    for (TableDef.IndexDef index : table.indexes()) {
      leaves += store.purge(context, index.space());
    }
    if (verbose) {
      infos.accept(
          "finished vacuuming \"gauss.%s.%s\": %d pages scanned"
              .formatted(table.schema(), table.name(), leaves));
    }
    if (analyze) {
      ddl.transaction().startStatement();
      try {
        new TableAnalyzer(ddl).analyze(table);
      } finally {
        ddl.transaction().endStatement();
      }
    }
  }
}
