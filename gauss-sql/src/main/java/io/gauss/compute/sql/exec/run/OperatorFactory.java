package io.gauss.compute.sql.exec.run;

import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.aggregate.DistinctOperator;
import io.gauss.compute.sql.exec.aggregate.HashAggregateOperator;
import io.gauss.compute.sql.exec.aggregate.SetOpOperator;
import io.gauss.compute.sql.exec.aggregate.SortOperator;
import io.gauss.compute.sql.exec.aggregate.SortedAggregateOperator;
import io.gauss.compute.sql.exec.dml.CopyFromOperator;
import io.gauss.compute.sql.exec.dml.DeleteOperator;
import io.gauss.compute.sql.exec.dml.InsertOperator;
import io.gauss.compute.sql.exec.dml.PointWriteOperator;
import io.gauss.compute.sql.exec.dml.UpdateOperator;
import io.gauss.compute.sql.exec.dml.WritesInWithOperator;
import io.gauss.compute.sql.exec.join.ApplyOperator;
import io.gauss.compute.sql.exec.join.HashJoinOperator;
import io.gauss.compute.sql.exec.join.InitPlansOperator;
import io.gauss.compute.sql.exec.join.NestedLoopOperator;
import io.gauss.compute.sql.exec.node.AggregateNode;
import io.gauss.compute.sql.exec.node.ApplyNode;
import io.gauss.compute.sql.exec.node.CopyFromNode;
import io.gauss.compute.sql.exec.node.DeleteNode;
import io.gauss.compute.sql.exec.node.DistinctNode;
import io.gauss.compute.sql.exec.node.FilterNode;
import io.gauss.compute.sql.exec.node.FullScanNode;
import io.gauss.compute.sql.exec.node.HashJoinNode;
import io.gauss.compute.sql.exec.node.IndexLookupNode;
import io.gauss.compute.sql.exec.node.InitPlansNode;
import io.gauss.compute.sql.exec.node.InsertNode;
import io.gauss.compute.sql.exec.node.LimitNode;
import io.gauss.compute.sql.exec.node.LockRowsNode;
import io.gauss.compute.sql.exec.node.NestedLoopJoinNode;
import io.gauss.compute.sql.exec.node.OneRowNode;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.exec.node.PointDeleteNode;
import io.gauss.compute.sql.exec.node.PointReadNode;
import io.gauss.compute.sql.exec.node.PointUpdateNode;
import io.gauss.compute.sql.exec.node.ProducerNode;
import io.gauss.compute.sql.exec.node.ProjectNode;
import io.gauss.compute.sql.exec.node.RangeScanNode;
import io.gauss.compute.sql.exec.node.RecursionNode;
import io.gauss.compute.sql.exec.node.SetOpNode;
import io.gauss.compute.sql.exec.node.SortNode;
import io.gauss.compute.sql.exec.node.SpoolNode;
import io.gauss.compute.sql.exec.node.UnionAllNode;
import io.gauss.compute.sql.exec.node.UpdateNode;
import io.gauss.compute.sql.exec.node.ValuesNode;
import io.gauss.compute.sql.exec.node.WindowNode;
import io.gauss.compute.sql.exec.node.WritesInWithNode;
import io.gauss.compute.sql.exec.scan.LockRowsOperator;
import io.gauss.compute.sql.exec.scan.PointLockOperator;
import io.gauss.compute.sql.exec.scan.PointReadOperator;
import io.gauss.compute.sql.exec.scan.RangeScanOperator;
import io.gauss.compute.sql.exec.scan.SimpleOperators;
import io.gauss.compute.sql.exec.window.WindowOperator;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Creates the operators of one execution from a plan. */
final class OperatorFactory {
  private final boolean instrumented;
  private int holders;
  private final Map<SpoolNode, SharedSpool> spools = new IdentityHashMap<>();

  /**
   * @param instrumented whether every operator counts for EXPLAIN ANALYZE
   */
  OperatorFactory(boolean instrumented) {
    this.instrumented = instrumented;
  }

  /** Spools created so far, which are restarted before each execution. */
  List<SharedSpool> spools() {
    return new ArrayList<>(spools.values());
  }

  /** How many of the operators may hold many rows. */
  int holders() {
    return holders;
  }

