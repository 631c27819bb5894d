package io.gauss.compute.sql.plan;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.sql.exec.Instrumentation;
import io.gauss.compute.sql.exec.PageCounts;
import io.gauss.compute.sql.exec.WorkTable;
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
import io.gauss.compute.sql.exec.node.JoinType;
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
import io.gauss.compute.sql.exec.row.SortKey;
import io.gauss.compute.sql.plan.cost.Estimate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The text of a plan, in PostgreSQL's form. One use. */
final class PlanText {
  private final PreparedPlan plan;
  private final boolean costs;
  private final boolean buffers;

  /** Null without ANALYZE. */
  private final Instrumentation counters;

  private final List<String> lines = new ArrayList<>();
  private final Set<SpoolNode> shown = Collections.newSetFromMap(new IdentityHashMap<>());

  /**
   * @param buffers whether accesses to pages are shown, if there are counters
   */
  PlanText(PreparedPlan plan, boolean costs, boolean buffers, Instrumentation counters) {
    this.plan = plan;
    this.costs = costs;
    this.buffers = buffers;
    this.counters = counters;
  }

  List<String> lines() {
    print(plan.root(), 0);
    return lines;
  }

  private void print(PlanNode node, int depth) {
    switch (node) {
      // Columns are computed along the way; PostgreSQL does not show that as a step either.
      case ProjectNode project when counters == null || counters.find(project) == null -> {
        print(project.input(), depth);
        return;
      }
      case InitPlansNode initial -> {
        print(initial.input(), depth);
        for (InitPlansNode.InitPlan sub : initial.plans()) {
          lines.add(" ".repeat(depth * 6 + 2) + "InitPlan (returns $" + (sub.slot() + 1) + ")");
          print(sub.plan(), depth + 1);
        }
        return;
      }
      case WritesInWithNode with -> {
        print(with.input(), depth);
        for (SpoolNode write : with.writes()) {
          commonTable(write, depth);
        }
        return;
      }
      default -> {}
    }
    StringBuilder line = new StringBuilder();
    if (depth > 0) {
      line.append(indent(depth), 0, depth * 6 - 4).append("->  ");
    }
    line.append(title(node));
    Estimate estimate = plan.estimates().get(node);
    if (costs && estimate != null) {
      line.append(
          String.format(
              Locale.ROOT,
              "  (cost=%.2f..%.2f rows=%d width=%d)",
              estimate.startup(),
              estimate.total(),
              Math.max(1, Math.round(estimate.rows())),
              estimate.width()));
    }
    actual(node, line);
    lines.add(line.toString());
    details(node, indent(depth + 1).substring(0, Math.max(2, depth * 6 + 2)));
    if (node instanceof SpoolNode spool) {
      commonTable(spool, depth);
      return;
    }
    for (PlanNode child : node.children()) {
      print(child, depth + 1);
    }
  }

  /** A shared result is shown where it is read first. */
  private void commonTable(SpoolNode spool, int depth) {
    if (shown.add(spool)) {
      lines.add(" ".repeat(depth * 6 + 2) + "CTE " + spool.name());
      print(spool.input(), depth + 1);
    }
  }

  private static String indent(int depth) {
    return " ".repeat(depth * 6);
  }

  private void actual(PlanNode node, StringBuilder line) {
    if (counters == null) {
      return;
    }
    Instrumentation.Counters found = counters.find(node);
    if (found == null || found.loops == 0) {
      line.append(" (never executed)");
      return;
    }
    line.append(
        String.format(
            Locale.ROOT,
            " (actual time=%s..%s rows=%d loops=%d)",
            Explain.millis(found.startupNanos),
            Explain.millis(found.nanos / found.loops),
            Math.round((double) found.rows / found.loops),
            found.loops));
  }

  private void details(PlanNode node, String indent) {
    Planning.Notes notes = plan.notes().get(node);
    if (notes != null) {
      if (!notes.keyConditions().isEmpty()) {
        lines.add(indent + "Index Cond: " + ConditionText.of(notes.keyConditions(), notes.names()));
      }
      if (!notes.filter().isEmpty()) {
        boolean join = node instanceof NestedLoopJoinNode || node instanceof HashJoinNode;
        lines.add(
            indent
                + (join ? "Join Filter: " : "Filter: ")
                + ConditionText.of(notes.filter(), notes.names()));
      }
    }
    switch (node) {
      case SortNode sort -> lines.add(indent + "Sort Key: " + keys(sort.keys()));
      case AggregateNode aggregate -> {
        if (aggregate.groupColumns().length > 0) {
          List<String> columns = new ArrayList<>();
          for (int column : aggregate.groupColumns()) {
            columns.add("column " + (column + 1));
          }
          lines.add(indent + "Group Key: " + String.join(", ", columns));
        }
      }
      case InsertNode insert -> {
        if (insert.onConflict() != null) {
          lines.add(
              indent
                  + "Conflict Resolution: "
                  + (insert.onConflict().doUpdate() ? "UPDATE" : "NOTHING"));
        }
      }
      default -> {}
    }
    if (counters == null) {
      return;
    }
    Instrumentation.Counters found = counters.find(node);
    if (found != null && found.loops > 0) {
      if (found.rowsRemoved > 0) {
        lines.add(
            indent
                + "Rows Removed by Filter: "
                + Math.round((double) found.rowsRemoved / found.loops));
      }
      if (buffers) {
        pages(found.pages, indent);
      }
      if (found.spilledBytes > 0) {
        lines.add(indent + "Disk: " + (found.spilledBytes + 1023) / 1024 + "kB");
      }
    }
  }

