package io.gauss.compute.sql.exec.dml;

import io.gauss.common.error.GaussException;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.Action;
import io.gauss.compute.catalog.TableDef.ForeignKeyDef;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.row.KeyCodec;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.StatementChecks;
import io.gauss.compute.sql.exec.deferred.PendingChecks;
import io.gauss.compute.sql.exec.row.JoinTypes;
import io.gauss.compute.sql.exec.row.KeyConversion;
import io.gauss.compute.sql.exec.row.KeyWriter;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.spill.RowSpool;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.sql.exec.table.UpdateTargets;
import io.gauss.compute.store.Outcome;
import io.gauss.compute.store.RowVersion;
import io.gauss.compute.store.VersionedTree;
import io.gauss.compute.txn.WaitPolicy;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Foreign keys of one statement, without share locks (rule 25).
 *
 * <p>Protocol. A child's writer first writes the row and its index entries, then looks up the
 * parent's newest version; a parent's writer first marks the key deleted (or changed), then looks
 * for children. Both look-ups see uncommitted versions and wait for another active transaction only
 * where the key's existence depends on its outcome: an uncommitted insert or delete, not an update
 * that does not change the key.
 *
 * <p>Why one of the two always sees the other: each writes before it looks, and all page accesses
 * are in one coherence order. If the child's look-up of the parent key missed the mark, that
 * look-up came before the mark, and so did the child's own write. <br>
 * Then the parent's look-up, which comes after the mark, finds the child's entry: it waits for it,
 * or acts on it. When both see each other, both wait, and the deadlock detector ends one of them
 * with 40P01. A child whose row or entry merely gets another key is written anew, too: a look-up
 * that has passed the new place already would find it neither there nor at the old one. So its
 * writer looks up the parent as well.
 *
 * <p>When: a child row is checked at once, or at the statement's end if the key refers to its own
 * table. Actions on children of deleted or changed keys run at the statement's end. This includes
 * RESTRICT, as in PostgreSQL, which differs from NO ACTION in that a new row with the old key does
 * not help. Rows that these actions write cause further events, until none is left.
 *
 * <p>A deferred constraint's children are checked, and NO ACTION looks for children, when the
 * transaction commits ({@link PendingChecks}). Each still writes before it looks, so one of the two
 * always sees the other; that a look-up comes late only adds to what it sees.
 */
public final class ForeignKeys implements StatementChecks {
  private final ExecContext ctx;
  private final Map<Integer, TableWriter> writers = new HashMap<>();
  private final ByteSink key = new ByteSink(64);
  private final ByteSink position = new ByteSink(64);
  private final RowVersion found = new RowVersion();
  private final RowVersion version = new RowVersion();
  private final Value value = new Value();
  private List<Events> events = new ArrayList<>();

  /** Null until a table with such keys is written. */
  private DeferrableKeys keys;

  /**
   * Whether several operators report events here, which are processed when all operators have
   * ended.
   */
  private final boolean ofWholeStatement;

  /** The events of one foreign key to process when the statement ends. */
  private static final class Events {
    final ForeignKeyDef key;
    final Kind kind;
    final RowSpool rows;
    final PgType[] types;

    Events(ForeignKeyDef key, Kind kind, PgType[] types, ExecContext ctx) {
      this.key = key;
      this.kind = kind;
      this.types = types;
      rows = new RowSpool(types);
      rows.reset(ctx);
    }
  }

  private enum Kind {
    /** Rows: the whole child row. */
    CHILD_WRITTEN,
    /** The row or its entry has got another key, but refers to the same parent. Rows: as before. */
    CHILD_MOVED,
    /** Rows: old values of the referenced columns. */
    PARENT_DELETED,
    /** Rows: old values, then new values of the referenced columns. */
    PARENT_UPDATED
  }

  public ForeignKeys(ExecContext ctx) {
    this(ctx, false);
  }

  private ForeignKeys(ExecContext ctx, boolean ofWholeStatement) {
    this.ctx = ctx;
    this.ofWholeStatement = ofWholeStatement;
  }

  /**
   * For a statement whose parts report to one object, which is then {@code ctx.statementChecks}.
   */
  static ForeignKeys ofWholeStatement(ForeignKeys before, ExecContext ctx) {
    if (before == null || before.ctx != ctx) {
      return new ForeignKeys(ctx, true);
    }
    before.forget();
    return before;
  }

