package io.gauss.compute.catalog;

/** A schema. */
public record SchemaDef(int oid, String name) implements CatalogObject {
  private static final String TEMPORARY_PREFIX = "pg_temp_";

  /**
   * Name of the schema for a session's temporary relations.
   *
   * @param session number of the session, which no other one has at the time
   */
  public static String temporary(int session) {
    return TEMPORARY_PREFIX + session;
  }

  public static boolean isTemporary(String schema) {
    return schema.startsWith(TEMPORARY_PREFIX);
  }
}