  private void pages(PageCounts pages, String indent) {
    String counts =
        named("hit", pages.hits()) + named("read", pages.read()) + named("remote", pages.remote());
    if (!counts.isEmpty()) {
      lines.add(indent + "Buffers: shared" + counts);
    }
    String times = timed("read", pages.readNanos()) + timed("remote", pages.remoteNanos());
    if (!times.isEmpty()) {
      lines.add(indent + "I/O Timings: shared" + times);
    }
  }

  private static String named(String name, long count) {
    return count == 0 ? "" : " " + name + "=" + count;
  }

  private static String timed(String name, long nanos) {
    return nanos == 0 ? "" : " " + name + "=" + Explain.millis(nanos);
  }

  private static String keys(SortKey[] keys) {
    List<String> texts = new ArrayList<>();
    for (SortKey key : keys) {
      String text = "column " + (key.column() + 1) + (key.descending() ? " DESC" : "");
      if (key.nullsFirst() != key.descending()) {
        text += key.nullsFirst() ? " NULLS FIRST" : " NULLS LAST";
      }
      texts.add(text);
    }
    return String.join(", ", texts);
  }

  private static String title(PlanNode node) {
    return switch (node) {
      case OneRowNode n -> "Result";
      case ValuesNode n -> n.rows().length == 1 ? "Result" : "Values Scan";
      case ProducerNode n ->
          (n.producer() instanceof WorkTable ? "WorkTable Scan on " : "Function Scan on ")
              + n.name();
      case PointReadNode n -> "Index Scan using " + key(n.table()) + " on " + n.table().name();
      case IndexLookupNode n -> "Index Scan using " + n.index().name() + " on " + n.table().name();
      case RangeScanNode n ->
          "Index Scan "
              + (n.reverse() ? "Backward " : "")
              + "using "
              + (n.index() == null ? key(n.table()) : n.index().name())
              + " on "
              + n.table().name();
      case FullScanNode n -> "Seq Scan on " + n.table().name();
      case FilterNode n -> "Filter";
      case ProjectNode n -> "Result";
      case LimitNode n -> "Limit";
      case SortNode n -> n.limit() == null ? "Sort" : "Top-N Sort";
      case HashJoinNode n -> "Hash" + joinName(n.joinType(), " Join");
      case NestedLoopJoinNode n -> "Nested Loop" + joinName(n.joinType(), "");
      case ApplyNode n -> "SubPlan";
      case AggregateNode n ->
          n.groupColumns().length == 0
              ? "Aggregate"
              : n.sorted() ? "GroupAggregate" : "HashAggregate";
      case DistinctNode n -> n.sorted() ? "Unique" : "HashAggregate";
      case UnionAllNode n -> "Append";
      case SetOpNode n ->
          "HashSetOp "
              + (n.kind() == SetOpNode.Kind.INTERSECT ? "Intersect" : "Except")
              + (n.all() ? " All" : "");
      case WindowNode n -> "WindowAgg";
      case RecursionNode n -> "Recursive Union";
      case SpoolNode n -> "CTE Scan on " + n.name();
      case WritesInWithNode n -> "Result";
      case LockRowsNode n -> "LockRows";
      case InitPlansNode n -> "Result";
      case CopyFromNode n -> "Copy to " + n.table().name();
      case InsertNode n -> "Insert on " + n.table().name();
      case UpdateNode n -> "Update on " + n.table().name();
      case DeleteNode n -> "Delete on " + n.table().name();
      case PointUpdateNode n -> "Update on " + n.table().name() + " using " + key(n.table());
      case PointDeleteNode n -> "Delete on " + n.table().name() + " using " + key(n.table());
    };
  }

  private static String joinName(JoinType type, String suffix) {
    String name =
        switch (type) {
          case INNER -> "";
          case LEFT -> " Left";
          case RIGHT -> " Right";
          case FULL -> " Full";
          case SEMI -> " Semi";
          case ANTI -> " Anti";
        };
    boolean plain = type == JoinType.INNER;
    return plain ? suffix : name + " Join";
  }

  private static String key(TableDef table) {
    return table.primaryKeyName() == null ? table.name() + "_rowid" : table.primaryKeyName();
  }
}