  /** Returns the same object for the next execution in the same context, else a new one. */
  static ForeignKeys reuse(ForeignKeys before, ExecContext ctx) {
    if (ctx.statementChecks != null) {
      return (ForeignKeys) ctx.statementChecks;
    }
    if (before == null || before.ctx != ctx || before.ofWholeStatement) {
      return new ForeignKeys(ctx);
    }
    before.reset();
    return before;
  }

  /** The writer of a table, which reports to this object. */
  TableWriter writer(int tableOid) {
    TableWriter writer = writers.get(tableOid);
    TableHandle table = ctx.tables.open(tableOid);
    if (writer == null || writer.table() != table) {
      writer = new TableWriter(ctx, table, this);
      writers.put(tableOid, writer);
    }
    return writer;
  }

  /** Discards the events of a failed statement, unless other parts of it also report here. */
  void reset() {
    if (!ofWholeStatement) {
      forget();
    }
  }

  /** Discards all events. */
  void forget() {
    if (keys != null) {
      keys.forget();
    }
    for (Events list : events) {
      list.rows.close();
    }
    events.clear();
  }

  void inserted(TableWriter writer, RowBatch row) {
    for (int index : writer.deferrableKeys()) {
      keyWritten(writer, index, row);
    }
    List<ForeignKeyDef> foreignKeys = writer.table().def().foreignKeys();
    for (int i = 0; i < foreignKeys.size(); i++) {
      childWritten(writer, foreignKeys.get(i), row, Kind.CHILD_WRITTEN);
    }
  }

  /** A row's entry has been written into the index of a deferrable constraint. */
  void keyWritten(TableWriter writer, int index, RowBatch row) {
    if (keys == null) {
      keys = new DeferrableKeys(ctx);
    }
    keys.written(writer, index, row);
  }

  void updated(TableWriter writer, RowBatch oldRow, RowBatch newRow, UpdateTargets targets) {
    for (ForeignKeyDef foreignKey : targets.children()) {
      if (!writer.sameValues(foreignKey.columns(), oldRow, newRow)) {
        childWritten(writer, foreignKey, newRow, Kind.CHILD_WRITTEN);
      }
    }
    for (ForeignKeyDef foreignKey : targets.parents()) {
      int[] columns = foreignKey.referencedColumns();
      if (!hasNull(columns, oldRow) && !writer.sameValues(columns, oldRow, newRow)) {
        if (foreignKey.onUpdate() == Action.NO_ACTION && isPutOff(foreignKey)) {
          putOff(PendingChecks.Kind.PARENT, foreignKey, writer, oldRow, columns);
          continue;
        }
        PgType[] types = types(writer, columns);
        Events list = list(foreignKey, Kind.PARENT_UPDATED, JoinTypes.concat(types, types));
        RowBatch event = Rows.batch(list.types);
        for (int i = 0; i < columns.length; i++) {
          Rows.copy(oldRow.columns[columns[i]], 0, event.columns[i], 0);
          Rows.copy(newRow.columns[columns[i]], 0, event.columns[columns.length + i], 0);
        }
        list.rows.add(event, 0);
      }
    }
    for (ForeignKeyDef foreignKey : targets.children()) {
      int[] entry = UpdateTargets.entryColumns(writer.table().def(), foreignKey);
      if (writer.sameValues(foreignKey.columns(), oldRow, newRow)
          && !writer.sameValues(entry, oldRow, newRow)) {
        childWritten(writer, foreignKey, newRow, Kind.CHILD_MOVED);
      }
    }
  }

  void deleted(TableWriter writer, RowBatch oldRow) {
    for (ForeignKeyDef foreignKey : writer.table().def().referencedBy()) {
      int[] columns = foreignKey.referencedColumns();
      if (!hasNull(columns, oldRow)) {
        if (foreignKey.onDelete() == Action.NO_ACTION && isPutOff(foreignKey)) {
          putOff(PendingChecks.Kind.PARENT, foreignKey, writer, oldRow, columns);
          continue;
        }
        Events list = list(foreignKey, Kind.PARENT_DELETED, types(writer, columns));
        RowBatch event = Rows.batch(list.types);
        for (int i = 0; i < columns.length; i++) {
          Rows.copy(oldRow.columns[columns[i]], 0, event.columns[i], 0);
        }
        list.rows.add(event, 0);
      }
    }
  }

