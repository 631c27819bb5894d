package io.gauss.compute.sql.bind;

import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.catalog.SchemaDef;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.sql.parse.PgLocking;

/**
 * What a read-only transaction refuses in a statement: every use of a table beyond reading it,
 * unless the table is temporary. As in PostgreSQL the privileges that the statement needs decide,
 * so FOR UPDATE counts, and so does a table that the plan would turn out not to touch.
 */
public final class PermanentChanges {
  private boolean found;
  private PgLocking.Strength locking;

  PermanentChanges() {}

  void use(TableDef table, Privilege privilege) {
    found |= privilege != Privilege.SELECT && !SchemaDef.isTemporary(table.schema());
  }

  /** A clause such as FOR UPDATE; the first gives the command its name. */
  void lock(PgLocking.Strength strength) {
    if (locking == null) {
      locking = strength;
    }
  }

  /**
   * The command's name for the message of 25006.
   *
   * @param kind of the statement
   * @return null when a read-only transaction may run it
   */
  public String refused(String kind) {
    if (!found) {
      return null;
    }
    return kind.equals("SELECT") && locking != null
        ? "SELECT FOR " + locking.name().replace('_', ' ')
        : kind;
  }
}