  private static boolean holdsRows(PlanNode node) {
    return switch (node) {
      case SortNode n -> true;
      case HashJoinNode n -> true;
      case NestedLoopJoinNode n -> true;
      case AggregateNode n -> true;
      case DistinctNode n -> true;
      case SetOpNode n -> true;
      case RecursionNode n -> true; // has two spools
      case SpoolNode n -> true;
      default -> false;
    };
  }

  Operator create(PlanNode node) {
    holders += holdsRows(node) ? 1 : 0;
    Operator operator = operator(node);
    return instrumented ? new InstrumentedOperator(node, operator) : operator;
  }

  private Operator operator(PlanNode node) {
    return switch (node) {
      case OneRowNode n -> new SimpleOperators.OneRow();
      case ValuesNode n -> new SimpleOperators.ValuesOperator(n);
      case ProducerNode n -> new SimpleOperators.ProducerOperator(n);
      case PointReadNode n -> new PointReadOperator(n);
      case IndexLookupNode n -> new PointReadOperator(n);
      case RangeScanNode n -> new RangeScanOperator(n);
      case FullScanNode n -> new RangeScanOperator(n);
      case FilterNode n -> new SimpleOperators.Filter(n, create(n.input()));
      case ProjectNode n -> new SimpleOperators.Project(n, create(n.input()));
      case LimitNode n -> new SimpleOperators.Limit(n, create(n.input()));
      case SortNode n -> new SortOperator(n, create(n.input()));
      case HashJoinNode n -> new HashJoinOperator(n, create(n.left()), create(n.right()));
      case NestedLoopJoinNode n -> new NestedLoopOperator(n, create(n.outer()), create(n.inner()));
      case ApplyNode n -> new ApplyOperator(n, create(n.outer()), create(n.inner()));
      case AggregateNode n ->
          n.sorted() || n.groupColumns().length == 0
              ? new SortedAggregateOperator(n, create(n.input()))
              : new HashAggregateOperator(n, create(n.input()));
      case DistinctNode n -> new DistinctOperator(n, create(n.input()));
      case UnionAllNode n -> new SimpleOperators.UnionAll(createAll(n.inputs()));
      case SetOpNode n -> new SetOpOperator(n, create(n.left()), create(n.right()));
      case WindowNode n -> new WindowOperator(n, create(n.input()));
      case RecursionNode n -> new RecursionOperator(n, create(n.seed()), create(n.step()));
      case SpoolNode n -> spool(n).newUse();
      case WritesInWithNode n -> writesInWith(n);
      case LockRowsNode n ->
          PointLockOperator.fits(n)
              ? new PointLockOperator(n, (PointReadNode) n.input())
              : new LockRowsOperator(n, create(n.input()));
      case InitPlansNode n -> initPlans(n);
      case InsertNode n -> new InsertOperator(n, create(n.input()));
      case CopyFromNode n -> new CopyFromOperator(n);
      case UpdateNode n -> new UpdateOperator(n, create(n.input()));
      case DeleteNode n -> new DeleteOperator(n, create(n.input()));
      case PointUpdateNode n -> new PointWriteOperator(n);
      case PointDeleteNode n -> new PointWriteOperator(n);
    };
  }

  private Operator[] createAll(List<PlanNode> nodes) {
    Operator[] operators = new Operator[nodes.size()];
    for (int i = 0; i < operators.length; i++) {
      operators[i] = create(nodes.get(i));
    }
    return operators;
  }

  private Operator initPlans(InitPlansNode node) {
    Operator[] queries = new Operator[node.plans().length];
    for (int i = 0; i < queries.length; i++) {
      queries[i] = create(node.plans()[i].plan());
    }
    return new InitPlansOperator(node, queries, create(node.input()));
  }

  private Operator writesInWith(WritesInWithNode node) {
    Operator[] writes = new Operator[node.writes().size()];
    for (int i = 0; i < writes.length; i++) {
      writes[i] = spool(node.writes().get(i)).newUse();
    }
    return new WritesInWithOperator(node, create(node.input()), writes);
  }

  private SharedSpool spool(SpoolNode node) {
    SharedSpool spool = spools.get(node);
    if (spool == null) {
      spool = new SharedSpool(node, create(node.input()));
      spools.put(node, spool);
    }
    return spool;
  }
}