  private static PgType[] types(TableWriter writer, int[] columns) {
    PgType[] types = new PgType[columns.length];
    for (int i = 0; i < columns.length; i++) {
      types[i] = writer.table().types()[columns[i]];
    }
    return types;
  }

  private static boolean hasNull(int[] columns, RowBatch row) {
    for (int column : columns) {
      if (row.columns[column].nulls[0]) {
        return true;
      }
    }
    return false;
  }

  private Events list(ForeignKeyDef foreignKey, Kind kind, PgType[] types) {
    for (Events list : events) {
      if (list.key.oid() == foreignKey.oid() && list.kind == kind) {
        return list;
      }
    }
    Events list = new Events(foreignKey, kind, types, ctx);
    events.add(list);
    return list;
  }

  /** Whether the end of the transaction is the time to check it, as far as it can be put off. */
  private boolean isPutOff(ForeignKeyDef foreignKey) {
    return foreignKey.deferral().isDeferrable()
        && ctx.pending.isDeferred(foreignKey.oid(), foreignKey.deferral());
  }

  private void putOff(
      PendingChecks.Kind kind,
      ForeignKeyDef foreignKey,
      TableWriter writer,
      RowBatch row,
      int[] columns) {
    PendingChecks.Source source =
        new PendingChecks.Source(
            kind, foreignKey.oid(), foreignKey.deferral(), writer.table().def().oid());
    ctx.pending.add(source, row, columns, writer.table().types());
  }

  private void childWritten(TableWriter writer, ForeignKeyDef foreignKey, RowBatch row, Kind kind) {
    if (hasNull(foreignKey.columns(), row)) {
      return;
    }
    if (isPutOff(foreignKey)) {
      putOff(PendingChecks.Kind.CHILD, foreignKey, writer, row, foreignKey.columns());
    } else if (ofWholeStatement || foreignKey.referencedTableOid() == foreignKey.tableOid()) {
      list(foreignKey, kind, writer.table().types()).rows.add(row, 0);
    } else {
      checkParent(writer.table(), foreignKey, row);
    }
  }

  /** Checks a child row now; nothing to check when a column of the key is NULL. */
  public void checkChild(TableHandle child, ForeignKeyDef foreignKey, RowBatch row) {
    if (!hasNull(foreignKey.columns(), row)) {
      checkParent(child, foreignKey, row);
    }
  }

  private void checkParent(TableHandle child, ForeignKeyDef foreignKey, RowBatch row) {
    TableHandle parent = ctx.tables.open(foreignKey.referencedTableOid());
    if (!parentExists(parent, foreignKey, row, foreignKey.columns(), child.types())) {
      throw noParent(child, parent, foreignKey, row, foreignKey.columns());
    }
  }

  private GaussException noParent(
      TableHandle child,
      TableHandle parent,
      ForeignKeyDef foreignKey,
      RowBatch row,
      int[] columns) {
    return ConstraintErrors.noParent(ctx, child.def(), parent.def(), foreignKey, row, columns);
  }

  /**
   * Checks at the end of the transaction that a key has a parent if a child of this transaction
   * still has the key. Whoever else has it has looked for the parent, or is going to.
   *
   * @param keyRow the key's values, in the foreign key's order
   */
  void checkPutOffChild(ForeignKeyDef foreignKey, RowBatch keyRow, PgType[] types) {
    TableHandle child = ctx.tables.open(foreignKey.tableOid());
    TableHandle parent = ctx.tables.open(foreignKey.referencedTableOid());
    int[] columns = KeyWriter.allColumns(foreignKey.columns().length);
    VersionedTree tree = parentKey(parent, foreignKey, keyRow, columns, types);
    Outcome seen =
        tree == null
            ? Outcome.NOT_FOUND
            : tree.peekNewest(ctx.transaction, key.array, key.length, found);
    // Without a parent there can be but few children. With one there may be very many.
    if (seen == Outcome.OK || !hasOwnChild(child, foreignKey, keyRow, columns, types)) {
      return;
    }
    if (seen == Outcome.NOT_FOUND || !parentExists(parent, foreignKey, keyRow, columns, types)) {
      throw noParent(child, parent, foreignKey, keyRow, columns);
    }
  }

