package io.gauss.compute.sql.system;

import io.gauss.compute.catalog.CatalogObject;
import io.gauss.compute.catalog.CatalogSnapshot;
import io.gauss.compute.catalog.DomainDef;
import io.gauss.compute.catalog.KeyExpression;
import io.gauss.compute.catalog.SystemOids;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.CheckDef;
import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.catalog.TableDef.ForeignKeyDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.sql.parse.KeyExpressionText;
import io.gauss.compute.sql.parse.PgLexer;
import io.gauss.compute.type.DomainType;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Quoting;
import io.gauss.compute.type.StoredTypes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Texts of definitions as pg_get_indexdef and pg_get_constraintdef give them, with types of CREATE
 * TYPE as {@link StoredTypes} has them.
 */
public final class Definitions {
  /** A string or a negative number. */
  private static final java.util.regex.Pattern LITERAL =
      java.util.regex.Pattern.compile("'([^']|'')*'|-[0-9]+(\\.[0-9]+)?");

  private Definitions() {}

  /** A name as it must be written in a statement. */
  static String quoted(String name) {
    return Quoting.identifier(name);
  }

  /**
   * @param column number of the only key column to return; 0 = the whole statement
   * @param bare omits the table's schema
   * @param pretty omits parentheses that are not needed
   * @return null when there is no such index
   */
  public static String index(
      CatalogSnapshot catalog, int oid, int column, boolean bare, boolean pretty) {
    if (SystemOids.isPrimaryKeyIndex(oid)) {
      TableDef table = catalog.table(SystemOids.plain(oid));
      if (table == null || table.hasRowId()) {
        return null;
      }
      return index(table, table.primaryKeyIndex(), column, bare, pretty);
    }
    for (TableDef table : catalog.tables()) {
      for (IndexDef index : table.indexes()) {
        if (index.oid() == oid) {
          return index(table, index, column, bare, pretty);
        }
      }
    }
    return null;
  }

