package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.ForeignKeyDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.sql.parse.PgStatement.DropBehavior;
import io.gauss.compute.sql.parse.PgStatement.DropTable;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.sql.parse.PgStatement.Truncate;
import io.gauss.compute.txn.TableLockMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * DROP TABLE and TRUNCATE. TRUNCATE creates new trees; the old trees are dropped when the
 * transaction has committed.
 */
final class TableDropper {
  private final DdlContext ddl;

  TableDropper(DdlContext ddl) {
    this.ddl = ddl;
  }

  void drop(DropTable statement) {
    Map<Integer, TableDef> tables = new LinkedHashMap<>();
    for (Name name : statement.names()) {
      TableDef table = ddl.findTable(name, TableLockMode.ACCESS_EXCLUSIVE);
      if (table == null) {
        missing(name, statement.ifExists());
        continue;
      }
      tables.put(table.oid(), table);
    }
    for (TableDef table : tables.values()) {
      for (ForeignKeyDef key : table.referencedBy()) {
        if (!tables.containsKey(key.tableOid())) {
          dropForeignKey(table, key, statement.behavior());
        }
      }
    }
    if (!tables.isEmpty()) {
      new ViewDependents(ddl).drop(tables.keySet(), statement.behavior());
    }
    for (TableDef table : tables.values()) {
      remove(table);
    }
  }

  private void missing(Name name, boolean ifExists) {
    if (ddl.isRelation(name)) {
      throw DdlContext.notATable(name)
          .hint(
              ddl.isView(name)
                  ? "Use DROP VIEW to remove a view."
                  : ddl.sequence(name) != null
                      ? "Use DROP SEQUENCE to remove a sequence."
                      : "Use DROP INDEX to remove an index.");
    }
    if (!ifExists) {
      throw new GaussException(
          SqlState.UNDEFINED_TABLE, "table \"%s\" does not exist".formatted(name));
    }
    ddl.notice("table \"%s\" does not exist, skipping".formatted(name.name()));
  }

  private void dropForeignKey(TableDef parent, ForeignKeyDef key, DropBehavior behavior) {
    TableDef child = child(key);
    if (child == null) {
      return;
    }
    if (behavior != DropBehavior.CASCADE) {
      throw new GaussException(
              SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
              "cannot drop table %s because other objects depend on it".formatted(parent.name()))
          .detail(
              "constraint %s on table %s depends on table %s"
                  .formatted(key.name(), child.name(), parent.name()))
          .hint("Use DROP ... CASCADE to drop the dependent objects too.");
    }
    ddl.transaction().lockTable(child.oid(), TableLockMode.ACCESS_EXCLUSIVE);
    TableDef now = child(key);
    if (now == null) {
      return;
    }
    TableEdit edit = new TableEdit(now);
    edit.foreignKeys.removeIf(other -> other.oid() == key.oid());
    ddl.session.put(edit.build());
    ddl.notice("drop cascades to constraint %s on table %s".formatted(key.name(), child.name()));
  }

  /** The table of a foreign key; null when one of them was dropped while we waited for a lock. */
  private TableDef child(ForeignKeyDef key) {
    TableDef child = ddl.view().table(key.tableOid());
    boolean isThere =
        child != null && child.foreignKeys().stream().anyMatch(k -> k.oid() == key.oid());
    return isThere ? child : null;
  }

  private void remove(TableDef table) {
    ddl.requireUnused(table, "DROP TABLE");
    ddl.lockOwned(table.oid()).forEach(sequence -> ddl.session.remove(sequence.oid()));
    ddl.session.remove(table.oid());
    ddl.session.dropTree(table.space());
    table.indexes().forEach(index -> ddl.session.dropTree(index.space()));
  }

  void truncate(Truncate statement) {
    Map<Integer, TableDef> tables = new LinkedHashMap<>();
    List<TableDef> toVisit = new ArrayList<>();
    for (Name name : statement.names()) {
      TableDef table = ddl.table(name, TableLockMode.ACCESS_EXCLUSIVE, Privilege.TRUNCATE);
      ddl.requireUnused(table, "TRUNCATE");
      tables.put(table.oid(), table);
      toVisit.add(table);
    }
    while (!toVisit.isEmpty()) {
      TableDef table = toVisit.removeLast();
      for (ForeignKeyDef key : table.referencedBy()) {
        TableDef before = child(key);
        if (before == null || tables.containsKey(key.tableOid())) {
          continue;
        }
        if (statement.behavior() != DropBehavior.CASCADE) {
          throw new GaussException(
                  SqlState.FEATURE_NOT_SUPPORTED,
                  "cannot truncate a table referenced in a foreign key constraint")
              .detail("Table \"%s\" references \"%s\".".formatted(before.name(), table.name()))
              .hint(
                  "Truncate table \"%s\" at the same time, or use TRUNCATE ... CASCADE."
                      .formatted(before.name()));
        }
        ddl.transaction().lockTable(key.tableOid(), TableLockMode.ACCESS_EXCLUSIVE);
        TableDef child = child(key);
        if (child == null) {
          continue;
        }
        ddl.notice("truncate cascades to table \"%s\"".formatted(child.name()));
        ddl.session
            .access()
            .requireTable(ddl.session.identity().current(), child, Privilege.TRUNCATE);
        ddl.requireUnused(child, "TRUNCATE");
        tables.put(child.oid(), child);
        toVisit.add(child);
      }
    }
    List<SequenceDef> restarted =
        statement.restartIdentity()
            ? ddl.view().sequences().stream()
                .filter(sequence -> tables.containsKey(sequence.ownerTableOid()))
                .toList()
            : List.of();
    for (SequenceDef sequence : restarted) {
      ddl.requireOwner(sequence.oid(), "sequence", sequence.name());
    }
    tables.values().forEach(this::empty);
    restarted.forEach(this::restart);
  }

  private void empty(TableDef table) {
    TableEdit edit = new TableEdit(table);
    ddl.session.dropTree(edit.space);
    edit.space = ddl.session.createTree();
    for (int i = 0; i < edit.indexes.size(); i++) {
      IndexDef index = edit.indexes.get(i);
      ddl.session.dropTree(index.space());
      edit.indexes.set(i, index.withSpace(ddl.session.createTree()));
    }
    ddl.session.put(edit.build());
  }

  private void restart(SequenceDef sequence) {
    ddl.services().sequences().set(sequence, sequence.start(), false, ddl.transaction().context());
  }
}
