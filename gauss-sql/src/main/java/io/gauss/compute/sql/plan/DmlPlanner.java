package io.gauss.compute.sql.plan;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.sql.algebra.BoundStatement;
import io.gauss.compute.sql.algebra.Fields;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.algebra.SubQueries;
import io.gauss.compute.sql.exec.node.CopyFromNode;
import io.gauss.compute.sql.exec.node.DeleteNode;
import io.gauss.compute.sql.exec.node.InsertNode;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.exec.node.PointDeleteNode;
import io.gauss.compute.sql.exec.node.PointUpdateNode;
import io.gauss.compute.sql.exec.node.UpdateNode;
import io.gauss.compute.sql.plan.cost.AccessPath;
import io.gauss.compute.sql.plan.cost.CostModel;
import io.gauss.compute.sql.plan.cost.Estimate;
import io.gauss.compute.sql.plan.cost.Wanted;
import io.gauss.compute.sql.plan.rewrite.JoinBlock;
import io.gauss.compute.sql.plan.rewrite.LogicalRewriter;
import io.gauss.compute.sql.plan.rewrite.SubQueryRewriter;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.util.ImmutableBitSet;

/** Plans INSERT, UPDATE and DELETE. One planning, one thread. */
final class DmlPlanner {
  private final Planning planning;
  private final PhysicalPlanner physical;
  private final SubQueryRewriter subQueries;

  DmlPlanner(Planning planning, PhysicalPlanner physical, SubQueryRewriter subQueries) {
    this.planning = planning;
    this.physical = physical;
    this.subQueries = subQueries;
  }

  // ------------------------------------------------------------------ COPY FROM

  PlanNode copyFrom(BoundStatement.CopyFrom from) {
    TableDef table = from.table();
    ColumnMap columns = ColumnMap.identity(table.columns().size());
    Expr[] defaults = new Expr[table.columns().size()];
    for (int i = 0; i < defaults.length; i++) {
      RexNode value = from.defaults().get(i);
      defaults[i] = value == null ? null : planning.compiler.compile(value, null);
    }
    Expr where = from.where() == null ? null : planning.compiler.compile(from.where(), columns);
    Expr[] conversions = new Expr[from.targets().length];
    for (int i = 0; i < conversions.length; i++) {
      RexNode value = from.conversions().get(i);
      conversions[i] = value == null ? null : planning.compiler.compile(value, columns);
    }
    CopyFromNode node = new CopyFromNode(table, from.targets(), conversions, defaults, where);
    return planning.note(node, new Estimate(0, 0, 0, 0));
  }

  // ------------------------------------------------------------------ INSERT

  PlanNode insert(BoundStatement.Insert insert) {
    TableDef table = insert.table();
    int columns = table.columns().size();
    RelNode source = LogicalRewriter.rewrite(subQueries.rewrite(insert.source()));
    Planned input = physical.root(source);
    InsertNode.OnConflict onConflict = null;
    if (insert.onConflict() != null) {
      BoundStatement.OnConflict clause = insert.onConflict();
      ColumnMap both = ColumnMap.identity(2 * columns);
      onConflict =
          new InsertNode.OnConflict(
              clause.anyIndex(),
              clause.arbiter(),
              clause.setColumns(),
              clause.setValues() == null
                  ? null
                  : planning.compiler.compile(clause.setValues(), both),
              clause.where() == null ? null : planning.compiler.compile(clause.where(), both));
    }
    PlanNode node =
        new InsertNode(
            table,
            input.node(),
            onConflict,
            insert.returning() == null
                ? null
                : planning.compiler.compile(insert.returning(), ColumnMap.identity(columns)));
    return planning.note(
        node,
        input
            .estimate()
            .plus(input.estimate().rows() * CostModel.ROW * 10, input.estimate().rows()));
  }

  // ------------------------------------------------------------------ UPDATE and DELETE

