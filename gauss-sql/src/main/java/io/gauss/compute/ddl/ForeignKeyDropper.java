package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.ForeignKeyDef;
import io.gauss.compute.sql.parse.PgStatement.DropBehavior;
import io.gauss.compute.txn.TableLockMode;
import java.util.ArrayList;
import java.util.List;

/** Drops foreign keys whose referenced object is dropped. */
final class ForeignKeyDropper {
  private final DdlContext ddl;

  ForeignKeyDropper(DdlContext ddl) {
    this.ddl = ddl;
  }

  /**
   * Locks the tables of constraints and drops the constraints.
   *
   * @param dropped the dropped object, as messages name it
   * @param needed the object that the foreign keys depend on
   * @throws GaussException 2BP01 unless CASCADE was written
   */
  void drop(List<ForeignKeyDef> keys, String dropped, String needed, DropBehavior behavior) {
    List<String> dependent = new ArrayList<>();
    for (ForeignKeyDef key : keys) {
      TableDef child = ddl.view().table(key.tableOid());
      dependent.add(
          "constraint %s on table %s"
              .formatted(key.name(), ddl.shown(child.schema(), child.name())));
    }
    if (behavior != DropBehavior.CASCADE) {
      List<String> lines = dependent.stream().map(d -> d + " depends on " + needed).toList();
      throw new GaussException(
              SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
              "cannot drop %s because other objects depend on it".formatted(dropped))
          .detail(String.join("\n", lines))
          .hint("Use DROP ... CASCADE to drop the dependent objects too.");
    }
    for (ForeignKeyDef key : keys) {
      ddl.transaction().lockTable(key.tableOid(), TableLockMode.ACCESS_EXCLUSIVE);
      TableDef now = ddl.view().table(key.tableOid());
      if (now == null) {
        continue; // dropped while we waited for the lock
      }
      TableEdit child = new TableEdit(now);
      child.foreignKeys.removeIf(other -> other.oid() == key.oid());
      ddl.session.put(child.build());
    }
    ddl.noticeCascade(dependent);
  }
}