  /** Checks at the end of the transaction that nothing refers to a key that no row has any more. */
  void checkPutOffParent(ForeignKeyDef foreignKey, RowBatch keyRow, PgType[] types) {
    parentGone(foreignKey, Action.NO_ACTION, keyRow, false, types);
  }

  /**
   * Looks for the newest version of a referenced key.
   *
   * @param columns positions of the key's values in the row, in the foreign key's order
   * @param types of the row's columns
   */
  private boolean parentExists(
      TableHandle parent, ForeignKeyDef foreignKey, RowBatch row, int[] columns, PgType[] types) {
    VersionedTree tree = parentKey(parent, foreignKey, row, columns, types);
    return tree != null
        && tree.findNewest(
                ctx.transaction, key.array, key.length, true, key.array, key.length, found)
            == Outcome.OK;
  }

  /**
   * Encodes a referenced key into {@link #key}.
   *
   * @return the tree to look it up in; null when the parent cannot have such a key
   */
  private VersionedTree parentKey(
      TableHandle parent, ForeignKeyDef foreignKey, RowBatch row, int[] columns, PgType[] types) {
    boolean primary = foreignKey.referencedIndexOid() == 0;
    int index = primary ? -1 : parent.indexPosition(foreignKey.referencedIndexOid());
    KeyCodec codec = primary ? parent.primaryKeyCodec() : parent.indexCodec(index);
    int[] indexColumns =
        primary ? parent.def().primaryKey() : parent.def().indexes().get(index).columns();
    key.clear();
    if (!encode(codec, parent, indexColumns, foreignKey.referencedColumns(), row, columns, types)) {
      return null;
    }
    return primary ? parent.rows() : parent.index(index);
  }

  /**
   * Appends the values for an index's columns to {@link #key}, each taken from its partner column
   * in the other table.
   *
   * @param partners columns of the index's table that the foreign key names, in its order
   * @return false when a value cannot be in the index: it is outside the column type's range
   */
  private boolean encode(
      KeyCodec codec,
      TableHandle table,
      int[] indexColumns,
      int[] partners,
      RowBatch row,
      int[] columns,
      PgType[] types) {
    for (int i = 0; i < partners.length; i++) {
      int position = -1;
      for (int j = 0; j < partners.length; j++) {
        if (partners[j] == indexColumns[i]) {
          position = columns[j];
        }
      }
      if (position < 0) {
        throw new IllegalStateException(
            "index of table " + table.def().name() + " does not begin with the foreign key");
      }
      row.columns[position].get(0, value);
      if (!KeyConversion.convert(value, types[position], table.types()[indexColumns[i]])) {
        return false;
      }
      codec.encodeColumn(i, value, key);
    }
    return true;
  }

  /**
   * Checks the parent of a child that was moved, unless an action on the parent's children has made
   * it refer to something else since.
   */
  private void checkParentIfAnyRefers(ForeignKeyDef foreignKey, RowBatch row) {
    TableHandle child = ctx.tables.open(foreignKey.tableOid());
    TableHandle parent = ctx.tables.open(foreignKey.referencedTableOid());
    int[] columns = foreignKey.columns();
    if (!parentExists(parent, foreignKey, row, columns, child.types())
        && findChild(child, foreignKey, row, columns, child.types(), false)) {
      throw noParent(child, parent, foreignKey, row, columns);
    }
  }

  /** Processes the events, unless other parts of the statement are still to run. */
  void finish() {
    if (!ofWholeStatement) {
      finishStatement();
    }
  }

  /** Processes the statement's events, and the events that result from that. */
  void finishStatement() {
    while (!events.isEmpty() || keys != null && !keys.isEmpty()) {
      if (keys != null) {
        keys.finish();
      }
      List<Events> round = events;
      events = new ArrayList<>();
      try {
        for (Events list : round) {
          process(list);
        }
      } finally {
        for (Events list : round) {
          list.rows.close();
        }
      }
    }
  }