  PlanNode modify(BoundStatement.Modify modify) {
    PlanNode point = byKey(modify);
    return point != null ? point : byInput(modify);
  }

  /** The fast path for a statement that names one row by its primary key; null for any other. */
  private PlanNode byKey(BoundStatement.Modify modify) {
    TableDef table = modify.table();
    if (SubQueries.isIn(modify.condition())
        || (modify.setValues() != null && modify.setValues().stream().anyMatch(SubQueries::isIn))) {
      return null;
    }
    JoinBlock block = JoinBlock.of(modify.from());
    if (block.leaves().size() != 1 || !(block.leaves().getFirst().rel() instanceof TableScan)) {
      return null;
    }
    AccessPath path = planning.accessPaths.best(table, block.conditions(), Wanted.NOTHING);
    if (path.kind() != AccessPath.Kind.POINT) {
      return null;
    }
    int columns = table.columns().size();
    ColumnMap row = ColumnMap.identity(columns + 1);
    Expr[] key = physical.scans().key(table, path);
    Expr filter = planning.filter(path.filter(), row);
    Expr[] returning =
        modify.returning() == null ? null : planning.compiler.compile(modify.returning(), row);
    PlanNode node =
        modify.isDelete()
            ? new PointDeleteNode(table, key, filter, returning)
            : new PointUpdateNode(
                table,
                key,
                filter,
                modify.setColumns(),
                planning.compiler.compile(modify.setValues(), row),
                returning);
    List<RexNode> keyConditions = new ArrayList<>();
    path.prefix().forEach(sarg -> keyConditions.add(sarg.condition()));
    planning.notes.put(
        node,
        new Planning.Notes(
            keyConditions,
            path.filter(),
            table.columns().stream().map(TableDef.ColumnDef::name).toList()));
    return planning.note(node, path.estimate().plus(CostModel.ROW * 10, path.estimate().rows()));
  }

  private PlanNode byInput(BoundStatement.Modify modify) {
    TableDef table = modify.table();
    int columns = table.columns().size();
    RelNode from = subQueries.rewrite(modify.from());
    List<RexNode> setValues = modify.setValues();
    if (setValues != null && setValues.stream().anyMatch(SubQueries::isIn)) {
      SubQueryRewriter.Applied applied = subQueries.apply(from, setValues);
      from = applied.rel();
      setValues = applied.expressions();
    }
    from = LogicalRewriter.rewrite(from);
    RexNode recheck = SubQueryRewriter.withoutSubQueries(modify.condition());
    ImmutableBitSet needed = Fields.of(recheck).set(columns);
    if (setValues != null) {
      needed = needed.union(Fields.of(setValues));
    }
    if (modify.returning() != null) {
      for (int field : Fields.of(modify.returning())) {
        if (field >= columns) {
          needed = needed.set(field - columns);
        }
      }
    }
    Planned input = physical.plan(from, needed, Wanted.NOTHING);
    int[] targets = new int[columns];
    for (int i = 0; i < columns; i++) {
      targets[i] = input.columns().positionOrNone(i);
    }
    int rowKey = input.columns().position(columns);
    Expr check = planning.filter(PgRex.conjuncts(recheck), input.columns());
    Expr[] returning = null;
    if (modify.returning() != null) {
      ColumnMap map = ColumnMap.identity(columns).join(input.columns(), columns);
      returning = planning.compiler.compile(modify.returning(), map);
    }
    PlanNode node =
        modify.isDelete()
            ? new DeleteNode(table, input.node(), rowKey, targets, check, returning)
            : new UpdateNode(
                table,
                input.node(),
                rowKey,
                targets,
                modify.setColumns(),
                planning.compiler.compile(setValues, input.columns()),
                check,
                returning);
    Estimate estimate = input.estimate();
    return planning.note(
        node, estimate.plus(estimate.rows() * CostModel.ROW * 10, estimate.rows()));
  }
}
