package io.gauss.compute.reference;

import io.gauss.compute.reference.RandomTable.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random queries and changes of a few random tables. */
final class RandomStatements {
  private static final int DEPTH = 2;

  private final Random random;
  private final List<RandomTable> tables;
  private final RandomExpressions expressions;
  private int aliases;

  /** What a FROM clause offers. */
  private record From(String text, List<Column> columns) {}

  RandomStatements(Random random, List<RandomTable> tables) {
    this.random = random;
    this.tables = tables;
    this.expressions = new RandomExpressions(random);
    expressions.subqueries(this::subquery);
  }

  private boolean chance(int oneIn) {
    return random.nextInt(oneIn) == 0;
  }

  @SafeVarargs
  private <T> T pick(T... from) {
    return from[random.nextInt(from.length)];
  }

  private RandomTable table() {
    return tables.get(random.nextInt(tables.size()));
  }

  // ---------------------------------------------------------------- queries

  String query() {
    aliases = 0;
    if (chance(8)) {
      return risky();
    }
    List<SqlType> types = types();
    String query = select(types, DEPTH);
    if (chance(5)) {
      query =
          "(%s) %s (%s)"
              .formatted(
                  query,
                  pick("UNION", "UNION ALL", "INTERSECT", "EXCEPT", "EXCEPT ALL"),
                  select(types, DEPTH));
    }
    if (chance(5)) {
      query = "WITH w AS (" + query + ") SELECT * FROM w WHERE o0 IS NOT NULL";
    }
    return chance(2) ? ordered(query, types) : query;
  }

  /** By all columns, so that a limit leaves the same rows everywhere. */
  private String ordered(String query, List<SqlType> types) {
    StringBuilder text = new StringBuilder("SELECT * FROM (" + query + ") q ORDER BY ");
    for (int i = 0; i < types.size(); i++) {
      text.append(i == 0 ? "" : ", ").append("o").append(i);
      text.append(pick("", " DESC", " NULLS FIRST", " DESC NULLS LAST"));
    }
    // Equal numbers of different scales are told apart for a limit by nothing.
    if (chance(2) && !types.contains(SqlType.NUMERIC)) {
      text.append(" LIMIT ").append(random.nextInt(6));
      text.append(chance(2) ? " OFFSET " + random.nextInt(4) : "");
    }
    return text.toString();
  }

