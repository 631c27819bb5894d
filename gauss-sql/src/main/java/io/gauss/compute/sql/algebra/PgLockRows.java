package io.gauss.compute.sql.algebra;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.sql.parse.PgLocking;
import java.util.List;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.SingleRel;
import org.apache.calcite.rex.RexNode;

/** FOR UPDATE: locks the rows of some tables in its input, the FROM row. */
public final class PgLockRows extends SingleRel {
  private final List<Mark> marks;
  private final RexNode recheck;

  /**
   * @param base position of the table's first column in the input; its columns follow, then its row
   *     key
   */
  public record Mark(TableDef table, int base, PgLocking.Wait policy) {}

  public PgLockRows(RelNode input, List<Mark> marks, RexNode recheck) {
    super(input.getCluster(), input.getCluster().traitSetOf(Convention.NONE), input);
    this.marks = marks;
    this.recheck = recheck;
  }

  public List<Mark> marks() {
    return marks;
  }

  /** Conditions to evaluate again on a row that has changed in the meantime. */
  public RexNode recheck() {
    return recheck;
  }

  /** The same with another condition. */
  public PgLockRows withRecheck(RexNode condition) {
    return new PgLockRows(getInput(), marks, condition);
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new PgLockRows(inputs.getFirst(), marks, recheck);
  }

  @Override
  public RelWriter explainTerms(RelWriter writer) {
    return super.explainTerms(writer).item("recheck", recheck);
  }
}
