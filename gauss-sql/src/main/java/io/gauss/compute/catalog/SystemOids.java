package io.gauss.compute.catalog;

/**
 * Oids of objects that have none of their own in the catalog: a primary key's oid, for example, is
 * derived from its table's. The high bits distinguish them from others.
 */
public final class SystemOids {
  private static final int COMMENT = 0x2000_0000;
  private static final int ACCESS = 0x3000_0000;
  private static final int PRIMARY_KEY_INDEX = 0x4000_0000;
  private static final int PRIMARY_KEY_CONSTRAINT = 0x5000_0000;
  private static final int UNIQUE_CONSTRAINT = 0x6000_0000;
  private static final int KIND = 0x7000_0000;

  public static final int OWNER = 10;
  public static final int DATABASE = 16_383;
  public static final int HEAP = 2;
  public static final int BTREE = 403;
  public static final int DEFAULT_COLLATION = 100;
  public static final int C_COLLATION = 950;
  public static final int PG_TYPE = 1247;
  public static final int PG_CLASS = 1259;
  public static final int PG_AUTHID = 1260;
  public static final int PG_DATABASE = 1262;
  public static final int PG_CONSTRAINT = 2606;
  public static final int PG_NAMESPACE = 2615;

  private SystemOids() {}

  /** The catalog row with the owner and privileges of an object. */
  public static int access(int objectOid) {
    return ACCESS | objectOid;
  }

  /** The catalog row that has the comments on an object. */
  public static int comment(int objectOid) {
    return COMMENT | objectOid;
  }

  /** Index of a table's primary key. */
  public static int primaryKeyIndex(int tableOid) {
    return PRIMARY_KEY_INDEX | tableOid;
  }

  public static int primaryKeyConstraint(int tableOid) {
    return PRIMARY_KEY_CONSTRAINT | tableOid;
  }

  public static int uniqueConstraint(int indexOid) {
    return UNIQUE_CONSTRAINT | indexOid;
  }

  public static boolean isPrimaryKeyIndex(int oid) {
    return (oid & KIND) == PRIMARY_KEY_INDEX;
  }

  public static boolean isPrimaryKeyConstraint(int oid) {
    return (oid & KIND) == PRIMARY_KEY_CONSTRAINT;
  }

  public static boolean isUniqueConstraint(int oid) {
    return (oid & KIND) == UNIQUE_CONSTRAINT;
  }

  /** The table or index from which an oid was derived. */
  public static int plain(int oid) {
    return oid & ~KIND;
  }
}
