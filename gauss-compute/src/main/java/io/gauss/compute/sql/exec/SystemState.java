package io.gauss.compute.sql.exec;

import io.gauss.compute.catalog.CatalogSnapshot;
import java.util.List;

/**
 * What the rows of system tables are made of: the session's view of the node. Calls do not wait.
 */
public interface SystemState {
  /** The catalog with the transaction's own changes. */
  CatalogSnapshot catalog();

  /** All settings, in order of name. */
  List<Setting> settings();

  /** Sessions of the node, the own among them. */
  List<SessionRow> sessions();

  /**
   * @param kind bool, integer, string or enum
   * @param unit null for none
   */
  record Setting(
      String name,
      String value,
      String unit,
      String description,
      String kind,
      String defaultValue) {}

  /**
   * @param client address and port, null when unknown
   * @param state active, idle, idle in transaction, ...; null when unknown
   */
  record SessionRow(
      int pid, String user, String application, String client, String state, String query) {}
}
