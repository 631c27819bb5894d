package io.gauss.compute.catalog;

import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/**
 * A view: a query's text with the meaning of its names when the view was created. PostgreSQL stores
 * the analyzed query. Here the text is bound again, so everything that could change the meaning of
 * a name later is stored with it: the oid of the relation of each FROM entry, and the names that
 * its columns had. So neither another search path nor renaming a table or column changes a view,
 * and columns added to a table later are not part of a {@code *}.
 *
 * @param sql text of the query
 * @param searchPath the path at creation, for names in constants such as {@code 'a'::regclass}
 * @param references the relations of its FROM clauses, including those of sub-queries
 * @param uses columns that it depends on
 */
public record ViewDef(
    int oid,
    String schema,
    String name,
    List<Column> columns,
    String sql,
    List<String> searchPath,
    List<Reference> references,
    List<Use> uses)
    implements CatalogObject {
  /** Space number that distinguishes a view's {@link #asTable} from tables. */
  public static final int SPACE = -1;

  /** Their attnum is their position from 1: columns of views are never dropped. */
  public record Column(String name, PgType type) {}

  /**
   * A name in a FROM clause.
   *
   * @param position of the name in the text, from 1
   * @param schema of the relation when the view was created; the same for {@code name}
   * @param aliased whether an alias follows the name
   * @param numbers attnums of the columns that the relation had
   * @param names their names
   */
  public record Reference(
      int position,
      int relationOid,
      String schema,
      String name,
      boolean aliased,
      int[] numbers,
      List<String> names) {}

  /**
   * @param attribute attnum
   */
  public record Use(int relationOid, int attribute) {}

  public boolean dependsOn(int relationOid) {
    return references.stream().anyMatch(reference -> reference.relationOid() == relationOid);
  }

  public boolean dependsOn(int relationOid, int attribute) {
    return uses.contains(new Use(relationOid, attribute));
  }

  /** The reference at a position of the text; null when there is none. */
  public Reference referenceAt(int position) {
    for (Reference reference : references) {
      if (reference.position() == position) {
        return reference;
      }
    }
    return null;
  }

  public ViewDef withName(String newSchema, String newName) {
    return new ViewDef(oid, newSchema, newName, columns, sql, searchPath, references, uses);
  }

  /**
   * The same query written otherwise.
   *
   * @param newPosition from a place in the old text to that in the new one
   */
  public ViewDef withText(String newSql, IntUnaryOperator newPosition) {
    List<Reference> moved =
        references.stream()
            .map(
                r ->
                    new Reference(
                        newPosition.applyAsInt(r.position()),
                        r.relationOid(),
                        r.schema(),
                        r.name(),
                        r.aliased(),
                        r.numbers(),
                        r.names()))
            .toList();
    return new ViewDef(oid, schema, name, columns, newSql, searchPath, moved, uses);
  }

  /** The view with the current versions of its columns' types. */
  ViewDef withTypes(Map<Integer, PgType> types) {
    if (types.isEmpty()
        || columns.stream().noneMatch(column -> types.containsKey(column.type().declaredOid()))) {
      return this;
    }
    return withColumns(
        columns.stream()
            .map(c -> new Column(c.name(), types.getOrDefault(c.type().declaredOid(), c.type())))
            .toList());
  }

  public ViewDef withColumns(List<Column> newColumns) {
    return new ViewDef(oid, schema, name, newColumns, sql, searchPath, references, uses);
  }

  /**
   * The view in the form in which the system tables list it among tables; it cannot be read from.
   */
  public TableDef asTable() {
    List<ColumnDef> shown = new ArrayList<>();
    for (Column column : columns) {
      shown.add(ColumnDef.of(shown.size() + 1, column.name(), column.type(), false));
    }
    return new TableDef(
        oid,
        schema,
        name,
        SPACE,
        List.copyOf(shown),
        new int[0],
        null,
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        TableStatistics.UNKNOWN);
  }
}
