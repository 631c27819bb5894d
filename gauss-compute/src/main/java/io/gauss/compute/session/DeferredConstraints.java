package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.Access;
import io.gauss.compute.catalog.CatalogSnapshot;
import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.Deferral;
import io.gauss.compute.catalog.TableDef.ForeignKeyDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.ddl.TemporarySchemas;
import io.gauss.compute.sql.exec.deferred.PendingChecks;
import io.gauss.compute.sql.exec.dml.DeferredChecks;
import io.gauss.compute.sql.parse.PgStatement;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.wait.WouldBlockException;
import java.util.ArrayList;
import java.util.List;

/**
 * SET CONSTRAINTS, and the checks that a transaction has put off to its end. Belongs to the
 * session.
 */
final class DeferredConstraints implements PendingChecks.Owner {
  private final SessionState state;
  private final PendingChecks pending;

  DeferredConstraints(SessionState state) {
    this.state = state;
    this.pending = state.exec().pending;
    pending.owner(this);
  }

  /**
   * The commit of an implicit transaction follows, and its checks may wait: so the statement runs
   * where it may, and its answer is not complete before the commit.
   */
  @Override
  public void adding() {
    if (state.control().state() == TransactionControl.State.IMPLICIT) {
      goWhereChecksMayWait();
    }
  }

  @Override
  public void resize(long before, long now) {
    state.memory().resize(before, now);
  }

  /** Whether a commit has anything to check. */
  boolean isPending() {
    return !pending.isEmpty();
  }

  private void goWhereChecksMayWait() {
    if (!state.context().waits().mayBlock()) {
      throw WouldBlockException.INSTANCE;
    }
  }

  /**
   * Checks what is pending, before the transaction commits. May wait.
   *
   * @throws GaussException 23503 or 23505 when a constraint is violated, and others: then the
   *     caller rolls back
   */
  void checkAll() {
    goWhereChecksMayWait();
    state.transaction().startStatement();
    try {
      pending.checkAll(new DeferredChecks(state.exec()));
    } finally {
      state.transaction().endStatement();
    }
  }

  /**
   * SET CONSTRAINTS, in an open transaction.
   *
   * @throws GaussException 42704 when there is no constraint of a name, 42809 when one cannot be
   *     deferred, 3F000 and 42501 for schemas; 23503 and 23505 when one that is immediate now is
   *     violated
   */
  void set(PgStatement.SetConstraints set) {
    goWhereChecksMayWait();
    if (set.names().isEmpty()) {
      pending.setAll(set.deferred());
    } else {
      state.catalog().freshenSurely();
      List<Integer> constraints = new ArrayList<>();
      set.names().forEach(name -> addDeferrable(name, set.deferred(), constraints));
      pending.set(constraints, set.deferred());
    }
    if (!set.deferred() && isPending()) {
      state.transaction().startStatement();
      try {
        pending.checkImmediate(new DeferredChecks(state.exec()));
      } finally {
        state.transaction().endStatement();
      }
      state.control().checkedConstraints();
    }
  }

  /** Adds the constraints of a name in the first schema that has any. */
  private void addDeferrable(Name name, boolean deferred, List<Integer> constraints) {
    CatalogSnapshot view = state.catalog().view();
    for (String schema : schemas(view, name)) {
      boolean found = false;
      for (TableDef table : view.tables()) {
        if (!table.schema().equals(schema)) {
          continue;
        }
        if (hasNotDeferrable(table, name.name())) {
          found = true;
          if (deferred) {
            throw new GaussException(
                SqlState.WRONG_OBJECT_TYPE,
                "constraint \"%s\" is not deferrable".formatted(name.name()));
          }
        }
        found |= addDeferrable(table, name.name(), constraints);
      }
      if (found) {
        return;
      }
    }
    throw new GaussException(
        SqlState.UNDEFINED_OBJECT, "constraint \"%s\" does not exist".formatted(name.name()));
  }

  private static boolean hasNotDeferrable(TableDef table, String name) {
    return name.equals(table.primaryKeyName())
        || table.checks().stream().anyMatch(check -> check.name().equals(name))
        || table.foreignKeys().stream()
            .anyMatch(key -> key.name().equals(name) && !key.deferral().isDeferrable())
        || table.indexes().stream().anyMatch(i -> i.unique() && isConstraint(i, name));
  }

  private static boolean isConstraint(IndexDef index, String name) {
    return index.constraint() && index.name().equals(name);
  }

  private static boolean addDeferrable(TableDef table, String name, List<Integer> constraints) {
    boolean found = false;
    for (ForeignKeyDef key : table.foreignKeys()) {
      if (key.name().equals(name) && key.deferral() != Deferral.NOT_DEFERRABLE) {
        constraints.add(key.oid());
        found = true;
      }
    }
    for (IndexDef index : table.indexes()) {
      if (isConstraint(index, name) && index.deferral() != Deferral.NOT_DEFERRABLE) {
        constraints.add(index.oid());
        found = true;
      }
    }
    return found;
  }

  private List<String> schemas(CatalogSnapshot view, Name name) {
    if (name.schema() == null) {
      return state.searchPath();
    }
    if (name.schema().equals(TemporarySchemas.ALIAS) && state.temporarySchemaOrNull() != null) {
      return List.of(state.temporarySchemaOrNull());
    }
    if (!view.schemaExists(name.schema())) {
      throw new GaussException(
          SqlState.INVALID_SCHEMA_NAME, "schema \"%s\" does not exist".formatted(name.schema()));
    }
    new Access(view)
        .requireSchema(state.roles().identity().current(), name.schema(), Privilege.USAGE);
    return List.of(name.schema());
  }
}
