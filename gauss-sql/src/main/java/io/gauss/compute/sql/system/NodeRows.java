package io.gauss.compute.sql.system;

import io.gauss.compute.catalog.SystemOids;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.routing.data.NodeLoad;
import io.gauss.compute.sql.state.NodeState;
import io.gauss.compute.sql.state.SystemState;
import io.gauss.compute.sql.state.SystemState.NodeActivity;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.TransactionActivity;
import io.gauss.memory.lock.LockMode;
import io.gauss.memory.lock.LockName;
import java.util.Map;
import java.util.function.Consumer;

/** The node and its activity: schema gauss, and pg_locks. */
final class NodeRows {
  private static final double NANOS_PER_MS = 1e6;

  private NodeRows() {}

  static void register(Map<String, SystemTableRows.Source> sources) {
    sources.put("gauss.nodes", NodeRows::nodes);
    sources.put("gauss.streams", NodeRows::streams);
    sources.put("gauss.waits", NodeRows::waits);
    sources.put("gauss.statements", NodeRows::statements);
    sources.put("gauss.statement_latencies", NodeRows::latencies);
    sources.put("gauss.transactions", NodeRows::transactions);
    sources.put("gauss.locks", NodeRows::locks);
    sources.put("gauss.notifications", NodeRows::notifications);
    sources.put("gauss.store_check", NodeRows::storeCheck);
    sources.put("pg_catalog.pg_locks", NodeRows::pgLocks);
  }

  private static void nodes(SystemState state, Consumer<Object[]> rows) {
    for (NodeState.Node n : state.node().nodes()) {
      NodeState.Own own = n.own();
      NodeLoad load = n.slot() == 0 ? null : state.load(n.slot());
      rows.accept(
          new Object[] {
            n.id(),
            n.role(),
            n.host(),
            n.port() == 0 ? null : n.port(),
            own == null ? null : own.pid(),
            own == null ? null : own.version(),
            own == null ? null : own.startedMicros(),
            n.state(),
            n.slot() == 0 ? null : n.slot(),
            n.epoch() == 0 ? null : n.epoch(),
            n.role().contains("memory") ? n.buckets() : null,
            load == null ? null : load.sessions(),
            load == null ? null : load.active(),
            load == null || load.cpu() < 0 ? null : load.cpu()
          });
    }
  }

  private static void streams(SystemState state, Consumer<Object[]> rows) {
    for (NodeState.Stream s : state.node().streams()) {
      rows.accept(
          new Object[] {
            s.id(),
            s.start(),
            s.durable(),
            s.reserved(),
            s.applied(),
            s.checkpoint(),
            Math.max(0, s.reserved() - s.durable()),
            Math.max(0, s.durable() - s.applied()),
            s.lastLsn(),
            s.state()
          });
    }
  }

  private static void waits(SystemState state, Consumer<Object[]> rows) {
    for (NodeState.Wait w : state.node().waits()) {
      double total = w.nanos() / NANOS_PER_MS;
      rows.accept(
          new Object[] {w.cause(), w.count(), total, w.count() == 0 ? 0.0 : total / w.count()});
    }
  }

  // ---------------------------------------------------------------- statements

  private static void statements(SystemState state, Consumer<Object[]> rows) {
    for (SystemState.StatementRow s : state.statements()) {
      double total = s.totalNanos() / NANOS_PER_MS;
      rows.accept(
          new Object[] {
            s.kind(),
            s.calls(),
            total,
            s.calls() == 0 ? 0.0 : total / s.calls(),
            s.p50Nanos() / NANOS_PER_MS,
            s.p95Nanos() / NANOS_PER_MS,
            s.p99Nanos() / NANOS_PER_MS,
            s.maxNanos() / NANOS_PER_MS
          });
    }
  }

  private static void latencies(SystemState state, Consumer<Object[]> rows) {
    for (SystemState.StatementRow s : state.statements()) {
      for (int i = 0; i < s.bucketCounts().length; i++) {
        if (s.bucketCounts()[i] > 0) {
          rows.accept(
              new Object[] {s.kind(), s.bucketEndNanos()[i] / NANOS_PER_MS, s.bucketCounts()[i]});
        }
      }
    }
  }

  // ---------------------------------------------------------------- transactions and locks

  private static void transactions(SystemState state, Consumer<Object[]> rows) {
    for (NodeActivity node : state.cluster()) {
      for (SystemState.TransactionRow t : node.transactions()) {
        TransactionActivity a = t.activity();
        rows.accept(
            new Object[] {
              node.node(),
              t.pid(),
              xid(a.xid()),
              t.state(),
              a.isolation() == null ? null : isolation(a.isolation()),
              t.startedMicros(),
              t.ageSeconds(),
              a.snapshotLsn() == 0 ? null : a.snapshotLsn(),
              a.locks().size(),
              a.waiting() == null ? null : a.waiting().nanos() / NANOS_PER_MS
            });
      }
    }
  }

  private static String isolation(IsolationLevel level) {
    return level == IsolationLevel.READ_COMMITTED ? "read committed" : "repeatable read";
  }

  private static Long xid(long xid) {
    return xid == 0 ? null : xid;
  }

  private static void notifications(SystemState state, Consumer<Object[]> rows) {
    for (NodeActivity node : state.cluster()) {
      SystemState.NotifyRow n = node.notifications();
      if (n != null) {
        rows.accept(
            new Object[] {
              node.node(),
              n.sessions(),
              n.channels(),
              n.queueBytes(),
              n.mostBytes(),
              n.undecided(),
              n.sent(),
              n.delivered(),
              n.refused()
            });
      }
    }
  }

  private static void locks(SystemState state, Consumer<Object[]> rows) {
    for (NodeActivity node : state.cluster()) {
      locks(state, node, rows);
    }
  }

