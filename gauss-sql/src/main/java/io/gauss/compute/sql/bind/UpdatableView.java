package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.CatalogObject;
import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.algebra.PgWindow;
import io.gauss.compute.sql.bind.syntax.ViewTargets;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rel.logical.LogicalTableScan;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;

/**
 * A view whose rows are rows of one table, so that INSERT, UPDATE and DELETE of the view apply to
 * the table, by PostgreSQL's rules. Belongs to one binding.
 *
 * @param base the table at the bottom
 * @param values by column of the view: its value over the table's row
 * @param condition selects the view's rows from the table's
 */
record UpdatableView(ViewDef view, TableDef base, List<RexNode> values, RexNode condition) {

  /**
   * Resolves a view, through the views that it reads, to its table.
   *
   * @param verb insert into, update or delete from
   * @throws GaussException 55000 when its rows are not those of one table
   */
  static UpdatableView of(BindContext context, ViewDef view, String verb, Privilege privilege) {
    String why = ViewTargets.whyNot(ViewBinding.parse(view.sql()));
    BindContext inside = context.inside(view);
    List<RexNode> conditions = new ArrayList<>();
    List<RexNode> values = null;
    TableDef base = null;
    if (why == null) {
      base = base(inside, view, verb, privilege);
      RelNode query = ViewExpander.bind(view.sql(), inside).rel();
      why = whyNot(query);
      values = collect(query, conditions);
    }
    if (values == null) {
      throw ViewTargets.refused(view, verb, why);
    }
    return new UpdatableView(view, base, values, PgRex.and(conditions));
  }

  /**
   * The table that a view reads, through other views; each is used as the owner of the one above.
   */
  private static TableDef base(BindContext inside, ViewDef view, String verb, Privilege privilege) {
    CatalogObject below = inside.catalog.object(view.references().getFirst().relationOid());
    if (below instanceof ViewDef inner) {
      inside.require(inner.asTable(), privilege);
      return of(inside, inner, verb, privilege).base();
    }
    inside.require((TableDef) below, privilege);
    return (TableDef) below;
  }

  private static String whyNot(RelNode rel) {
    String what =
        rel instanceof LogicalAggregate
            ? "aggregate functions"
            : rel instanceof PgWindow ? "window functions" : null;
    if (what != null) {
      return "Views that return " + what + " are not automatically updatable.";
    }
    return rel.getInputs().size() == 1 ? whyNot(rel.getInput(0)) : null;
  }

  /**
   * The fields of a query as expressions over the row of its table; null when the query is not
   * updatable.
   */
  private static List<RexNode> collect(RelNode rel, List<RexNode> conditions) {
    switch (rel) {
      case LogicalProject project -> {
        List<RexNode> inputs = collect(project.getInput(), conditions);
        if (inputs == null) {
          return null;
        }
        return project.getProjects().stream().map(node -> substituted(node, inputs)).toList();
      }
      case LogicalFilter filter -> {
        List<RexNode> inputs = collect(filter.getInput(), conditions);
        if (inputs != null) {
          PgRex.conjuncts(filter.getCondition())
              .forEach(part -> conditions.add(substituted(part, inputs)));
        }
        return inputs;
      }
      case LogicalSort sort when sort.fetch == null && sort.offset == null -> {
        return collect(sort.getInput(), conditions);
      }
      case LogicalTableScan scan -> {
        List<RexNode> fields = new ArrayList<>();
        for (int i = 0; i < scan.getRowType().getFieldCount(); i++) {
          fields.add(PgRex.input(i, scan.getRowType()));
        }
        return fields;
      }
      default -> {
        return null;
      }
    }
  }

  private static RexNode substituted(RexNode node, List<RexNode> inputs) {
    return node.accept(
        new RexShuttle() {
          @Override
          public RexNode visitInputRef(RexInputRef ref) {
            return inputs.get(ref.getIndex());
          }
        });
  }

  /** The view as an entry of a FROM clause over the table's row. */
  Relation relation(String alias) {
    Relation relation =
        new Relation(
            alias == null ? view.schema() : null, alias == null ? view.name() : alias, base);
    for (int i = 0; i < view.columns().size(); i++) {
      relation.columns.add(
          new Relation.Column(view.columns().get(i).name(), values.get(i), view.oid(), i + 1));
    }
    relation.width = base.columns().size() + 1;
    relation.rowKey = base.columns().size();
    return relation;
  }

  /**
   * Name of the table's column that a column of the view is.
   *
   * @param verb insert into or update, for messages
   * @throws GaussException 42703 when there is none of the name, 0A000 when it is computed
   */
  String baseColumn(String name, String verb, int position) {
    for (int i = 0; i < view.columns().size(); i++) {
      if (view.columns().get(i).name().equals(name)) {
        return baseColumn(i, verb);
      }
    }
    throw new GaussException(
            SqlState.UNDEFINED_COLUMN,
            "column \"%s\" of relation \"%s\" does not exist".formatted(name, view.name()))
        .position(position);
  }

  String baseColumn(int column, String verb) {
    if (values.get(column) instanceof RexInputRef ref && ref.getIndex() < base.columns().size()) {
      return base.columns().get(ref.getIndex()).name();
    }
    throw new GaussException(
            SqlState.FEATURE_NOT_SUPPORTED,
            "cannot %s column \"%s\" of view \"%s\""
                .formatted(verb, view.columns().get(column).name(), view.name()))
        .detail("View columns that are not columns of their base relation are not updatable.");
  }
}