  private static String index(
      TableDef table, IndexDef index, int only, boolean bare, boolean pretty) {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < index.columns().length; i++) {
      KeyExpression expression = index.expression(i);
      String key =
          expression == null
              ? quoted(table.columns().get(index.columns()[i]).name())
              : KeyExpressionText.of(expression.sql(), pretty);
      if (only == 0) {
        boolean descends = index.descending()[i];
        boolean nullsFirst = index.nullsFirst()[i];
        key += descends ? " DESC" : "";
        key += nullsFirst == descends ? "" : nullsFirst ? " NULLS FIRST" : " NULLS LAST";
      }
      keys.add(key);
    }
    List<String> included =
        Arrays.stream(index.included())
            .mapToObj(c -> quoted(table.columns().get(c).name()))
            .toList();
    if (only > 0) {
      keys.addAll(included);
      return only <= keys.size() ? keys.get(only - 1) : "";
    }
    return "CREATE %sINDEX %s ON %s%s USING btree (%s)%s"
            .formatted(
                index.isUniqueAtCommit() ? "UNIQUE " : "",
                quoted(index.name()),
                bare ? "" : quoted(table.schema()) + ".",
                quoted(table.name()),
                String.join(", ", keys),
                included.isEmpty() ? "" : " INCLUDE (" + String.join(", ", included) + ")")
        + condition(index, pretty);
  }

  private static String condition(IndexDef index, boolean pretty) {
    if (!index.isPartial()) {
      return "";
    }
    return pretty ? " WHERE " + index.predicate() : " WHERE (" + index.predicate() + ")";
  }

  /**
   * A view's query as it was written, except that renamed relations have their current names.
   *
   * @return null when there is no such view
   */
  public static String view(CatalogSnapshot catalog, int oid) {
    ViewDef view = catalog.view(oid);
    if (view == null) {
      return null;
    }
    StringBuilder text = new StringBuilder(view.sql());
    PgLexer lexer = new PgLexer().scan(view.sql());
    for (ViewDef.Reference reference : view.references().reversed()) {
      rename(text, lexer, reference, catalog.object(reference.relationOid()));
    }
    return " " + text + ";";
  }

  private static void rename(
      StringBuilder text, PgLexer lexer, ViewDef.Reference reference, CatalogObject now) {
    TableDef relation = now instanceof ViewDef view ? view.asTable() : (TableDef) now;
    if (relation == null
        || (relation.name().equals(reference.name())
            && relation.schema().equals(reference.schema()))) {
      return;
    }
    int token = 0;
    while (lexer.start(token) < reference.position() - 1) {
      token++;
    }
    boolean qualified = token + 2 < lexer.count() && lexer.isOperator(token + 1, '.');
    String name = quoted(relation.schema()) + "." + quoted(relation.name());
    text.replace(
        lexer.start(token),
        lexer.end(qualified ? token + 2 : token),
        reference.aliased() ? name : name + " AS " + quoted(reference.name()));
  }

  /** Null when there is no such constraint. */
  public static String constraint(CatalogSnapshot catalog, int oid) {
    if (SystemOids.isPrimaryKeyConstraint(oid)) {
      TableDef table = catalog.table(SystemOids.plain(oid));
      return table == null ? null : "PRIMARY KEY " + columns(table, table.primaryKey());
    }
    boolean unique = SystemOids.isUniqueConstraint(oid);
    for (DomainDef domain : catalog.domains()) {
      for (DomainType.Check check : domain.domain().checks()) {
        if (check.oid() == oid) {
          return "CHECK (" + check.sql() + ")" + (check.valid() ? "" : " NOT VALID");
        }
      }
    }
    for (TableDef table : catalog.tables()) {
      if (unique) {
        for (IndexDef index : table.indexes()) {
          if (index.oid() == SystemOids.plain(oid)) {
            return "UNIQUE " + columns(table, index.columns()) + index.deferral().sql();
          }
        }
        continue;
      }
      for (CheckDef check : table.checks()) {
        if (check.oid() == oid) {
          return "CHECK (" + check.sql() + ")";
        }
      }
      for (ForeignKeyDef key : table.foreignKeys()) {
        if (key.oid() == oid) {
          return foreignKey(catalog, table, key);
        }
      }
    }
    return null;
  }

  private static String foreignKey(CatalogSnapshot catalog, TableDef table, ForeignKeyDef key) {
    TableDef parent = catalog.table(key.referencedTableOid());
    return "FOREIGN KEY "
        + columns(table, key.columns())
        + " REFERENCES "
        + (parent.schema().equals("public") ? "" : quoted(parent.schema()) + ".")
        + quoted(parent.name())
        + columns(parent, key.referencedColumns())
        + action(" ON UPDATE ", key.onUpdate())
        + action(" ON DELETE ", key.onDelete())
        + key.deferral().sql();
  }

  /**
   * A column's default as PostgreSQL shows it: literals with their type, everything else as it was
   * written. Null when there is none.
   */
  static String columnDefault(TableDef table, ColumnDef column) {
    if (column.isGenerated()) {
      return "(" + column.generatedSql() + ")";
    }
    String sql = column.defaultSql();
    if (sql == null || !LITERAL.matcher(sql).matches()) {
      return sql;
    }
    PgType type = column.type().withTypmod(-1);
    String shown = type.is(PgType.BPCHAR) ? "bpchar" : StoredTypes.written(type);
    return (sql.startsWith("-") ? "'" + sql + "'" : sql) + "::" + shown;
  }

  private static String action(String words, TableDef.Action action) {
    return action == TableDef.Action.NO_ACTION ? "" : words + action.name().replace('_', ' ');
  }

  private static String columns(TableDef table, int[] positions) {
    List<String> names = new ArrayList<>();
    for (int position : positions) {
      names.add(quoted(table.columns().get(position).name()));
    }
    return "(" + String.join(", ", names) + ")";
  }
}
