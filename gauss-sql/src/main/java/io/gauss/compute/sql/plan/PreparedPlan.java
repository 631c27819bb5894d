package io.gauss.compute.sql.plan;

import io.gauss.compute.sql.copy.CopyOptions;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.type.PgType;
import java.util.List;
import java.util.Map;

/**
 * A planned statement: immutable, shared by all sessions that run it with any parameters, good for
 * one schema version.
 */
public final class PreparedPlan {
  private final Kind kind;
  private final PgType[] parameterTypes;
  private final List<ResultColumn> columns;
  private final int parameterSlots;
  private final PlanNode root;
  private final List<TableUse> tables;
  private final int target;
  private final boolean write;
  private final boolean short_;
  private final long catalogVersion;
  private final Map<PlanNode, Estimate> estimates;
  private final Map<PlanNode, Planning.Notes> notes;
  private final Copy copy;
  private final PlanAccess access;

  /** What kind of statement it is. */
  public enum Kind {
    SELECT,
    INSERT,
    UPDATE,
    DELETE,
    EXPLAIN,
    COPY_FROM
  }

  /**
   * What COPY adds to the plan of what it copies.
   *
   * @param tableOid 0 when a query is copied
   * @param columns that are copied, with their types
   */
  public record Copy(boolean from, int tableOid, CopyOptions options, List<ResultColumn> columns) {}

  /** A table and the lock that the statement needs on it. */
  public record TableUse(int tableOid, TableLockMode mode) {}

  PreparedPlan(
      Kind kind,
      PgType[] parameterTypes,
      List<ResultColumn> columns,
      int parameterSlots,
      PlanNode root,
      List<TableUse> tables,
      boolean write,
      boolean isShort,
      long catalogVersion,
      Map<PlanNode, Estimate> estimates,
      Map<PlanNode, Planning.Notes> notes,
      PlanAccess access) {
    this(
        kind,
        parameterTypes,
        columns,
        parameterSlots,
        root,
        tables,
        write,
        isShort,
        catalogVersion,
        estimates,
        notes,
        access,
        null);
  }

  private PreparedPlan(
      Kind kind,
      PgType[] parameterTypes,
      List<ResultColumn> columns,
      int parameterSlots,
      PlanNode root,
      List<TableUse> tables,
      boolean write,
      boolean isShort,
      long catalogVersion,
      Map<PlanNode, Estimate> estimates,
      Map<PlanNode, Planning.Notes> notes,
      PlanAccess access,
      Copy copy) {
    this.access = access;
    this.kind = kind;
    this.parameterTypes = parameterTypes;
    this.columns = List.copyOf(columns);
    this.parameterSlots = parameterSlots;
    this.root = root;
    this.tables = List.copyOf(tables);
    this.target = PlanTables.target(root);
    this.write = write;
    this.short_ = isShort;
    this.catalogVersion = catalogVersion;
    this.estimates = estimates;
    this.notes = notes;
    this.copy = copy;
  }

  /** The same plan as COPY's: its rows are no result. */
  PreparedPlan copying(Copy copying) {
    return new PreparedPlan(
        kind,
        parameterTypes,
        List.of(),
        parameterSlots,
        root,
        tables,
        write,
        false,
        catalogVersion,
        estimates,
        notes,
        access,
        copying);
  }

  /** Null unless the statement is COPY. */
  public Copy copy() {
    return copy;
  }

  /** Types of {@code $1..$n}; not to be changed. */
  public PgType[] parameterTypes() {
    return parameterTypes;
  }

  /** Whether clients get rows, which may have no columns: {@code SELECT FROM t}. */
  public boolean returnsRows() {
    return copy == null && (kind == Kind.SELECT || !columns.isEmpty());
  }

  /** Result columns; empty for DML without RETURNING. */
  public List<ResultColumn> columns() {
    return columns;
  }

  /**
   * Length of the parameter array that an execution needs: parameters first, then the plan's own
   * slots.
   */
  public int parameterSlots() {
    return parameterSlots;
  }

  public PlanNode root() {
    return root;
  }

  /** SELECT, INSERT, UPDATE, DELETE, EXPLAIN or COPY FROM. */
  public String kind() {
    return kind == Kind.COPY_FROM ? "COPY FROM" : kind.name();
  }

  Kind statementKind() {
    return kind;
  }

  /** What CommandComplete says after so many rows. */
  public String commandTag(long rows) {
    if (copy != null) {
      return "COPY " + rows;
    }
    return switch (kind) {
      case SELECT -> "SELECT " + rows;
      case INSERT -> "INSERT 0 " + rows;
      case UPDATE -> "UPDATE " + rows;
      case DELETE -> "DELETE " + rows;
      case EXPLAIN -> "EXPLAIN";
      case COPY_FROM -> "COPY " + rows;
    };
  }

  /** Whether it changes rows or locks them. */
  public boolean isWrite() {
    return write;
  }

  /**
   * Whether it touches only few rows by key, so that an event loop may run it and it hardly ever
   * has to wait.
   */
  public boolean mayRunOnEventLoop() {
    return short_;
  }

  /** Schema version that it was planned with. */
  public long catalogVersion() {
    return catalogVersion;
  }

  /** The role that it was planned for, as in its key. */
  public int role() {
    return access.role();
  }

  PlanAccess access() {
    return access;
  }

  /**
   * @throws io.gauss.common.error.GaussException 42501 when the role may not run it
   */
  public void checkAllowed() {
    access.check();
  }

  /** Oid of the table that the statement writes to; 0 when it writes to none. */
  public int target() {
    return target;
  }

  /** Tables to lock before it runs, each once, in order of oid. */
  public List<TableUse> tables() {
    return tables;
  }

  Map<PlanNode, Estimate> estimates() {
    return estimates;
  }

  Map<PlanNode, Planning.Notes> notes() {
    return notes;
  }
}
