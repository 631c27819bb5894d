package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.sql.algebra.BoundQuery;
import io.gauss.compute.sql.algebra.PgRex;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;

/**
 * Replaces a view's name by its query, and the names in the query by the relations and columns that
 * were recorded when the view was made. One statement, one thread.
 */
final class ViewExpander {
  private final BindContext context;

  ViewExpander(BindContext context) {
    this.context = context;
  }

  static BoundQuery bind(String sql, BindContext context) {
    // An empty outer level makes it a sub-query: it may not lock rows.
    Scope around = new Scope(null, context.cluster);
    return new QueryBinder(context).subQuery(ViewBinding.parse(sql), around);
  }

  /**
   * Adds a view to a FROM clause.
   *
   * @param recorded what the outer view has recorded of this one, null outside of views
   */
  RelNode view(
      ViewDef view,
      ViewDef.Reference recorded,
      String alias,
      List<String> names,
      Scope scope,
      int base,
      int position) {
    BoundQuery query;
    try {
      boolean isWritten = recorded != null && recorded == context.written;
      BindContext inside = isWritten ? UpdatableView.inside(context, view) : context.inside(view);
      query = bind(view.sql(), inside);
    } catch (GaussException e) {
      throw e.position(0); // it is about the view's text, which the client has not sent
    }
    Relation relation = relation(view.schema(), view.name(), alias, recorded, null);
    relation.ofView = true;
    FromBinder.checkAliases(relation.name, names, view.columns().size(), position);
    for (int i = 0; i < view.columns().size(); i++) {
      int known = recorded == null ? i : indexOf(recorded.numbers(), i + 1);
      if (known < 0) {
        continue; // added after the outer view was made
      }
      String own = recorded == null ? view.columns().get(i).name() : recorded.names().get(known);
      RexNode reference =
          new RexInputRef(base + i, query.rel().getRowType().getFieldList().get(i).getType());
      relation.columns.add(
          new Relation.Column(alias(names, known, own), reference, view.oid(), i + 1));
    }
    relation.base = base;
    relation.width = query.columns().size();
    FromBinder.addRelation(relation, scope);
    return query.rel();
  }

  /** A table inside a view, with the columns that it had when the view was made. */
  Relation table(
      TableDef table,
      ViewDef.Reference recorded,
      String alias,
      List<String> names,
      int base,
      int position) {
    Relation relation = relation(table.schema(), table.name(), alias, recorded, table);
    FromBinder.checkAliases(relation.name, names, recorded.numbers().length, position);
    for (int k = 0; k < recorded.numbers().length; k++) {
      for (int i = 0; i < table.columns().size(); i++) {
        TableDef.ColumnDef column = table.columns().get(i);
        if (column.number() == recorded.numbers()[k]) {
          relation.columns.add(
              new Relation.Column(
                  alias(names, k, recorded.names().get(k)),
                  new RexInputRef(base + i, PgRex.rel(column.type())),
                  table.oid(),
                  column.number()));
        }
      }
    }
    relation.base = base;
    relation.width = table.columns().size() + 1;
    relation.rowKey = base + table.columns().size();
    return relation;
  }

  private static Relation relation(
      String schema, String name, String alias, ViewDef.Reference recorded, TableDef table) {
    if (alias != null) {
      return new Relation(null, alias, table);
    }
    return recorded == null
        ? new Relation(schema, name, table)
        : new Relation(recorded.schema(), recorded.name(), table);
  }

  private static String alias(List<String> names, int index, String own) {
    return names != null && index < names.size() ? names.get(index) : own;
  }

  private static int indexOf(int[] numbers, int number) {
    for (int i = 0; i < numbers.length; i++) {
      if (numbers[i] == number) {
        return i;
      }
    }
    return -1;
  }
}
