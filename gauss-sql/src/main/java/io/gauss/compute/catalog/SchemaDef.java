package io.gauss.compute.catalog;

import java.util.Set;

/** A schema. */
public record SchemaDef(int oid, String name) implements CatalogObject {
  private static final Set<String> SYSTEM = Set.of("pg_catalog", "information_schema", "gauss");
  private static final String TEMPORARY_PREFIX = "pg_temp_";

  /** The slot whose number is left out of names, since it is that of a single node. */
  private static final int FIRST_SLOT = 1;

  /**
   * Name of the schema for a session's temporary relations: {@code pg_temp_5}, and {@code
   * pg_temp_2_5} on the node of slot 2.
   *
   * @param slot of the session's node
   * @param session number of the session, unique among the current sessions of the node
   */
  public static String temporary(int slot, int session) {
    return TEMPORARY_PREFIX + (slot == FIRST_SLOT ? "" : slot + "_") + session;
  }

  /** The slot of the node that has a schema for temporary relations. */
  public static int temporarySlot(String schema) {
    String rest = schema.substring(TEMPORARY_PREFIX.length());
    int end = rest.indexOf('_');
    return end < 0 ? FIRST_SLOT : Integer.parseInt(rest, 0, end, 10);
  }

  public static boolean isTemporary(String schema) {
    return schema.startsWith(TEMPORARY_PREFIX);
  }

  /** Whether it has views of the system, in which nothing can be made. */
  public static boolean isSystem(String schema) {
    return SYSTEM.contains(schema);
  }
}
