package io.gauss.compute.sql.plan;

import io.gauss.compute.sql.copy.CopyOptions;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.plan.cost.Estimate;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.type.PgType;
import java.util.List;
import java.util.Map;

/**
 * A planned statement: immutable, shared by all sessions that run it with any parameters, valid for
 * one schema version.
 */
public final class PreparedPlan {
  private final Kind kind;
  private final PgType[] parameterTypes;
  private final int parameterSlots;
  private final List<ResultColumn> columns;
  private final Tree tree;
  private final Use use;
  private final Copy copy;
  private final int target;

  /** The kind of statement. */
  enum Kind {
    SELECT,
    INSERT,
    UPDATE,
    DELETE,
    EXPLAIN,
    COPY_FROM;

    String words() {
      return this == COPY_FROM ? "COPY FROM" : name();
    }
  }

  /**
   * COPY's additions to the plan of its query or table.
   *
   * @param tableOid 0 when a query is copied
   * @param columns that are copied, with their types
   */
  public record Copy(boolean from, int tableOid, CopyOptions options, List<ResultColumn> columns) {}

  /** A table and the lock that the statement needs on it. */
  public record TableUse(int tableOid, TableLockMode mode) {}

  /** The nodes of a plan, with the planner's estimates and notes of them. */
  record Tree(
      PlanNode root, Map<PlanNode, Estimate> estimates, Map<PlanNode, Planning.Notes> notes) {}

  /**
   * A plan's use of tables.
   *
   * @param tables to be locked, each once, in order of oid
   * @param isWrite whether it changes rows or locks them
   * @param refusedReadOnly name of the command for the error of a read-only transaction; null = the
   *     transaction may run it
   * @param isShort whether it touches only few rows by key
   * @param catalogVersion that it was planned with
   * @param searchPath in which it found names
   */
  record Use(
      List<TableUse> tables,
      boolean isWrite,
      String refusedReadOnly,
      boolean isShort,
      long catalogVersion,
      List<String> searchPath,
      PlanAccess access) {
    Use {
      tables = List.copyOf(tables);
    }

    /** The same for a statement that does more than its plan shows. */
    Use asLong(boolean write) {
      return new Use(
          tables, write, write ? refusedReadOnly : null, false, catalogVersion, searchPath, access);
    }
  }

  /**
   * @param parameterSlots length of the parameter array that an execution needs
   * @param copy null unless the statement is COPY
   */
  PreparedPlan(
      Kind kind,
      PgType[] parameterTypes,
      int parameterSlots,
      List<ResultColumn> columns,
      Tree tree,
      Use use,
      Copy copy) {
    this.kind = kind;
    this.parameterTypes = parameterTypes;
    this.parameterSlots = parameterSlots;
    this.columns = List.copyOf(columns);
    this.tree = tree;
    this.use = use;
    this.copy = copy;
    this.target = PlanTables.target(tree.root());
  }

  /** The same plan for COPY: its rows are not a result. */
  PreparedPlan copying(Copy copying) {
    return new PreparedPlan(
        kind, parameterTypes, parameterSlots, List.of(), tree, use.asLong(use.isWrite()), copying);
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
    return tree.root();
  }

  /** SELECT, INSERT, UPDATE, DELETE, EXPLAIN or COPY FROM. */
  public String kind() {
    return kind.words();
  }

  Kind statementKind() {
    return kind;
  }

  /** The tag of CommandComplete after a number of rows. */
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
    return use.isWrite();
  }

  /**
   * Name of the command for the error of a read-only transaction, which may change temporary tables
   * only; null when it may run the plan.
   */
  public String refusedReadOnly() {
    return use.refusedReadOnly();
  }

  /**
   * Whether it touches only few rows by key, so that an event loop may run it and it hardly ever
   * has to wait.
   */
  public boolean mayRunOnEventLoop() {
    return use.isShort();
  }

  /** The schema version with which it was planned. */
  public long catalogVersion() {
    return use.catalogVersion();
  }

  /** The schemas in which it found names, as in its key. */
  public List<String> searchPath() {
    return use.searchPath();
  }

  /** The role for which it was planned, as in its key. */
  public int role() {
    return use.access().role();
  }

  Use use() {
    return use;
  }

  PlanAccess access() {
    return use.access();
  }

  /**
   * @throws io.gauss.common.error.GaussException 42501 when the role may not run it
   */
  public void checkAllowed() {
    use.access().check();
  }

  /** Oid of the table that the statement writes to; 0 when it writes to none. */
  public int target() {
    return target;
  }

  /** Tables to lock before it runs, each once, in order of oid. */
  public List<TableUse> tables() {
    return use.tables();
  }

  Map<PlanNode, Estimate> estimates() {
    return tree.estimates();
  }

  Map<PlanNode, Planning.Notes> notes() {
    return tree.notes();
  }
}
