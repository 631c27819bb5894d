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
  private final List<OuterJoin> outerJoins;
  private final RexNode recheck;

  /**
   * @param base position of the table's first column in the input; its columns follow, then its row
   *     key
   * @param clause that demands it, for messages, such as FOR UPDATE
   */
  public record Mark(TableDef table, int base, PgLocking.Wait policy, String clause) {}

  /**
   * An outer join in the FROM row, whose condition is evaluated again on a row that has changed:
   * where it does not hold any more, the row is one without partner.
   *
   * @param partner first field of the partner, and the first behind it
   */
  public record OuterJoin(RexNode condition, int partner, int end) {}

  /**
   * @param outerJoins inner ones first
   * @param recheck what the row has to fulfil after that
   */
  public PgLockRows(RelNode input, List<Mark> marks, List<OuterJoin> outerJoins, RexNode recheck) {
    super(input.getCluster(), input.getCluster().traitSetOf(Convention.NONE), input);
    this.marks = marks;
    this.outerJoins = outerJoins;
    this.recheck = recheck;
  }

  public List<Mark> marks() {
    return marks;
  }

  public List<OuterJoin> outerJoins() {
    return outerJoins;
  }

  /** Conditions to evaluate again on a row that has changed in the meantime. */
  public RexNode recheck() {
    return recheck;
  }

  /** The same with another condition. */
  public PgLockRows withRecheck(RexNode condition) {
    return new PgLockRows(getInput(), marks, outerJoins, condition);
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new PgLockRows(inputs.getFirst(), marks, outerJoins, recheck);
  }

  @Override
  public RelWriter explainTerms(RelWriter writer) {
    return super.explainTerms(writer).item("outerJoins", outerJoins).item("recheck", recheck);
  }
}
