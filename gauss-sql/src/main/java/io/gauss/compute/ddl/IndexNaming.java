package io.gauss.compute.ddl;

import io.gauss.compute.catalog.KeyExpression;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import java.util.ArrayList;
import java.util.List;

/** Names of an index's columns, and of an index that has not been given one. */
final class IndexNaming {
  private IndexNaming() {}

  /**
   * Adds the name of another column of an index.
   *
   * @param wanted the column of the table, or what the expression is called; null = nothing
   * @return the wanted name, with a number where the index has such a column already
   */
  static String add(String wanted, List<String> names) {
    String base = wanted == null ? "expr" : wanted;
    String name = base;
    for (int i = 1; names.contains(name); i++) {
      name = base + i;
    }
    names.add(name);
    return name;
  }

  /** Names of all columns of an index. */
  static List<String> columns(TableDef table, IndexDef index) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < index.columns().length; i++) {
      KeyExpression expression = index.expression(i);
      add(
          expression == null ? table.columns().get(index.columns()[i]).name() : expression.name(),
          names);
    }
    for (int included : index.included()) {
      add(table.columns().get(included).name(), names);
    }
    return names;
  }

  static String baseName(String table, List<String> columns) {
    return table + "_" + String.join("_", columns);
  }
}
