package io.gauss.compute.ddl;

import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.CheckDef;
import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.catalog.TableDef.ForeignKeyDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.catalog.TableStatistics;
import io.gauss.compute.expr.ColumnExpr;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.expr.Volatility;
import io.gauss.compute.sql.exec.build.ForeignKeyCheck;
import io.gauss.compute.sql.exec.build.IndexBuild;
import io.gauss.compute.sql.exec.build.RowValidation;
import io.gauss.compute.sql.exec.build.TableRewrite;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.sql.parse.PgStatement.ConstraintSpec;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Value;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One ALTER TABLE: the new definition, and the work on the rows. The actions change {@link #edit}
 * and note the work that they need; {@link #apply} then passes through the rows once for all
 * actions.
 *
 * <p>Rows are copied to a new tree when the clustering key changes, when columns are dropped or
 * change their stored form, and when a new column's values differ by row. A column whose default is
 * one value for all rows is added without a copy: the definition keeps the value of older rows.
 */
final class TableChange {
  /**
   * Where a column's values come from.
   *
   * @param position in the old table, -1 = the new column's default
   * @param value conversion of the old row to the value; null = unchanged
   */
  private record Source(int position, Expr value) {}

  final DdlContext ddl;
  final TableDef before;
  final TableEdit edit;
  private final List<Source> sources = new ArrayList<>();
  private final Set<Integer> newNotNull = new HashSet<>();
  private final Set<Integer> newChecks = new HashSet<>();
  private final Set<Integer> newIndexes = new HashSet<>();
  private final List<ConstraintSpec> newForeignKeys = new ArrayList<>();
  private final Set<Integer> recheckedForeignKeys = new HashSet<>();
  private boolean rewrite;

  TableChange(DdlContext ddl, TableDef before) {
    this.ddl = ddl;
    this.before = before;
    this.edit = new TableEdit(before);
    for (int i = 0; i < before.columns().size(); i++) {
      sources.add(new Source(i, null));
    }
  }

  // ---------------------------------------------------------------- requests of the actions

  /** Position of a column in the table as changed so far, -1 when there is none. */
  int find(String column) {
    for (int i = 0; i < edit.columns.size(); i++) {
      if (edit.columns.get(i).name().equals(column)) {
        return i;
      }
    }
    return -1;
  }

  /** Requests that rows are copied. */
  void rewrite() {
    rewrite = true;
  }

  void addColumn(ColumnDef column) {
    edit.columns.add(column);
    sources.add(new Source(-1, null));
    if (column.notNull()) {
      newNotNull.add(column.number());
    }
  }

  /** Removes a column that no constraint or index names any more. */
  void removeColumn(int position) {
    edit.columns.remove(position);
    sources.remove(position);
    edit.primaryKey = shifted(edit.primaryKey, position);
    edit.indexes.replaceAll(
        index ->
            index.withColumns(
                shifted(index.columns(), position), shifted(index.included(), position)));
    edit.foreignKeys.replaceAll(
        key ->
            key.withColumns(
                shifted(key.columns(), position),
                key.referencedTableOid() == edit.oid
                    ? shifted(key.referencedColumns(), position)
                    : key.referencedColumns()));
    rewrite = true;
  }

  private static int[] shifted(int[] columns, int removed) {
    int[] result = columns.clone();
    for (int i = 0; i < result.length; i++) {
      if (result[i] > removed) {
        result[i]--;
      }
    }
    return result;
  }

  /** Position of a column in the table before the change; -1 for a new one. */
  int positionBefore(int position) {
    return sources.get(position).position();
  }

  /** Changes a column's type; its values come from an expression over the old row. */
  void convert(int position, PgType type, Expr value) {
    edit.columns.set(position, edit.columns.get(position).withType(type));
    sources.set(position, new Source(sources.get(position).position(), value));
    rewrite = true;
  }

  void setNotNull(int position) {
    ColumnDef column = edit.columns.get(position);
    if (!column.notNull()) {
      edit.columns.set(position, column.withNotNull(true));
      newNotNull.add(column.number());
    }
  }

  void addCheck(CheckDef check) {
    edit.checks.add(check);
    recheck(check);
  }

  /** Requests that existing rows are checked against the condition again. */
  void recheck(CheckDef check) {
    newChecks.add(check.oid());
  }

  void addIndex(IndexDef index) {
    edit.indexes.add(index);
    newIndexes.add(index.oid());
  }

  /** Requests that an index is filled anew: its expressions have other values or types. */
  void rebuildIndex(IndexDef index) {
    if (newIndexes.add(index.oid())) {
      ddl.session.dropTree(index.space());
      IndexDef empty = index.withSpace(ddl.session.createTree());
      edit.indexes.replaceAll(other -> other.oid() == index.oid() ? empty : other);
    }
  }

  void removeIndex(IndexDef index) {
    edit.indexes.removeIf(other -> other.oid() == index.oid());
    ddl.session.dropTree(index.space());
  }

  void addForeignKey(ConstraintSpec spec) {
    newForeignKeys.add(spec);
  }

  void recheck(ForeignKeyDef key) {
    recheckedForeignKeys.add(key.oid());
  }

  // ---------------------------------------------------------------- application

  /**
   * Stores the new definition and makes rows and indexes conform to it. The table is locked
   * exclusively.
   */
  void apply() {
    TableHandle from = ddl.session.open(edit.oid);
    supportForeignKeys();
    edit.indexes.replaceAll(index -> new IndexKeys(ddl).retyped(edit.build(), index));
    TableHandle.Expressions expressions = compile();
    for (int i = 0; i < edit.columns.size(); i++) {
      if (sources.get(i).position() < 0) {
        initialValue(i, expressions.defaults()[i]);
      }
    }
    if (rewrite) {
      newTrees();
    }
    moveStatistics();
    ddl.session.put(edit.build());
    followPositions();
    checkForeignKeyTypes();
    TableHandle to = ddl.session.open(edit.oid);
    RowValidation validation = new RowValidation(to, notNullPositions(), checkPositions());
    if (rewrite) {
      TableRewrite.run(ddl.exec, from, to, values(expressions), validation);
    } else {
      validation.run(ddl.exec);
    }
    for (int i = 0; i < edit.indexes.size(); i++) {
      if (rewrite || newIndexes.contains(edit.indexes.get(i).oid())) {
        IndexBuild.build(ddl.exec, to, i);
      }
    }
    foreignKeys();
  }

  /** Compiles all CHECKs and DEFAULTs of the new definition, so that errors are reported now. */
  private TableHandle.Expressions compile() {
    new GeneratedColumns(ddl).check(edit.build());
    return ddl.services().expressions().compile(edit.build(), ddl.view());
  }

  /** Decides whether rows without the column can all have one value. */
  private void initialValue(int position, Expr initial) {
    ColumnDef column = edit.columns.get(position);
    if (column.isGenerated()
        || initial.volatility() == Volatility.VOLATILE
        || column.type().is(PgType.REGCLASS)
        || column.type().isConstrained()) { // a table without rows has none that is refused
      rewrite = true;
      return;
    }
    Value value = new Value();
    initial.eval(ddl.exec.eval, null, 0, value);
    if (!value.isNull) {
      String text = TypeCodec.of(column.type()).toCatalogText(value);
      edit.columns.set(position, column.withMissing(text));
      newNotNull.remove(column.number());
    }
  }

  private Expr[] values(TableHandle.Expressions expressions) {
    Expr[] values = new Expr[sources.size()];
    for (int i = 0; i < values.length; i++) {
      Source source = sources.get(i);
      if (source.position() < 0) {
        values[i] = expressions.defaults()[i];
      } else if (source.value() != null) {
        values[i] = source.value();
      } else {
        values[i] =
            new ColumnExpr(source.position(), before.columns().get(source.position()).type());
      }
    }
    return values;
  }

  private void newTrees() {
    ddl.session.dropTree(edit.space);
    edit.space = ddl.session.createTree();
    for (int i = 0; i < edit.indexes.size(); i++) {
      IndexDef index = edit.indexes.get(i);
      if (!newIndexes.contains(index.oid())) {
        ddl.session.dropTree(index.space());
        edit.indexes.set(i, index.withSpace(ddl.session.createTree()));
      }
    }
    edit.columns.replaceAll(column -> column.withMissing(null));
  }

  /** Gives another index to foreign keys whose children were found by a dropped index. */
  private void supportForeignKeys() {
    for (int i = 0; i < edit.foreignKeys.size(); i++) {
      ForeignKeyDef key = edit.foreignKeys.get(i);
      TableDef now = edit.build();
      if (ForeignKeyDefiner.supports(now, key.supportingIndexOid(), key.columns())) {
        continue;
      }
      int supporting = ForeignKeyDefiner.supportingIndex(now, key.columns());
      if (supporting < 0) {
        IndexDef index = new ForeignKeyDefiner(ddl).newSupportingIndex(now, key.columns());
        addIndex(index);
        supporting = index.oid();
      }
      edit.foreignKeys.set(i, key.withSupportingIndex(supporting));
    }
  }

  private void moveStatistics() {
    TableStatistics old = edit.statistics;
    if (old == TableStatistics.UNKNOWN) {
      return;
    }
    TableStatistics.ColumnStatistics[] columns =
        new TableStatistics.ColumnStatistics[sources.size()];
    for (int i = 0; i < columns.length; i++) {
      Source source = sources.get(i);
      if (source.position() >= 0
          && source.position() < old.columns().length
          && source.value() == null) {
        columns[i] = old.columns()[source.position()];
      }
    }
    edit.statistics = new TableStatistics(old.rows(), old.pages(), columns, old.expressions());
  }

  /** Updates other objects that refer to columns by position. */
  private void followPositions() {
    int[] now = new int[before.columns().size()];
    java.util.Arrays.fill(now, -1);
    boolean moved = false;
    for (int i = 0; i < sources.size(); i++) {
      if (sources.get(i).position() >= 0) {
        now[sources.get(i).position()] = i;
        moved |= sources.get(i).position() != i;
      }
    }
    if (!moved) {
      return;
    }
    Set<Integer> newSequences = new HashSet<>();
    for (int i = 0; i < sources.size(); i++) {
      if (sources.get(i).position() < 0) {
        newSequences.add(edit.columns.get(i).sequenceOid());
      }
    }
    for (SequenceDef sequence : ddl.lockOwned(edit.oid)) {
      if (!newSequences.contains(sequence.oid())) {
        ddl.session.put(sequence.withOwner(edit.oid, now[sequence.ownerColumn()]));
      }
    }
    for (ForeignKeyDef key : List.copyOf(ddl.view().table(edit.oid).referencedBy())) {
      if (key.tableOid() == edit.oid) {
        continue;
      }
      ddl.transaction().lockTable(key.tableOid(), TableLockMode.ACCESS_EXCLUSIVE);
      TableDef referring = ddl.view().table(key.tableOid());
      if (referring == null) {
        continue; // dropped while we waited for the lock
      }
      int[] referenced = key.referencedColumns().clone();
      for (int i = 0; i < referenced.length; i++) {
        referenced[i] = now[referenced[i]];
      }
      TableEdit child = new TableEdit(referring);
      child.foreignKeys.replaceAll(
          other ->
              other.oid() == key.oid() ? other.withColumns(other.columns(), referenced) : other);
      ddl.session.put(child.build());
    }
  }

  private int[] notNullPositions() {
    List<Integer> positions = new ArrayList<>();
    for (int i = 0; i < edit.columns.size(); i++) {
      if (newNotNull.contains(edit.columns.get(i).number())) {
        positions.add(i);
      }
    }
    return positions.stream().mapToInt(Integer::intValue).toArray();
  }

  private int[] checkPositions() {
    List<Integer> positions = new ArrayList<>();
    for (int i = 0; i < edit.checks.size(); i++) {
      if (newChecks.contains(edit.checks.get(i).oid())) {
        positions.add(i);
      }
    }
    return positions.stream().mapToInt(Integer::intValue).toArray();
  }

  private void foreignKeys() {
    for (ConstraintSpec spec : newForeignKeys) {
      TableEdit now = new TableEdit(ddl.view().table(edit.oid));
      ForeignKeyDef key = new ForeignKeyDefiner(ddl).add(edit.oid, spec, Constraints.names(now));
      ForeignKeyCheck.validate(ddl.exec, ddl.session.open(edit.oid), key);
    }
    for (ForeignKeyDef key : recheckedForeignKeys()) {
      ForeignKeyCheck.validate(ddl.exec, ddl.session.open(key.tableOid()), key);
    }
  }

  /** Locks the tables of foreign keys whose columns changed, and compares the types. */
  private void checkForeignKeyTypes() {
    for (ForeignKeyDef key : recheckedForeignKeys()) {
      ddl.transaction().lockTable(key.tableOid(), TableLockMode.ACCESS_EXCLUSIVE);
      TableDef child = ddl.view().table(key.tableOid());
      TableDef parent = ddl.view().table(key.referencedTableOid());
      ForeignKeyDefiner.checkTypes(
          child, key.columns(), parent, key.referencedColumns(), key.name());
    }
  }

  private Set<ForeignKeyDef> recheckedForeignKeys() {
    TableDef now = ddl.view().table(edit.oid);
    Set<ForeignKeyDef> keys = new HashSet<>(now.foreignKeys());
    keys.addAll(now.referencedBy());
    keys.removeIf(key -> !recheckedForeignKeys.contains(key.oid()));
    return keys;
  }
}