  private void process(Events list) {
    RowBatch event = Rows.batch(list.types);
    RowSpool.Reader reader = list.rows.reader();
    while (true) {
      event.clear();
      if (reader.read(event, 1, 0) == 0) {
        return;
      }
      ctx.checkInterrupt();
      ctx.eval.resetScratch();
      switch (list.kind) {
        case CHILD_WRITTEN -> checkParent(ctx.tables.open(list.key.tableOid()), list.key, event);
        case CHILD_MOVED -> checkParentIfAnyRefers(list.key, event);
        case PARENT_DELETED -> parentGone(list.key, list.key.onDelete(), event, false, list.types);
        case PARENT_UPDATED -> parentGone(list.key, list.key.onUpdate(), event, true, list.types);
      }
    }
  }

  /**
   * Finds the children of a key that no longer exists, and acts on them.
   *
   * @param keyRow old values (and new ones behind them) of the referenced columns
   */
  private void parentGone(
      ForeignKeyDef foreignKey, Action action, RowBatch keyRow, boolean update, PgType[] types) {
    TableHandle parent = ctx.tables.open(foreignKey.referencedTableOid());
    int[] positions = KeyWriter.allColumns(foreignKey.columns().length);
    if (action == Action.NO_ACTION && parentExists(parent, foreignKey, keyRow, positions, types)) {
      return;
    }
    TableWriter child = writer(foreignKey.tableOid());
    boolean hasPosition = false;
    while (findChild(child.table(), foreignKey, keyRow, positions, types, hasPosition)) {
      if (action == Action.NO_ACTION || action == Action.RESTRICT) {
        throw ConstraintErrors.stillReferenced(
            ctx, parent.def(), child.table().def(), foreignKey, keyRow);
      }
      // If another transaction has just changed or moved the row, its entry is looked up again.
      ctx.checkInterrupt();
      // Copied first: acting on the child looks up its new parent, which overwrites {@code found}.
      byte[] entry = Arrays.copyOf(found.key, found.keyLength);
      if (act(child, foreignKey, action, keyRow, update)) {
        position.clear();
        position.putBytes(entry);
        hasPosition = true;
      }
    }
    if (action == Action.SET_DEFAULT) {
      // The default may be the very key that no longer exists.
      parentGone(foreignKey, Action.NO_ACTION, keyRow, update, types);
    }
  }

  /**
   * Finds a child; its clustering key is then in {@link #key}.
   *
   * @param afterPosition only after the entry at {@link #position}, so that an entry that an action
   *     left with the same key is not found again
   */
  private boolean findChild(
      TableHandle child,
      ForeignKeyDef foreignKey,
      RowBatch keyRow,
      int[] positions,
      PgType[] types,
      boolean afterPosition) {
    VersionedTree tree = childKey(child, foreignKey, keyRow, positions, types);
    if (tree == null) {
      return false;
    }
    boolean primary = foreignKey.supportingIndexOid() == 0;
    ByteSink low = afterPosition ? position : key;
    if (tree.findNewest(
            ctx.transaction, low.array, low.length, !afterPosition, key.array, key.length, found)
        != Outcome.OK) {
      return false;
    }
    key.clear();
    if (primary) {
      key.putBytes(found.key, 0, found.keyLength);
    } else {
      key.putBytes(found.row, 0, found.rowLength);
    }
    return true;
  }

  /** Whether a child that this transaction has written has the key. */
  private boolean hasOwnChild(
      TableHandle child,
      ForeignKeyDef foreignKey,
      RowBatch keyRow,
      int[] positions,
      PgType[] types) {
    VersionedTree tree = childKey(child, foreignKey, keyRow, positions, types);
    return tree != null && tree.hasOwn(ctx.transaction, key.array, key.length);
  }

  /**
   * Encodes the key by which children are found into {@link #key}.
   *
   * @return the tree to look it up in; null when no child can have such a key
   */
  private VersionedTree childKey(
      TableHandle child,
      ForeignKeyDef foreignKey,
      RowBatch keyRow,
      int[] positions,
      PgType[] types) {
    boolean primary = foreignKey.supportingIndexOid() == 0;
    int index = primary ? -1 : child.indexPosition(foreignKey.supportingIndexOid());
    KeyCodec codec = primary ? child.primaryKeyCodec() : child.indexCodec(index);
    int[] indexColumns =
        primary ? child.def().primaryKey() : child.def().indexes().get(index).columns();
    key.clear();
    if (!encode(codec, child, indexColumns, foreignKey.columns(), keyRow, positions, types)) {
      return null;
    }
    return primary ? child.rows() : child.index(index);
  }

