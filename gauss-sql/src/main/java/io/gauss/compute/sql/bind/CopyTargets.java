package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.SystemTables;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.sql.parse.PgStatement;
import java.util.List;

/** Checks what COPY may copy, and where to. */
public final class CopyTargets {
  private CopyTargets() {}

  /**
   * Refuses the server's files and programs: the server's user may have more rights than the
   * client's.
   *
   * @throws GaussException 42501
   */
  public static void checkPlace(PgStatement.Copy copy) {
    if (copy.program()) {
      throw refused(
          "must be superuser or have privileges of the pg_execute_server_program role to COPY to"
              + " or from an external program");
    }
    if (copy.target() != null) {
      throw refused(
          copy.from()
              ? "must be superuser or have privileges of the pg_read_server_files role to COPY"
                  + " from a file"
              : "must be superuser or have privileges of the pg_write_server_files role to COPY to"
                  + " a file");
    }
  }

  private static GaussException refused(String message) {
    return new GaussException(SqlState.INSUFFICIENT_PRIVILEGE, message)
        .hint(
            "Anyone can COPY to stdout or from stdin. psql's \\copy command also works for"
                + " anyone.");
  }

  /**
   * The table that is copied; null when it is a query.
   *
   * @throws GaussException 42P01 when there is none, 42809 when it is something else, 42501 for
   *     COPY FROM into a system table
   */
  public static TableDef table(
      PgStatement.Copy copy, List<String> searchPath, CatalogView catalog) {
    if (copy.table() == null) {
      return null;
    }
    String schema = copy.table().schema();
    String name = copy.table().name();
    if (catalog.view(searchPath, schema, name) != null) {
      throw new GaussException(
              SqlState.WRONG_OBJECT_TYPE,
              "cannot copy %s view \"%s\"".formatted(copy.from() ? "to" : "from", name))
          .hint(
              copy.from()
                  ? "To enable copying to a view, provide an INSTEAD OF INSERT trigger."
                  : "Try the COPY (SELECT ...) TO variant.");
    }
    TableDef table = catalog.table(searchPath, schema, name);
    if (table == null) {
      SequenceDef sequence = catalog.sequence(searchPath, schema, name);
      if (sequence != null) {
        throw new GaussException(
            SqlState.WRONG_OBJECT_TYPE,
            "cannot copy %s sequence \"%s\"".formatted(copy.from() ? "to" : "from", name));
      }
      if (schema != null && !catalog.schemaExists(schema)) {
        throw new GaussException(
            SqlState.INVALID_SCHEMA_NAME, "schema \"%s\" does not exist".formatted(schema));
      }
      throw new GaussException(
          SqlState.UNDEFINED_TABLE,
          "relation \"%s\" does not exist".formatted(schema == null ? name : schema + "." + name));
    }
    if (copy.from() && SystemTables.isSystem(table)) {
      throw new GaussException(
          SqlState.INSUFFICIENT_PRIVILEGE, "permission denied for table " + table.name());
    }
    return table;
  }
}
