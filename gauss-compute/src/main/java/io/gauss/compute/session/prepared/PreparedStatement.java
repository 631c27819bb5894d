package io.gauss.compute.session.prepared;

import io.gauss.compute.sql.exec.run.Execution;
import io.gauss.compute.sql.parse.ParsedStatement;
import io.gauss.compute.sql.parse.PgStatement;
import io.gauss.compute.sql.plan.PreparedPlan;
import io.gauss.compute.sql.plan.ResultColumn;
import io.gauss.compute.type.PgType;
import java.util.Arrays;
import java.util.List;

/**
 * A statement that a session has prepared: its text, its tree, its plan, which is replaced when the
 * schema changes, and the operators of its last execution, which the next one reuses. Belongs to
 * the session.
 */
public final class PreparedStatement {
  private static final PgType[] NO_PARAMETERS = new PgType[0];
  private static final int WEIGHT_MIN = 1024;
  private static final int WEIGHT_OF_CHARACTER = 8;

  public final ParsedStatement parsed;

  /** Of all parameters, as they were found when the statement was prepared. */
  private final int[] parameterOids;

  /** Types of a utility statement's parameters, which are those of the query in it. */
  private final PgType[] utilityParameters;

  /** Result columns of a utility statement that has any (SHOW, FETCH), else empty. */
  private List<ResultColumn> utilityColumns;

  private PreparedPlan plan;
  private Execution idle;
  private boolean isBySql;

  /**
   * @param givenOids types of parameters as the client gave them, 0 = not given
   * @param plan null for utility statements
   */
  public PreparedStatement(
      ParsedStatement parsed,
      int[] givenOids,
      PreparedPlan plan,
      List<ResultColumn> utilityColumns) {
    this(
        parsed,
        plan,
        plan == null ? givenOids : oids(plan.parameterTypes()),
        NO_PARAMETERS,
        utilityColumns);
  }

  private PreparedStatement(
      ParsedStatement parsed,
      PreparedPlan plan,
      int[] parameterOids,
      PgType[] utilityParameters,
      List<ResultColumn> utilityColumns) {
    this.parsed = parsed;
    this.plan = plan;
    this.parameterOids = parameterOids;
    this.utilityParameters = utilityParameters;
    this.utilityColumns = utilityColumns;
  }

  /**
   * A DECLARE, whose parameters are those of its query.
   *
   * @param query as it was prepared to find them
   */
  public static PreparedStatement declaring(ParsedStatement parsed, PreparedStatement query) {
    PgType[] types = query.parameterTypes();
    return new PreparedStatement(parsed, null, oids(types), types, List.of());
  }

  private static int[] oids(PgType[] types) {
    return Arrays.stream(types).mapToInt(PgType::oid).toArray();
  }

  public PgStatement tree() {
    return parsed.statement();
  }

  public String text() {
    return parsed.text();
  }

  /** Marks it as the statement inside a PREPARE; its text is that of the PREPARE. */
  public PreparedStatement bySql() {
    isBySql = true;
    return this;
  }

  /**
   * Oids of its parameters' types. They stay as they were found first, whatever becomes of the
   * tables: clients have been told them, and send values of them. Not to be changed.
   */
  public int[] parameterOids() {
    return parameterOids;
  }

  StatementDefinition definition() {
    return new StatementDefinition(text(), parameterOids, isBySql, columnsHash());
  }

  /** As in its {@link StatementDefinition}. */
  public long columnsHash() {
    long hash = 0;
    if (plan != null) {
      for (ResultColumn column : plan.columns()) {
        hash = 31 * (31 * (hash + 1) + column.name().hashCode()) + column.type().hashCode();
      }
    }
    return hash;
  }

  /**
   * Rough bytes that it takes by itself: its text, and its tree where that is too long to be shared
   * with other sessions.
   */
  long weight() {
    long characters = text().length();
    return WEIGHT_MIN
        + (long) Integer.BYTES * parameterOids.length
        + characters * (characters > StatementParser.LONGEST_CACHED ? WEIGHT_OF_CHARACTER : 1);
  }

  /** Null for utility statements. */
  public PreparedPlan plan() {
    return plan;
  }

  /** FETCH returns the columns of its cursor, which may be another cursor by now. */
  public void utilityColumns(List<ResultColumn> columns) {
    utilityColumns = columns;
  }

  public void replan(PreparedPlan fresh) {
    if (fresh != plan) {
      plan = fresh;
      idle = null;
    }
  }

  /**
   * Operators for an execution, not used by any other in the meantime; the caller returns them
   * afterwards.
   */
  public Execution takeExecution() {
    Execution taken = idle;
    idle = null;
    return taken != null ? taken : new Execution(plan.root());
  }

  /**
   * Keeps the operators for the next execution, unless their buffers have become so large that many
   * statements could take all memory with them: nobody accounts for them.
   *
   * @param of the plan for which the operators were made
   */
  public void giveBack(Execution execution, PreparedPlan of) {
    if (of == plan && !execution.keepsMuch()) {
      idle = execution;
    }
  }

  public PgType[] parameterTypes() {
    return plan == null ? utilityParameters : plan.parameterTypes();
  }

  /** Whether clients get rows, which may have no columns. */
  public boolean returnsRows() {
    return plan == null ? !utilityColumns.isEmpty() : plan.returnsRows();
  }

  public List<ResultColumn> columns() {
    return plan == null ? utilityColumns : plan.columns();
  }
}
