package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.Deferral;
import io.gauss.compute.catalog.TableDef.ForeignKeyDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.expr.Volatility;
import io.gauss.compute.sql.exec.build.IndexBuild;
import io.gauss.compute.sql.parse.PgStatement.CreateIndex;
import io.gauss.compute.sql.parse.PgStatement.DropIndex;
import io.gauss.compute.sql.parse.PgStatement.IndexElement;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.txn.TableLockMode;
import java.util.List;
import java.util.Set;

/** CREATE INDEX and DROP INDEX. */
final class IndexDefiner {
  private static final int MAX_COLUMNS = 32;

  private final DdlContext ddl;

  IndexDefiner(DdlContext ddl) {
    this.ddl = ddl;
  }

  void create(CreateIndex statement) {
    refuse(statement);
    TableDef table = ddl.table(statement.table(), TableLockMode.ACCESS_EXCLUSIVE);
    ddl.requireCreate(table.schema());
    ddl.requireUnused(table, "CREATE INDEX");
    List<IndexElement> elements = statement.elements();
    int count = elements.size();
    if (count + statement.include().size() > MAX_COLUMNS) {
      throw new GaussException(
          SqlState.TOO_MANY_COLUMNS,
          "cannot use more than %d columns in an index".formatted(MAX_COLUMNS));
    }
    IndexKeys.Keys keys = new IndexKeys(ddl).of(table, elements, statement.include());
    boolean[] descending = new boolean[count];
    boolean[] nullsFirst = new boolean[count];
    for (int i = 0; i < count; i++) {
      IndexElement element = elements.get(i);
      descending[i] = element.descending();
      nullsFirst[i] = element.nullsFirst() == null ? element.descending() : element.nullsFirst();
    }
    String name = statement.name();
    if (name == null) {
      String base = IndexNaming.baseName(table.name(), keys.names());
      name = ddl.freeName(table.schema(), base, "idx", Set.of());
    }
    ddl.lockName(table.schema(), name);
    if (statement.ifNotExists() && ddl.view().relationExists(table.schema(), name)) {
      ddl.notice("relation \"%s\" already exists, skipping".formatted(name));
      return;
    }
    ddl.checkFree(table.schema(), name);
    String predicate = ddl.stored(statement.whereSql());
    if (predicate != null) {
      checkPredicate(table, predicate);
    }
    add(
        table,
        new IndexDef(
            ddl.newOid(),
            name,
            ddl.session.createTree(),
            keys.columns(),
            keys.expressions(),
            keys.included(),
            descending,
            nullsFirst,
            statement.unique(),
            false,
            Deferral.NOT_DEFERRABLE,
            predicate));
  }

  private void checkPredicate(TableDef table, String sql) {
    Expr condition = ddl.services().expressions().predicate(table, sql, ddl.view());
    if (condition.volatility() != Volatility.IMMUTABLE) {
      throw new GaussException(
          SqlState.INVALID_OBJECT_DEFINITION,
          "functions in index predicate must be marked IMMUTABLE");
    }
  }

  private static void refuse(CreateIndex statement) {
    if (statement.method() != null && !statement.method().equals("btree")) {
      throw GaussException.notSupported("index method " + statement.method());
    }
    if (statement.nullsNotDistinct()) {
      throw GaussException.notSupported("NULLS NOT DISTINCT");
    }
    if (statement.concurrently()) {
      throw GaussException.notSupported("CREATE INDEX CONCURRENTLY");
    }
    if (statement.tablespace() != null) {
      throw GaussException.notSupported("a tablespace");
    }
    StorageParameters.check(statement.options());
    for (IndexElement element : statement.elements()) {
      if (element.collation() != null && !element.collation().equals("C")) {
        throw GaussException.notSupported("collation " + element.collation());
      }
    }
  }

  static String baseName(TableDef table, int[] columns) {
    StringBuilder base = new StringBuilder(table.name());
    for (int column : columns) {
      base.append('_').append(table.columns().get(column).name());
    }
    return base.toString();
  }

  /** Adds an index to a table and fills it from the rows. The table is locked. */
  TableDef add(TableDef table, IndexDef index) {
    TableEdit edit = new TableEdit(table);
    edit.indexes.add(index);
    TableDef changed = edit.build();
    ddl.session.put(changed);
    IndexBuild.build(ddl.exec, ddl.session.open(table.oid()), changed.indexes().size() - 1);
    return ddl.view().table(table.oid());
  }

  void drop(DropIndex statement) {
    if (statement.concurrently()) {
      throw GaussException.notSupported("DROP INDEX CONCURRENTLY");
    }
    for (Name name : statement.names()) {
      TableDef found = ddl.view().tableOfIndex(ddl.searchPath(), name.schema(), name.name());
      if (found == null) {
        if (!statement.ifExists()) {
          throw new GaussException(
              SqlState.UNDEFINED_OBJECT, "index \"%s\" does not exist".formatted(name));
        }
        ddl.notice("index \"%s\" does not exist, skipping".formatted(name.name()));
        continue;
      }
      ddl.requireOwner(found.oid(), "index", name.name());
      ddl.transaction().lockTable(found.oid(), TableLockMode.ACCESS_EXCLUSIVE);
      TableDef table = ddl.view().table(found.oid());
      IndexDef index = table == null ? null : find(table.indexes(), name.name());
      if (index == null || index.constraint()) {
        throw new GaussException(
                SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
                "cannot drop index %s because constraint %s on table %s requires it"
                    .formatted(name.name(), name.name(), found.name()))
            .hint(
                "You can drop constraint %s on table %s instead."
                    .formatted(name.name(), found.name()));
      }
      checkNotNeeded(table, index);
      drop(table, index);
    }
  }

  private static void checkNotNeeded(TableDef table, IndexDef index) {
    for (ForeignKeyDef key : table.referencedBy()) {
      if (key.referencedIndexOid() == index.oid()) {
        throw new GaussException(
                SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
                "cannot drop index %s because other objects depend on it".formatted(index.name()))
            .detail("constraint %s depends on index %s".formatted(key.name(), index.name()))
            .hint("Drop the constraint first.");
      }
    }
    for (ForeignKeyDef key : table.foreignKeys()) {
      if (key.supportingIndexOid() == index.oid()) {
        throw new GaussException(
                SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
                "cannot drop index %s because foreign key %s on table %s is checked by it"
                    .formatted(index.name(), key.name(), table.name()))
            .hint("Drop the constraint first.");
      }
    }
  }

  static IndexDef find(List<IndexDef> indexes, String name) {
    for (IndexDef index : indexes) {
      if (index.name().equals(name)) {
        return index;
      }
    }
    return null;
  }

  void drop(TableDef table, IndexDef index) {
    TableEdit edit = new TableEdit(table);
    edit.indexes.remove(index);
    ddl.session.put(edit.build());
    ddl.session.dropTree(index.space());
  }
}