  private List<SqlType> types() {
    List<SqlType> types = new ArrayList<>();
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      types.add(SqlType.any(random));
    }
    return types;
  }

  /** Columns are called o0, o1, ... */
  private String select(List<SqlType> types, int depth) {
    From from = from(depth);
    List<Column> scope = from.columns();
    StringBuilder text = new StringBuilder("SELECT ");
    text.append(chance(5) ? "DISTINCT " : "");
    boolean grouped = chance(3);
    List<String> groups = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      boolean counted = grouped && types.get(i).isNumber() && chance(2);
      String output = counted ? "count(*)" : null;
      if (output == null) {
        // An expression with a sub-query is not recognised as one of GROUP BY.
        output = expressions.of(types.get(i), scope, grouped ? 1 : depth);
        if (grouped) {
          groups.add(output);
        }
      }
      output = "CAST(" + output + " AS " + types.get(i).declaration() + ")";
      text.append(i == 0 ? "" : ", ").append(output).append(" AS o").append(i);
    }
    text.append(" FROM ").append(from.text());
    if (!chance(3)) {
      text.append(" WHERE ").append(expressions.of(SqlType.BOOL, scope, depth));
    }
    if (grouped && !groups.isEmpty()) {
      text.append(" GROUP BY ").append(String.join(", ", groups));
    }
    if (grouped && chance(3)) {
      text.append(" HAVING ").append(expressions.aggregate(scope)).append(" IS NOT NULL");
    }
    return text.toString();
  }

  /** Aggregates of all kinds, whose types are whatever they are. */
  String aggregation() {
    aliases = 0;
    From from = from(1);
    List<Column> scope = from.columns();
    List<String> groups = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      groups.add(scope.get(random.nextInt(scope.size())).name());
    }
    List<String> outputs = new ArrayList<>(groups);
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      outputs.add(expressions.aggregate(scope));
    }
    String where = chance(2) ? " WHERE " + expressions.of(SqlType.BOOL, scope, 1) : "";
    String groupBy = groups.isEmpty() ? "" : " GROUP BY " + String.join(", ", groups);
    String having = chance(4) ? " HAVING count(*) > " + random.nextInt(3) : "";
    return "SELECT "
        + String.join(", ", outputs)
        + " FROM "
        + from.text()
        + where
        + groupBy
        + having;
  }

  /** Aggregates by several sets of columns, with GROUPING to tell them apart. */
  String groupingSets() {
    aliases = 0;
    From from = from(1);
    List<Column> scope = from.columns();
    List<String> keys = new ArrayList<>();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      String key = scope.get(random.nextInt(scope.size())).name();
      if (!keys.contains(key)) {
        keys.add(key);
      }
    }
    String all = String.join(", ", keys);
    String sets =
        pick(
            "ROLLUP (" + all + ")",
            "CUBE (" + all + ")",
            "GROUPING SETS ((" + all + "), ())",
            "GROUPING SETS ((" + keys.getFirst() + "), (" + all + "), (" + keys.getLast() + "))",
            keys.getFirst() + ", ROLLUP (" + all + ")");
    List<String> outputs = new ArrayList<>(keys);
    outputs.add("grouping(" + all + ")");
    outputs.add(expressions.aggregate(scope));
    String having = chance(4) ? " HAVING count(*) > 1" : "";
    return "SELECT %s FROM %s GROUP BY %s%s"
        .formatted(String.join(", ", outputs), from.text(), sets, having);
  }

  /**
   * Window functions over a table with a key, which is the last thing that the windows are ordered
   * by: so there is one right answer.
   */
  String windows() {
    aliases = 0;
    List<RandomTable> keyed = tables.stream().filter(RandomTable::hasKey).toList();
    if (keyed.isEmpty()) {
      return groupingSets();
    }
    RandomTable table = keyed.get(random.nextInt(keyed.size()));
    List<String> outputs = new ArrayList<>(List.of("id"));
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      String partition = chance(2) ? "PARTITION BY " + table.pick(random).name() + " " : "";
      String order = chance(3) ? "" : table.pick(random).name() + pick("", " DESC") + ", ";
      outputs.add(
          "%s OVER (%sORDER BY %sid%s)"
              .formatted(windowFunction(table), partition, order, chance(2) ? frame() : ""));
    }
    String where = chance(2) ? " WHERE " + expressions.of(SqlType.BOOL, table.columns(), 1) : "";
    return "SELECT " + String.join(", ", outputs) + " FROM " + table.name() + where;
  }

  private String windowFunction(RandomTable table) {
    String column = table.pick(random).name();
    return switch (random.nextInt(7)) {
      case 0 -> pick("row_number()", "rank()", "dense_rank()", "ntile(3)", "count(*)");
      case 1 -> pick("percent_rank()", "cume_dist()");
      case 2 -> pick("lag", "lead") + "(" + column + ", " + random.nextInt(3) + ")";
      case 3 -> pick("first_value", "last_value") + "(" + column + ")";
      case 4 -> "nth_value(" + column + ", " + (1 + random.nextInt(3)) + ")";
      default -> {
        String aggregate;
        do {
          aggregate = expressions.aggregate(table.columns());
        } while (aggregate.contains("DISTINCT") || aggregate.contains("ORDER BY"));
        yield aggregate;
      }
    };
  }

  private String frame() {
    String start = pick("UNBOUNDED PRECEDING", "2 PRECEDING", "CURRENT ROW", "1 PRECEDING");
    String end = pick("CURRENT ROW", "1 FOLLOWING", "UNBOUNDED FOLLOWING", "2 FOLLOWING");
    return " ROWS BETWEEN " + start + " AND " + end;
  }

  private From from(int depth) {
    From from = source(depth);
    for (int i = random.nextInt(depth + 1); i > 0; i--) {
      from = join(from, source(depth));
    }
    return from;
  }

  private From source(int depth) {
    String alias = "x" + aliases++;
    List<Column> columns = new ArrayList<>();
    if (depth > 1 && chance(5)) {
      List<SqlType> types = types();
      for (int i = 0; i < types.size(); i++) {
        columns.add(new Column(alias + ".o" + i, types.get(i)));
      }
      return new From("(" + select(types, depth - 1) + ") AS " + alias, columns);
    }
    RandomTable table = table();
    for (Column column : table.columns()) {
      columns.add(new Column(alias + "." + column.name(), column.type()));
    }
    return new From(table.name() + " AS " + alias, columns);
  }

  private From join(From left, From right) {
    List<Column> columns = new ArrayList<>(left.columns());
    columns.addAll(right.columns());
    String equal = equality(left, right);
    String text =
        switch (random.nextInt(6)) {
          case 0 -> left.text() + " CROSS JOIN " + right.text();
          case 1 ->
              left.text()
                  + pick(" JOIN ", " LEFT JOIN ")
                  + right.text()
                  + " ON "
                  + expressions.of(SqlType.BOOL, columns, chance(3) ? 2 : 0);
          case 2 -> left.text() + " FULL JOIN " + right.text() + " ON " + equal;
          case 3 -> left.text() + " RIGHT JOIN " + right.text() + " ON " + equal;
          case 4 -> left.text() + " LEFT JOIN " + right.text() + " ON " + equal;
          default -> left.text() + " JOIN " + right.text() + " ON " + equal;
        };
    return new From(text, columns);
  }

  /** Columns of one type on both sides, if there are any. */
  private String equality(From left, From right) {
    List<String> equalities = new ArrayList<>();
    for (Column a : left.columns()) {
      for (Column b : right.columns()) {
        if (a.type() == b.type()) {
          equalities.add(a.name() + " = " + b.name());
        }
      }
    }
    return equalities.isEmpty() ? "true" : equalities.get(random.nextInt(equalities.size()));
  }

  private String subquery(SqlType type, List<Column> outer) {
    From from = source(0);
    List<Column> scope = new ArrayList<>(from.columns());
    String output = expressions.of(type, scope, 0);
    scope.addAll(outer);
    String where = chance(3) ? "" : " WHERE " + expressions.of(SqlType.BOOL, scope, 0);
    return "SELECT " + output + " FROM " + from.text() + where;
  }

  /** One expression that may fail, evaluated for every row of one table. */
  private String risky() {
    From from = source(0);
    String expression;
    do {
      expression = expressions.risky(from.columns());
    } while (!expression.contains("x0.")); // a constant may be evaluated though there is no row
    return "SELECT " + expression + " AS o0 FROM " + from.text();
  }

  // ---------------------------------------------------------------- changes

  /** A change and the table that it changes. */
  record Change(String sql, RandomTable table) {}

  Change change() {
    aliases = 0;
    RandomTable table = table();
    String sql =
        switch (random.nextInt(5)) {
          case 0, 1 -> insert(table);
          case 2 -> update(table);
          case 3 -> updateFrom(table);
          default ->
              "DELETE FROM %s WHERE id = %d OR (%s)"
                  .formatted(
                      table.name(),
                      random.nextInt(14),
                      expressions.of(SqlType.BOOL, table.columns(), 1) + " AND id % 3 = 0");
        };
    String returning = pick("", "", " RETURNING *", " RETURNING id, " + table.pick(random).name());
    return new Change(sql + (sql.contains(" AS y ") ? "" : returning), table);
  }

  private String insert(RandomTable table) {
    if (chance(4)) {
      return "INSERT INTO %s SELECT * FROM %s WHERE id > %d"
          .formatted(table.name(), table.name(), random.nextInt(14));
    }
    List<String> rows = new ArrayList<>();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      String first = Integer.toString(random.nextInt(30));
      if (chance(5)) {
        first = "(SELECT coalesce(max(id), 0) + %d FROM %s)".formatted(i, table().name());
      }
      rows.add("(" + table.values(random, first) + ")");
    }
    String sql = "INSERT INTO " + table.name() + " VALUES " + String.join(", ", rows);
    if (!table.hasKey() || chance(3)) {
      return sql;
    }
    String column = table.pick(random).name();
    return sql
        + pick(
            " ON CONFLICT DO NOTHING",
            " ON CONFLICT (id) DO NOTHING",
            " ON CONFLICT (id) DO UPDATE SET %s = EXCLUDED.%s".formatted(column, column),
            " ON CONFLICT (id) DO UPDATE SET %s = NULL WHERE EXCLUDED.id > 5".formatted(column));
  }

  private String update(RandomTable table) {
    Column column = table.pick(random);
    return "UPDATE %s SET %s = %s WHERE %s"
        .formatted(
            table.name(),
            column.name(),
            expressions.of(column.type(), table.columns(), 1),
            expressions.of(SqlType.BOOL, table.columns(), 2));
  }

  /** At most one row of the other table for each. */
  private String updateFrom(RandomTable table) {
    RandomTable other = table();
    if (!other.hasKey()) {
      return update(table);
    }
    Column column = table.pick(random);
    List<Column> scope = new ArrayList<>();
    other.columns().forEach(c -> scope.add(new Column("y." + c.name(), c.type())));
    return "UPDATE %s AS z SET %s = %s FROM %s AS y WHERE y.id = z.id"
        .formatted(
            table.name(), column.name(), expressions.of(column.type(), scope, 1), other.name());
  }
}
