package io.gauss.compute.sql.exec.dml;

import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.row.KeyCodec;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.deferred.PendingChecks;
import io.gauss.compute.sql.exec.row.KeyWriter;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.spill.RowSpool;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.store.Outcome;
import io.gauss.compute.store.RowVersion;
import io.gauss.compute.store.VersionedTree;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.util.ArrayList;
import java.util.List;

/**
 * Deferrable UNIQUE constraints of one statement. Their indexes may have a key several times: each
 * row's entry ends with the row's own key.
 *
 * <p>Protocol. A writer first writes the row's entry, then looks whether the index may have the key
 * twice: another live row has it, or an active transaction inserts or deletes one. Only then the
 * key is remembered. It is checked when the statement or, if the constraint is deferred, the
 * transaction ends: by then, unless this transaction has given up the key, no other row may have
 * it, and transactions that decide about that are waited for.
 *
 * <p>Why two transactions cannot both commit the key: each writes before it looks, and all page
 * accesses are in one coherence order. So one of the two sees the other's entry, remembers the key,
 * and waits. When both see each other, both wait, and the deadlock detector ends one with 40P01.
 */
final class DeferrableKeys {
  private final ExecContext ctx;
  private final ByteSink key = new ByteSink(64);
  private final RowVersion found = new RowVersion();
  private final Value value = new Value();
  private List<Events> events = new ArrayList<>(0);

  /** The keys of one constraint that are to be checked when the statement ends. */
  private static final class Events {
    final int tableOid;
    final int indexOid;
    final PgType[] types;
    final RowSpool keys;

    Events(int tableOid, int indexOid, PgType[] types, ExecContext ctx) {
      this.tableOid = tableOid;
      this.indexOid = indexOid;
      this.types = types;
      keys = new RowSpool(types);
      keys.reset(ctx);
    }
  }

  DeferrableKeys(ExecContext ctx) {
    this.ctx = ctx;
  }

  /** A row and its entries have been written. */
  void written(TableWriter writer, int index, RowBatch row) {
    TableHandle table = writer.table();
    key.clear();
    if (!table.isIn(index, ctx.eval, row, 0)
        || !writer.keys().indexColumns(index, row, 0, key)
        || !table.index(index).mayHaveSeveral(ctx.transaction, key.array, key.length)) {
      return;
    }
    IndexDef def = table.def().indexes().get(index);
    if (ctx.pending.isDeferred(def.oid(), def.deferral())) {
      PendingChecks.Source source =
          new PendingChecks.Source(
              PendingChecks.Kind.UNIQUE, def.oid(), def.deferral(), table.def().oid());
      ctx.pending.add(source, row, def.columns(), table.types());
      return;
    }
    Events list = list(table, def);
    RowBatch event = Rows.batch(list.types);
    for (int i = 0; i < list.types.length; i++) {
      Rows.copy(row.columns[def.columns()[i]], 0, event.columns[i], 0);
    }
    list.keys.add(event, 0);
  }

  private Events list(TableHandle table, IndexDef def) {
    for (Events list : events) {
      if (list.indexOid == def.oid()) {
        return list;
      }
    }
    PgType[] types = new PgType[def.columns().length];
    for (int i = 0; i < types.length; i++) {
      types[i] = table.types()[def.columns()[i]];
    }
    Events list = new Events(table.def().oid(), def.oid(), types, ctx);
    events.add(list);
    return list;
  }

  boolean isEmpty() {
    return events.isEmpty();
  }

  void forget() {
    for (Events list : events) {
      list.keys.close();
    }
    events.clear();
  }

  /** The statement ends. */
  void finish() {
    List<Events> round = events;
    events = new ArrayList<>(0);
    try {
      for (Events list : round) {
        process(list);
      }
    } finally {
      for (Events list : round) {
        list.keys.close();
      }
    }
  }

  private void process(Events list) {
    TableHandle table = ctx.tables.open(list.tableOid);
    RowBatch event = Rows.batch(list.types);
    RowSpool.Reader reader = list.keys.reader();
    event.clear();
    while (reader.read(event, 1, 0) > 0) {
      ctx.checkInterrupt();
      ctx.eval.resetScratch();
      check(table, table.indexPosition(list.indexOid), event);
      event.clear();
    }
  }

  /**
   * Checks that no other row has a key that a row of this transaction has.
   *
   * @param keyRow the key's values, in the constraint's order
   * @throws io.gauss.common.error.GaussException 23505
   */
  void check(TableHandle table, int index, RowBatch keyRow) {
    IndexDef def = table.def().indexes().get(index);
    KeyCodec codec = table.indexCodec(index);
    key.clear();
    for (int i = 0; i < def.columns().length; i++) {
      keyRow.columns[i].get(0, value);
      codec.encodeColumn(i, value, key);
    }
    VersionedTree tree = table.index(index);
    if (tree.hasOwn(ctx.transaction, key.array, key.length)
        && find(tree, key.array, key.length, true)
        && find(tree, found.key, found.keyLength, false)) {
      int[] positions = KeyWriter.allColumns(def.columns().length);
      throw ConstraintErrors.unique(ctx, table.def(), def.name(), def.columns(), keyRow, positions);
    }
  }

  private boolean find(VersionedTree tree, byte[] low, int length, boolean inclusive) {
    return tree.findNewest(ctx.transaction, low, length, inclusive, key.array, key.length, found)
        == Outcome.OK;
  }
}
