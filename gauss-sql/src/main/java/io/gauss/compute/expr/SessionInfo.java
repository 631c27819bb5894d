package io.gauss.compute.expr;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;

/**
 * Results of session functions such as {@code current_user}. Implemented by the session; calls do
 * not wait.
 */
public interface SessionInfo {
  /** For use outside a session: answers calls that do not need one, and rejects the others. */
  SessionInfo NONE = new SessionInfo() {};

  default String currentUser() {
    return "gauss";
  }

  default String sessionUser() {
    return currentUser();
  }

  default String currentDatabase() {
    return "gauss";
  }

  /** First existing schema of the search path; null when there is none. */
  default String currentSchema() {
    return "public";
  }

  /** Text of {@code version()}; it starts like PostgreSQL's, since drivers parse it. */
  default String version() {
    return "PostgreSQL 15.0 (Gauss 0.1)";
  }

  default int backendPid() {
    return 0;
  }

  /**
   * {@code pg_cancel_backend}: cancels the statement of a session on any compute node. May wait for
   * the node.
   *
   * @return false when there is no such session
   */
  default boolean cancelBackend(int pid) {
    throw new GaussException(SqlState.FEATURE_NOT_SUPPORTED, "pg_cancel_backend needs a session");
  }

  /**
   * {@code pg_terminate_backend}: ends a session on any compute node. May wait for the node.
   *
   * @param waitMillis how long to wait for its end; 0 = not at all
   * @return false when there is no such session, or it has not ended by then
   */
  default boolean terminateBackend(int pid, long waitMillis) {
    throw new GaussException(
        SqlState.FEATURE_NOT_SUPPORTED, "pg_terminate_backend needs a session");
  }

  /** A setting as SHOW prints it, null when there is no such setting. */
  default String setting(String name) {
    return null;
  }

  /** {@code set_config}: returns the new value. */
  default String setSetting(String name, String value, boolean local) {
    throw new GaussException(SqlState.FEATURE_NOT_SUPPORTED, "set_config needs a session");
  }

  /**
   * Oid of a relation by text as {@code 'schema.name'::regclass} gives it; 0 when there is none, or
   * no such schema.
   */
  default int relationOid(String text) {
    return 0;
  }

  /** Name of a relation as regclass prints it; null when there is none. */
  default String relationName(int oid) {
    return null;
  }

  /**
   * Schemas of the search path that exist and may be used, for {@code current_schemas}.
   *
   * @param implicit with those that come before the path unless it names them
   */
  default java.util.List<String> searchPath(boolean implicit) {
    return implicit ? java.util.List.of("pg_catalog", "public") : java.util.List.of("public");
  }

  /** Oid of a schema; 0 when there is none. */
  default int schemaOid(String name) {
    return 0;
  }

  /** Name of a schema; null when there is none. */
  default String schemaName(int oid) {
    return null;
  }

  /**
   * Oid of a type of CREATE TYPE; 0 when there is none.
   *
   * @param schema null = along the search path
   * @param array finds the array type over it
   */
  default int typeOid(String schema, String name, boolean array) {
    return 0;
  }

  /**
   * Name of a type of CREATE TYPE as regtype prints it: with its schema unless it is found without;
   * null when there is none.
   */
  default String typeName(int oid) {
    return null;
  }

  /** Whether a type is found by its name alone. */
  default boolean isTypeVisible(int oid) {
    return true;
  }

  /** Oid of a role; 0 when there is none. */
  default int roleOid(String name) {
    return 0;
  }

  /**
   * {@code pg_get_serial_sequence}: the sequence of a serial or identity column, with its schema
   * and in quotes where they are needed; null when the column has none.
   *
   * @param table as {@link #relationOid} takes it
   * @throws GaussException 42P01, 42703 and others when there is no such column
   */
  default String serialSequence(String table, String column) {
    throw new GaussException(
        SqlState.FEATURE_NOT_SUPPORTED, "pg_get_serial_sequence needs a session");
  }

  /** Whether a relation is found by its name alone. */
  default boolean isRelationVisible(int oid) {
    return false;
  }

  /**
   * {@code pg_get_indexdef}: the statement that creates an index, or one of its columns; null when
   * there is none.
   *
   * @param pretty leaves out the schema of a visible table, and parentheses
   */
  default String indexDefinition(int oid, int column, boolean pretty) {
    return null;
  }

  /** Text of a view's query; null when there is no such view. */
  default String viewDefinition(int oid) {
    return null;
  }

  /** {@code pg_get_constraintdef}; null when there is none. */
  default String constraintDefinition(int oid) {
    return null;
  }

  /**
   * A comment; null when there is none.
   *
   * @param catalog catalog that the object is in, such as {@code pg_class}; null = any
   * @param attribute attnum of a column, 0 for others
   */
  default String comment(String catalog, int oid, int attribute) {
    return null;
  }

  /**
   * {@code gauss_txn_status}: committed, aborted, in progress or unknown. Waits, unlike the others,
   * for a rollback in the background.
   */
  default String transactionStatus(long xid) {
    throw new GaussException(SqlState.FEATURE_NOT_SUPPORTED, "gauss_txn_status needs a session");
  }

  /** {@code gauss_current_xid}: the transaction's xid, which it gets now if it has none yet. */
  default long currentXid() {
    throw new GaussException(SqlState.FEATURE_NOT_SUPPORTED, "gauss_current_xid needs a session");
  }

  /**
   * {@code gauss_key_owners}: ranges of a column's values around one, and the node that has the
   * rows of each.
   *
   * @param table name, as {@code 'schema.name'::regclass} takes it
   * @return null when the column's values do not tell where rows are
   */
  default String keyOwners(String table, String column, String value) {
    throw new GaussException(SqlState.FEATURE_NOT_SUPPORTED, "gauss_key_owners needs a session");
  }

  /**
   * {@code pg_sleep}: waits, and ends early when the session is interrupted.
   *
   * @param nanos at most this long
   */
  default void sleep(long nanos) {
    throw new GaussException(SqlState.FEATURE_NOT_SUPPORTED, "pg_sleep needs a session");
  }

  /** Approximate bytes that the relations of the database take. */
  default long databaseBytes() {
    return 0;
  }

  /** Name of a role; null when there is none. */
  default String roleName(int oid) {
    return null;
  }

  /**
   * {@code has_table_privilege} and similar functions.
   *
   * @param kind table, any_column, sequence, schema, database or function
   * @param role name or oid of a role; null = the current one
   * @param object name or oid; of a function its oid
   * @param privileges names of privileges separated by commas; any of them is enough
   * @return null when no object has the oid
   */
  default Boolean hasPrivilege(String kind, Object role, Object object, String privileges) {
    throw new GaussException(SqlState.FEATURE_NOT_SUPPORTED, "privileges need a session");
  }

  /** {@code pg_has_role} for the privileges MEMBER and USAGE. */
  default boolean hasRole(Object role, Object of, String privilege) {
    throw new GaussException(SqlState.FEATURE_NOT_SUPPORTED, "privileges need a session");
  }

  /** Approximate bytes that a relation takes; -1 when there is no such relation. */
  default long relationBytes(int oid) {
    return -1;
  }
}