  private static void locks(SystemState state, NodeActivity node, Consumer<Object[]> rows) {
    for (SystemState.AdvisoryRow a : node.advisory()) {
      rows.accept(
          new Object[] {
            node.node(), a.pid(), null, "advisory", null, null, a.mode().title(), true, null, null
          });
    }
    for (SystemState.TransactionRow t : node.transactions()) {
      TransactionActivity a = t.activity();
      for (TransactionActivity.HeldLock lock : a.locks()) {
        TableDef table = state.catalog().table(lock.tableOid());
        rows.accept(
            new Object[] {
              node.node(),
              t.pid(),
              xid(a.xid()),
              "table",
              schema(table),
              name(table),
              mode(lock.mode()),
              true,
              null,
              null
            });
      }
      TransactionActivity.Wait wait = a.waiting();
      if (wait != null) {
        TransactionActivity.RowWait row = wait instanceof TransactionActivity.RowWait w ? w : null;
        TransactionActivity.TableWait ofTable =
            wait instanceof TransactionActivity.TableWait w ? w : null;
        TableDef table = ofTable == null ? null : state.catalog().table(ofTable.tableOid());
        rows.accept(
            new Object[] {
              node.node(),
              t.pid(),
              xid(a.xid()),
              kind(wait),
              schema(table),
              name(table),
              mode(wait),
              false,
              row == null ? null : xid(row.xid()),
              wait.nanos() / NANOS_PER_MS
            });
      }
    }
  }

  /** What is waited for, as the views of Gauss have it. */
  static String kind(TransactionActivity.Wait wait) {
    return switch (wait) {
      case TransactionActivity.RowWait w -> "row";
      case TransactionActivity.TableWait w -> "table";
      case TransactionActivity.AdvisoryWait w -> "advisory";
    };
  }

  private static String mode(TransactionActivity.Wait wait) {
    return switch (wait) {
      case TransactionActivity.RowWait w -> null;
      case TransactionActivity.TableWait w -> mode(w.mode());
      case TransactionActivity.AdvisoryWait w -> w.mode().title();
    };
  }

  private static String schema(TableDef table) {
    return table == null ? null : table.schema();
  }

  private static String name(TableDef table) {
    return table == null ? null : table.name();
  }

  /** PostgreSQL's names of the modes. */
  private static String mode(TableLockMode mode) {
    return switch (mode) {
      case ACCESS_SHARE -> "AccessShareLock";
      case ROW_EXCLUSIVE -> "RowExclusiveLock";
      case SHARE -> "ShareLock";
      case ACCESS_EXCLUSIVE -> "AccessExclusiveLock";
    };
  }

  /**
   * Table and advisory locks as PostgreSQL shows them; a transaction that has written holds the
   * lock on its xid, and a wait for a row is a wait for the writer's xid.
   */
  private static void pgLocks(SystemState state, Consumer<Object[]> rows) {
    for (NodeActivity node : state.cluster()) {
      pgLocks(node, rows);
    }
  }

  private static void pgLocks(NodeActivity node, Consumer<Object[]> rows) {
    for (SystemState.AdvisoryRow a : node.advisory()) {
      rows.accept(advisory(a.pid(), a.name(), a.mode(), null));
    }
    for (SystemState.TransactionRow t : node.transactions()) {
      TransactionActivity a = t.activity();
      for (TransactionActivity.HeldLock lock : a.locks()) {
        pgLock(rows, t, lock.tableOid(), 0, mode(lock.mode()), true);
      }
      if (a.xid() != 0) {
        pgLock(rows, t, 0, a.xid(), "ExclusiveLock", true);
      }
      switch (a.waiting()) {
        case null -> {}
        case TransactionActivity.RowWait wait -> pgLock(rows, t, 0, wait.xid(), "ShareLock", false);
        case TransactionActivity.TableWait wait ->
            pgLock(rows, t, wait.tableOid(), 0, mode(wait.mode()), false);
        case TransactionActivity.AdvisoryWait wait ->
            rows.accept(
                advisory(t.pid(), wait.name(), wait.mode(), t.nowMicros() - wait.nanos() / 1000));
      }
    }
  }

  /**
   * @param waitStart null when the lock is granted
   */
  private static Object[] advisory(Integer pid, LockName name, LockMode mode, Long waitStart) {
    return new Object[] {
      "advisory",
      SystemOids.DATABASE,
      null,
      null,
      null,
      null,
      null,
      name.upperKey(),
      name.lowerKey(),
      name.keys(),
      pid == null ? null : pid + "/0",
      pid,
      mode.title(),
      waitStart == null,
      false,
      waitStart
    };
  }

  private static void pgLock(
      Consumer<Object[]> rows,
      SystemState.TransactionRow transaction,
      int relation,
      long xid,
      String mode,
      boolean granted) {
    boolean table = relation != 0;
    TransactionActivity.Wait wait = transaction.activity().waiting();
    Long waitStart = granted || wait == null ? null : transaction.nowMicros() - wait.nanos() / 1000;
    rows.accept(
        new Object[] {
          table ? "relation" : "transactionid",
          table ? SystemOids.DATABASE : null,
          table ? relation : null,
          null,
          null,
          null,
          xid(xid),
          null,
          null,
          null,
          transaction.pid() == null ? null : transaction.pid() + "/0",
          transaction.pid(),
          mode,
          granted,
          false,
          waitStart
        });
  }

  private static void storeCheck(SystemState state, Consumer<Object[]> rows) {
    for (SystemState.CheckRow c : state.checkStore()) {
      rows.accept(new Object[] {c.name(), c.problem(), c.nanos() / NANOS_PER_MS});
    }
  }
}