  /**
   * Deletes or changes the child row whose clustering key is in {@link #key}.
   *
   * @return false when it is not there any more, does not refer to the parent any more, or has
   *     changed meanwhile: then the entry by which it was found is out of date
   */
  private boolean act(
      TableWriter child, ForeignKeyDef foreignKey, Action action, RowBatch keyRow, boolean update) {
    Outcome outcome =
        child
            .table()
            .rows()
            .readNewest(
                ctx.transaction,
                ctx.snapshot(),
                key.array,
                0,
                key.length,
                WaitPolicy.WAIT,
                version);
    if (outcome == Outcome.SELF) {
      // This statement has changed the row already; it may change its newest version again.
      outcome =
          child
              .table()
              .rows()
              .findNewest(
                  ctx.transaction, key.array, key.length, true, key.array, key.length, version);
    }
    if (outcome == Outcome.NOT_FOUND) {
      return false;
    }
    RowBatch oldRow = Rows.batch(child.table().types());
    child.decode(version, oldRow);
    if (!stillRefers(child.table(), foreignKey, keyRow, oldRow)) {
      return false;
    }
    if (action == Action.CASCADE && !update) {
      return child.delete(version, oldRow) == Outcome.OK;
    }
    int[] columns = foreignKey.columns();
    RowBatch newRow = Rows.batch(child.table().types());
    Rows.copy(oldRow, 0, newRow, 0);
    newRow.size = 1;
    for (int i = 0; i < columns.length; i++) {
      switch (action) {
        case SET_NULL -> newRow.columns[columns[i]].setNull(0);
        case SET_DEFAULT -> {
          Expr initial = child.table().expressions().defaults()[columns[i]];
          initial.eval(ctx.eval, null, 0, value);
          newRow.columns[columns[i]].set(0, value);
        }
        case CASCADE -> {
          PgType parentType = parentType(foreignKey, i);
          keyRow.columns[columns.length + i].get(0, value);
          if (!KeyConversion.convert(value, parentType, child.table().types()[columns[i]])) {
            throw KeyConversion.outOfRange(child.table().types()[columns[i]]);
          }
          newRow.columns[columns[i]].set(0, value);
        }
        case NO_ACTION, RESTRICT -> throw new IllegalStateException("no such change: " + action);
      }
      Expr domain = child.table().expressions().domains()[columns[i]];
      if (domain != null) {
        domain.eval(ctx.eval, newRow, 0, value);
      }
    }
    child.checkRow(newRow);
    return child.update(version, oldRow, newRow, UpdateTargets.of(child.table().def(), columns))
        == Outcome.OK;
  }

  private PgType parentType(ForeignKeyDef foreignKey, int i) {
    return ctx.tables.open(foreignKey.referencedTableOid())
        .types()[foreignKey.referencedColumns()[i]];
  }

  /** Whether a child row, read after its index entry, still has the key. */
  private boolean stillRefers(
      TableHandle child, ForeignKeyDef foreignKey, RowBatch keyRow, RowBatch childRow) {
    TableDef parent = ctx.tables.open(foreignKey.referencedTableOid()).def();
    int[] columns = foreignKey.columns();
    ByteSink wanted = new ByteSink(32);
    ByteSink actual = new ByteSink(32);
    for (int i = 0; i < columns.length; i++) {
      KeyCodec codec = child.columnCodec(columns[i]);
      keyRow.columns[i].get(0, value);
      PgType parentType = parent.columns().get(foreignKey.referencedColumns()[i]).type();
      if (!KeyConversion.convert(value, parentType, child.types()[columns[i]])) {
        return false;
      }
      codec.encodeColumn(0, value, wanted);
      childRow.columns[columns[i]].get(0, value);
      codec.encodeColumn(0, value, actual);
    }
    return Arrays.equals(wanted.array, 0, wanted.length, actual.array, 0, actual.length);
  }
}
