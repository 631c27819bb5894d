package io.gauss.compute.sql.system;

import io.gauss.compute.catalog.SystemOids;
import io.gauss.compute.sql.copy.CopyProgress;
import io.gauss.compute.sql.state.SystemState;
import io.gauss.compute.sql.state.SystemState.NodeActivity;
import io.gauss.compute.sql.state.SystemState.TransactionRow;
import io.gauss.compute.txn.TransactionActivity;
import io.gauss.compute.wait.CurrentWait;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** The database, settings and sessions. */
final class ServerRows {
  static final String DATABASE_NAME = "gauss";

  private ServerRows() {}

  static void register(Map<String, SystemTableRows.Source> sources) {
    sources.put("pg_catalog.pg_database", (state, rows) -> databases(rows));
    sources.put("pg_catalog.pg_tablespace", (state, rows) -> tablespaces(rows));
    sources.put("pg_catalog.pg_settings", ServerRows::settings);
    sources.put("pg_catalog.pg_stat_activity", ServerRows::activity);
    sources.put("pg_catalog.pg_cursors", ServerRows::cursors);
    sources.put("pg_catalog.pg_prepared_statements", ServerRows::statements);
    sources.put("pg_catalog.pg_stat_progress_copy", ServerRows::copies);
    sources.put("gauss.sessions", ServerRows::sessions);
  }

  private static void databases(Consumer<Object[]> rows) {
    rows.accept(
        new Object[] {
          SystemOids.DATABASE,
          DATABASE_NAME,
          SystemOids.OWNER,
          6,
          'c',
          false,
          true,
          -1,
          1663,
          "C",
          "C.UTF-8",
          null,
          null,
          null
        });
  }

  private static void tablespaces(Consumer<Object[]> rows) {
    rows.accept(new Object[] {1663, "pg_default", SystemOids.OWNER, null, null});
  }

  private static void settings(SystemState state, Consumer<Object[]> rows) {
    for (SystemState.Setting s : state.settings()) {
      rows.accept(
          new Object[] {
            s.name(),
            s.value(),
            s.unit(),
            "Gauss",
            s.description(),
            null,
            "user",
            s.kind(),
            "default",
            null,
            null,
            null,
            s.defaultValue(),
            s.defaultValue(),
            null,
            null,
            false
          });
    }
  }

  private static void cursors(SystemState state, Consumer<Object[]> rows) {
    for (SystemState.CursorRow cursor : state.cursors()) {
      rows.accept(
          new Object[] {
            cursor.name(),
            cursor.text(),
            cursor.holdable(),
            false,
            cursor.scrollable(),
            cursor.createdMicros()
          });
    }
  }

  private static void statements(SystemState state, Consumer<Object[]> rows) {
    for (SystemState.PreparedRow statement : state.prepared()) {
      rows.accept(
          new Object[] {
            statement.name(),
            statement.text(),
            null, // when: a statement that is prepared on another node has no time of its own
            statement.types(),
            statement.bySql(),
            null,
            null
          });
    }
  }

  private static void activity(SystemState state, Consumer<Object[]> rows) {
    for (NodeActivity node : state.cluster()) {
      Map<Integer, TransactionRow> transactions = new HashMap<>();
      node.transactions().forEach(t -> transactions.put(t.pid(), t));
      for (SystemState.SessionRow s : node.sessions()) {
        rows.accept(activity(s, s.state() == null ? null : transactions.get(s.pid())));
      }
    }
  }

  /**
   * @param transaction null when none is open, or it must not be shown
   */
  private static Object[] activity(SystemState.SessionRow session, TransactionRow transaction) {
    TransactionActivity.Wait wait = transaction == null ? null : transaction.activity().waiting();
    String[] event = wait != null ? new String[] {"Lock", lockType(wait)} : event(session);
    String client = session.client();
    int colon = client == null ? -1 : client.lastIndexOf(':');
    boolean hasXid = transaction != null && transaction.activity().xid() != 0;
    return new Object[] {
      SystemOids.DATABASE,
      DATABASE_NAME,
      session.pid(),
      null,
      SystemOids.OWNER,
      session.user(),
      session.application(),
      colon < 0 ? client : client.substring(0, colon),
      null,
      colon < 0 ? null : Integer.valueOf(client.substring(colon + 1)),
      null,
      transaction == null ? null : transaction.startedMicros(),
      null,
      null,
      event == null ? null : event[0],
      event == null ? null : event[1],
      session.state(),
      hasXid ? transaction.activity().xid() : null,
      null,
      null,
      session.query(),
      "client backend"
    };
  }

  private static String lockType(TransactionActivity.Wait wait) {
    return switch (wait) {
      case TransactionActivity.RowWait w -> "transactionid";
      case TransactionActivity.TableWait w -> "relation";
      case TransactionActivity.AdvisoryWait w -> "advisory";
    };
  }

  /** PostgreSQL's names where it has one; null for no wait. */
  private static String[] event(SystemState.SessionRow session) {
    CurrentWait wait = session.waiting();
    boolean isIdle = session.state() != null && session.state().startsWith("idle");
    return switch (wait == null ? "" : wait.cause()) {
      case "" -> isIdle ? new String[] {"Client", "ClientRead"} : null;
      case "page" -> new String[] {"IO", "DataFileRead"};
      case "log", "commit" -> new String[] {"IO", "WALSync"};
      case "sleep" -> new String[] {"Timeout", "PgSleep"};
      default -> new String[] {"IPC", wait.cause()};
    };
  }

  /** COPY only copies from and to the client. */
  private static void copies(SystemState state, Consumer<Object[]> rows) {
    for (SystemState.CopyRow copy : state.copies()) {
      CopyProgress progress = copy.progress();
      rows.accept(
          new Object[] {
            copy.pid(),
            SystemOids.DATABASE,
            DATABASE_NAME,
            progress.tableOid,
            progress.from ? "COPY FROM" : "COPY TO",
            "PIPE",
            progress.bytes,
            0L,
            progress.rows,
            progress.excluded
          });
    }
  }

  private static void sessions(SystemState state, Consumer<Object[]> rows) {
    for (NodeActivity node : state.cluster()) {
      for (SystemState.SessionRow s : node.sessions()) {
        rows.accept(
            new Object[] {
              node.node(), s.pid(), s.user(), s.application(), s.client(), s.state(), s.query()
            });
      }
      if (!node.answers()) {
        rows.accept(new Object[] {node.node(), null, null, null, null, "does not answer", null});
      }
    }
  }
}
