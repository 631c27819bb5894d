package io.gauss.compute.ddl;

import io.gauss.common.id.LamportClock;
import io.gauss.common.id.Lsn;
import io.gauss.compute.catalog.Catalog;
import io.gauss.compute.catalog.CatalogStore;
import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.catalog.Sequences;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.row.RowCodec;
import io.gauss.compute.sql.exec.table.TableExpressionCompiler;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.store.Store;
import io.gauss.compute.store.VersionedTree;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Value;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Services for the DDL of all sessions. Thread-safe.
 *
 * @param expressions compiles a table's CHECKs and DEFAULTs
 * @param droppedSpaces trees whose drop is committed, for the background to free
 */
public record DdlServices(
    Catalog catalog,
    CatalogStore catalogStore,
    Sequences sequences,
    Store store,
    LamportClock clock,
    TableExpressionCompiler expressions,
    ConcurrentLinkedQueue<Integer> droppedSpaces) {

  /** An oid that is unused in the cluster. May wait when there are several nodes. */
  int newOid() {
    return catalog.isShared() ? sequences.newOid(catalog.oidFloor()) : catalog.newOid();
  }

  /**
   * Lets a tree be freed once all nodes know that it is dropped.
   *
   * @param transaction the transaction that drops it; its commit is reserved
   */
  void dropWhenVisible(int space, Transaction transaction) {
    transaction.whenVisible(() -> droppedSpaces.add(space));
  }

  /** A handle for reading and writing the table as defined. */
  TableHandle handle(TableDef table, CatalogView view) {
    VersionedTree[] indexes = new VersionedTree[table.indexes().size()];
    for (int i = 0; i < indexes.length; i++) {
      indexes[i] = store.tree(table.indexes().get(i).space());
    }
    return new TableHandle(
        table,
        store.tree(table.space()),
        indexes,
        this::newRowId,
        missingValues(table.columns()),
        () -> expressions.compile(table, view));
  }

  /**
   * A clock value with the node's number in front: it is ascending, and several nodes do not all
   * append to the table's last leaf.
   */
  private long newRowId() {
    return Long.rotateRight(clock.next(1), Lsn.NODE_BITS);
  }

  /** Codec of a table's rows as stored. */
  RowCodec rowCodec(TableDef table) {
    return new RowCodec(
        table.columns().stream().map(TableDef.ColumnDef::type).toList(),
        missingValues(table.columns()));
  }

  private static Value[] missingValues(List<TableDef.ColumnDef> columns) {
    Value[] missing = null;
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).missing() != null) {
        if (missing == null) {
          missing = new Value[columns.size()];
        }
        missing[i] = new Value();
        missing[i].isNull = false;
        TypeCodec.of(columns.get(i).type()).fromCatalogText(columns.get(i).missing(), missing[i]);
      }
    }
    return missing;
  }
}
