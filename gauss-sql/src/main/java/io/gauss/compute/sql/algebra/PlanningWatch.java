package io.gauss.compute.sql.algebra;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import org.apache.calcite.plan.hep.HepPlanner;
import org.apache.calcite.plan.hep.HepProgram;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexNode;

/**
 * Bounds the binding and planning of one statement and makes them interruptible. It is the planner
 * that Calcite wants in every cluster, so each node of the statement's algebra leads to it.
 *
 * <p>What a statement spells out is bounded by the length of its text. What stands for something
 * longer (views, inlined common table expressions, operands that are used twice) can double with
 * each level, so a text of a kilobyte could take all memory: it is counted, and refused beyond
 * {@link #PARTS_MAX}. One statement, one thread.
 */
public final class PlanningWatch extends HepPlanner {
  /** Parts of a statement that are not in its text themselves: relations and expressions. */
  private static final int PARTS_MAX = 1 << 20;

  /** A relation takes as much memory and time as about so many parts of expressions. */
  private static final int PARTS_OF_RELATION = 64;

  /** Parts of one expression, which is walked as a tree even where it shares operands. */
  private static final int EXPRESSION_PARTS_MAX = 1 << 23;

  /** Parts of a plan's expressions for each part that was bound. */
  private static final int PARTS_PER_BOUND_PART = 4;

  private static final int STEPS_PER_CHECK = 256; // a power of two

  private static final HepProgram EMPTY = HepProgram.builder().build();

  private final Runnable interrupts;
  private int steps;
  private long bound;
  private long compiled;
  private long expanded;

  /**
   * @param interrupts called again and again; throws to end the planning
   */
  public PlanningWatch(Runnable interrupts) {
    super(EMPTY);
    this.interrupts = interrupts;
  }

  public static PlanningWatch of(RelNode rel) {
    return (PlanningWatch) rel.getCluster().getPlanner();
  }

  /** Calcite's name for a step of work, after which it may be asked to end. */
  @Override
  public void checkCancel() {
    if ((++steps & (STEPS_PER_CHECK - 1)) == 0) {
      interrupts.run();
    }
  }

  /** A part of an expression was bound, of the statement's own text or of a view's. */
  public void bound(boolean inView) {
    checkCancel();
    bound++;
    if (inView) {
      expand(1);
    }
  }

  /** A part of an expression was compiled. */
  public void compiled() {
    checkCancel();
    if (++compiled > PARTS_MAX + PARTS_PER_BOUND_PART * bound) {
      throw tooComplex();
    }
  }

  /** A relation was added that the text has only as part of a view or common table expression. */
  public void expandRelation() {
    checkCancel();
    expand(PARTS_OF_RELATION);
  }

  private void expand(int parts) {
    expanded += parts;
    if (expanded > PARTS_MAX) {
      throw tooComplex();
    }
  }

  /**
   * Returns an expression that was made of others.
   *
   * @throws GaussException 54001 when it has too many parts
   */
  static RexNode checked(RexNode node) {
    int parts = node.nodeCount(); // a sum that may have overflowed
    if (parts > EXPRESSION_PARTS_MAX || parts < 0) {
      throw tooComplex();
    }
    return node;
  }

  private static GaussException tooComplex() {
    return new GaussException(SqlState.STATEMENT_TOO_COMPLEX, "statement is too complex")
        .detail(
            "Views, common table expressions and operands that are used repeatedly make it much"
                + " longer than its text.");
  }
}
