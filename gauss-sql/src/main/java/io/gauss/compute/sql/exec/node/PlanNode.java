package io.gauss.compute.sql.exec.node;

import io.gauss.compute.type.PgType;
import java.util.List;

/**
 * One step of a physical plan. Implementations are records: immutable, compared by identity where
 * it matters.
 */
public sealed interface PlanNode
    permits OneRowNode,
        ValuesNode,
        ProducerNode,
        PointReadNode,
        IndexLookupNode,
        RangeScanNode,
        FullScanNode,
        FilterNode,
        ProjectNode,
        LimitNode,
        SortNode,
        HashJoinNode,
        NestedLoopJoinNode,
        ApplyNode,
        AggregateNode,
        DistinctNode,
        UnionAllNode,
        SetOpNode,
        WindowNode,
        SpoolNode,
        WritesInWithNode,
        RecursionNode,
        LockRowsNode,
        InitPlansNode,
        InsertNode,
        CopyFromNode,
        UpdateNode,
        DeleteNode,
        PointUpdateNode,
        PointDeleteNode {

  /** Column types of the output; empty for DML without RETURNING. */
  PgType[] types();

  /** Inputs, in the order in which EXPLAIN shows them. */
  default List<PlanNode> children() {
    return List.of();
  }

  /**
   * Pseudo position among {@code columns} of an access node: the row's clustering key as bytes
   * (type bytea).
   */
  int ROW_KEY = -1;

  /** Pseudo position: a column of the output that is not used, and gets no values. */
  int UNREAD = -2;
}
