package io.gauss.compute.sql.plan;

import io.gauss.compute.sql.exec.node.AggregateNode;
import io.gauss.compute.sql.exec.node.DeleteNode;
import io.gauss.compute.sql.exec.node.DistinctNode;
import io.gauss.compute.sql.exec.node.FilterNode;
import io.gauss.compute.sql.exec.node.IndexLookupNode;
import io.gauss.compute.sql.exec.node.InsertNode;
import io.gauss.compute.sql.exec.node.LimitNode;
import io.gauss.compute.sql.exec.node.LockRowsNode;
import io.gauss.compute.sql.exec.node.OneRowNode;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.exec.node.PointDeleteNode;
import io.gauss.compute.sql.exec.node.PointReadNode;
import io.gauss.compute.sql.exec.node.PointUpdateNode;
import io.gauss.compute.sql.exec.node.ProjectNode;
import io.gauss.compute.sql.exec.node.RangeScanNode;
import io.gauss.compute.sql.exec.node.SortNode;
import io.gauss.compute.sql.exec.node.UpdateNode;
import io.gauss.compute.sql.exec.node.ValuesNode;
import io.gauss.compute.sql.plan.cost.Estimate;
import java.util.Map;

/**
 * Decides which plans an event loop may run: reads and writes by key and short ranges of one table.
 * The only place where this is decided.
 */
final class ShortPlans {
  private static final double ROWS_MAX = 1000;
  private static final int VALUES_MAX = 64;

  private ShortPlans() {}

  /** The first rows of an index, regardless of its length. */
  private static boolean isCut(LimitNode limit, Map<PlanNode, Estimate> estimates) {
    PlanNode input = limit.input() instanceof ProjectNode project ? project.input() : limit.input();
    Estimate estimate = estimates.get(limit);
    return limit.limit() != null
        && input instanceof RangeScanNode scan
        && scan.filter() == null
        && estimate != null
        && estimate.total() <= ROWS_MAX;
  }

  static boolean isShort(PlanNode node, Map<PlanNode, Estimate> estimates) {
    return switch (node) {
      case OneRowNode n -> true;
      case ValuesNode n -> n.rows().length <= VALUES_MAX;
      case PointReadNode n -> true;
      case IndexLookupNode n -> true;
      case PointUpdateNode n -> true;
      case PointDeleteNode n -> true;
      case RangeScanNode n -> {
        Estimate estimate = estimates.get(n);
        boolean bounded = n.ranges()[0].prefix().length > 0 || n.ranges()[0].low() != null;
        // The filter may pass few of many rows: the cost counts all of them.
        yield bounded && estimate != null && estimate.total() <= ROWS_MAX;
      }
      case ProjectNode n -> isShort(n.input(), estimates);
      case FilterNode n -> isShort(n.input(), estimates);
      case LimitNode n -> isShort(n.input(), estimates) || isCut(n, estimates);
      case SortNode n -> isShort(n.input(), estimates);
      case AggregateNode n -> isShort(n.input(), estimates);
      case DistinctNode n -> isShort(n.input(), estimates);
      case LockRowsNode n -> isShort(n.input(), estimates);
      case InsertNode n -> isShort(n.input(), estimates);
      case UpdateNode n -> isShort(n.input(), estimates);
      case DeleteNode n -> isShort(n.input(), estimates);
      default -> false;
    };
  }
}
