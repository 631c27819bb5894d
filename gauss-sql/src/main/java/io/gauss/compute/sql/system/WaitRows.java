package io.gauss.compute.sql.system;

import io.gauss.common.id.PageId;
import io.gauss.common.id.Xid;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.sql.state.SystemState;
import io.gauss.compute.sql.state.SystemState.NodeActivity;
import io.gauss.compute.sql.state.SystemState.SessionRow;
import io.gauss.compute.sql.state.SystemState.TransactionRow;
import io.gauss.compute.txn.TransactionActivity.RowWait;
import io.gauss.compute.txn.TransactionActivity.TableWait;
import io.gauss.compute.txn.TransactionActivity.Wait;
import io.gauss.compute.wait.CurrentWait;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Current waits of the sessions of all compute nodes. */
final class WaitRows {
  private static final double NANOS_PER_MS = 1e6;
  private static final long NANOS_PER_MICRO = 1000;

  private WaitRows() {}

  static void register(Map<String, SystemTableRows.Source> sources) {
    sources.put("gauss.waiting", WaitRows::waiting);
  }

  private static void waiting(SystemState state, Consumer<Object[]> rows) {
    Map<Integer, SpaceOwner> owners = SpaceOwner.all(state);
    for (NodeActivity node : state.cluster()) {
      Set<Integer> forLocks = new HashSet<>();
      for (TransactionRow transaction : node.transactions()) {
        if (transaction.activity().waiting() != null) {
          forLocks.add(transaction.pid());
          rows.accept(lock(state, node.node(), transaction));
        }
      }
      for (SessionRow session : node.sessions()) {
        if (session.waiting() != null && !forLocks.contains(session.pid())) {
          rows.accept(other(state, node.node(), session, owners));
        }
      }
    }
  }

  private static Object[] lock(SystemState state, int node, TransactionRow transaction) {
    Wait wait = transaction.activity().waiting();
    Long row = wait instanceof RowWait forRow ? forRow.xid() : null;
    TableDef table =
        wait instanceof TableWait forTable ? state.catalog().table(forTable.tableOid()) : null;
    return new Object[] {
      node,
      transaction.pid(),
      NodeRows.kind(wait),
      table == null ? null : table.schema(),
      table == null ? null : table.name(),
      null,
      row,
      row == null ? null : Xid.slot(row),
      transaction.nowMicros() - wait.nanos() / NANOS_PER_MICRO,
      wait.nanos() / NANOS_PER_MS
    };
  }

  private static Object[] other(
      SystemState state, int node, SessionRow session, Map<Integer, SpaceOwner> owners) {
    CurrentWait wait = session.waiting();
    boolean isForPage = wait.page() != PageId.NONE;
    SpaceOwner owner = isForPage ? SpaceOwner.of(owners, PageId.space(wait.page())) : null;
    boolean isTimed = wait.nanos() >= 0;
    return new Object[] {
      node,
      session.pid(),
      wait.cause(),
      owner == null ? null : owner.schema(),
      owner == null ? null : owner.name(),
      isForPage ? PageId.toString(wait.page()) : null,
      null,
      null,
      isTimed ? state.nowMicros() - wait.nanos() / NANOS_PER_MICRO : null,
      isTimed ? wait.nanos() / NANOS_PER_MS : null
    };
  }
}
