package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.engine.Checker;
import io.gauss.compute.sql.state.SystemState;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.wait.WouldBlockException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Runs all of the node's checkers for {@code gauss.store_check}. Until the session's transaction
 * ends, no transaction can write rows: it holds SHARE locks on all tables. Readers continue, purge
 * is suspended.
 */
final class StoreCheck {
  private StoreCheck() {}

  /** One row for each checker. May wait, mainly for writers. */
  static List<SystemState.CheckRow> run(SessionServices services, SessionState state) {
    if (!state.context().waits().mayBlock()) {
      throw WouldBlockException.INSTANCE;
    }
    services.catalog().current().tables().stream()
        .map(TableDef::oid)
        .sorted(Comparator.naturalOrder())
        .forEach(oid -> state.transaction().lockTable(oid, TableLockMode.SHARE));
    List<SystemState.CheckRow> rows = new ArrayList<>();
    services
        .transactions()
        .withoutMaintenance(
            () -> services.node().checkers().forEach(checker -> rows.add(run(checker, state))));
    return rows;
  }

  private static SystemState.CheckRow run(Checker checker, SessionState state) {
    long start = Environment.nanoTime();
    String problem = null;
    try {
      checker.check(state.context());
    } catch (IllegalStateException e) {
      problem = e.getMessage();
    } catch (GaussException e) {
      if (e.state() != SqlState.DATA_CORRUPTED) {
        throw e;
      }
      problem = e.getMessage();
    }
    return new SystemState.CheckRow(checker.name(), problem, Environment.nanoTime() - start);
  }
}
