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
import org.apache.calcite.sql.SqlIdentifier;

/**
 * A view whose rows are rows of one table, so that INSERT, UPDATE and DELETE of the view apply to
 * the table, by PostgreSQL's rules. Belongs to one binding.
 *
 * @param base the table at the bottom
 * @param values by column of the view: its value over the table's row
 * @param condition selects the view's rows from the table's
 * @param chain the view itself, and the relations below it, down to the table
 */
record UpdatableView(
    ViewDef view, TableDef base, List<RexNode> values, RexNode condition, List<Link> chain) {

  /**
   * A relation by which the statement writes.
   *
   * @param context of the query that names it: each view's is bound as the view's owner
   */
  private record Link(BindContext context, TableDef relation) {}

  /**
   * Resolves a view, through the views that it reads, to its table. The privilege is needed on each
   * of them, for each view's owner what it reads.
   *
   * @param verb insert into, update or delete from
   * @throws GaussException 55000 when its rows are not those of one table
   */
  static UpdatableView of(BindContext context, ViewDef view, String verb, Privilege privilege) {
    List<Link> chain = new ArrayList<>();
    chain.add(new Link(context, view.asTable()));
    UpdatableView resolved = of(context, view, verb, chain);
    resolved.require(privilege);
    return resolved;
  }

  private static UpdatableView of(
      BindContext context, ViewDef view, String verb, List<Link> chain) {
    String why = ViewTargets.whyNot(ViewBinding.parse(view.sql()));
    List<RexNode> conditions = new ArrayList<>();
    List<RexNode> values = null;
    TableDef base = null;
    if (why == null) {
      BindContext inside = inside(context, view);
      base = base(inside, verb, chain);
      RelNode query = ViewExpander.bind(view.sql(), inside).rel();
      why = whyNot(query);
      values = collect(query, conditions);
    }
    if (values == null) {
      throw ViewTargets.refused(view, verb, why);
    }
    return new UpdatableView(view, base, values, PgRex.and(conditions), chain);
  }

  /** The context for binding the query of a view by which the statement writes. */
  static BindContext inside(BindContext context, ViewDef view) {
    SqlIdentifier relation = ViewTargets.relation(ViewBinding.parse(view.sql()));
    return context.insideWritten(view, view.referenceAt(ExprBinder.position(relation)));
  }

  /** The table that a view reads, through other views. */
  private static TableDef base(BindContext inside, String verb, List<Link> chain) {
    CatalogObject below = inside.catalog.object(inside.written.relationOid());
    if (below instanceof ViewDef inner) {
      chain.add(new Link(inside, inner.asTable()));
      return of(inside, inner, verb, chain).base();
    }
    chain.add(new Link(inside, (TableDef) below));
    return (TableDef) below;
  }

  /** Records that the statement needs a privilege on the view, and each owner on what it reads. */
  void require(Privilege privilege) {
    chain.forEach(link -> link.context().require(link.relation(), privilege));
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
