package io.gauss.compute.sql.algebra;

import java.util.concurrent.atomic.AtomicLong;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;

/**
 * A sub-query in an expression. The planner replaces it, before any rewriting rule runs, by a join,
 * a correlate or a value computed beforehand; so code that moves expressions never encounters one.
 * Operands: the left side of IN, ANY and ALL.
 */
public final class PgSubQuery extends SqlFunction {
  private static final AtomicLong IDS = new AtomicLong();

  /** The kind of result of the sub-query. */
  public enum Kind {
    SCALAR,
    EXISTS,
    /** {@code x op ANY (query)}; IN is {@code = ANY}. The comparison is {@link #comparison}. */
    ANY,
    /** {@code x op ALL (query)}. */
    ALL
  }

  private final Kind subKind;
  private final RelNode rel;
  private final Comparison comparison;
  private final CorrelationId correlation;

  /** Makes the comparison of the left operand with the query's columns. */
  @FunctionalInterface
  public interface Comparison {
    org.apache.calcite.rex.RexNode of(
        java.util.List<org.apache.calcite.rex.RexNode> left,
        java.util.List<org.apache.calcite.rex.RexNode> right);
  }

  /**
   * @param correlation variable through which the query sees the row of the outer level
   */
  public PgSubQuery(Kind kind, RelNode rel, Comparison comparison, CorrelationId correlation) {
    super(
        kind + "#" + IDS.incrementAndGet(),
        SqlKind.OTHER_FUNCTION,
        null,
        null,
        null,
        SqlFunctionCategory.SYSTEM);
    this.subKind = kind;
    this.rel = rel;
    this.comparison = comparison;
    this.correlation = correlation;
  }

  public Kind subKind() {
    return subKind;
  }

  public RelNode rel() {
    return rel;
  }

  public Comparison comparison() {
    return comparison;
  }

  public CorrelationId correlation() {
    return correlation;
  }

  public PgSubQuery with(RelNode newRel, CorrelationId newCorrelation) {
    return new PgSubQuery(subKind, newRel, comparison, newCorrelation);
  }
}
