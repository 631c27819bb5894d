package io.gauss.compute.reference;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A random small table: a key, columns of several types with many NULLs and equal values, and
 * indexes. Values are few and small, so that they meet in joins and sums do not overflow.
 *
 * @param name its name
 * @param columns the key first, if there is one
 * @param hasKey whether the first column is the primary key
 */
record RandomTable(String name, List<Column> columns, boolean hasKey) {
  /** A column or an output of a sub-query. */
  record Column(String name, SqlType type) {}

  private static final int MOST_ROWS = 14;

  static RandomTable next(Random random, String name) {
    List<Column> columns = new ArrayList<>();
    columns.add(new Column("id", SqlType.INT4));
    int count = 3 + random.nextInt(5);
    for (int i = 0; i < count; i++) {
      columns.add(new Column("c" + i, SqlType.any(random)));
    }
    return new RandomTable(name, List.copyOf(columns), random.nextInt(5) > 0);
  }

  /** The statements that make and fill it. */
  List<String> setUp(Random random) {
    List<String> statements = new ArrayList<>();
    StringBuilder create = new StringBuilder("CREATE TABLE " + name + " (");
    for (Column column : columns) {
      create.append(column.name()).append(' ').append(column.type().declaration());
      if (column.name().equals("id")) {
        create.append(hasKey ? " PRIMARY KEY" : "");
      } else if (random.nextInt(12) == 0) {
        create.append(" NOT NULL");
      } else if (random.nextInt(8) == 0) {
        create.append(" DEFAULT ").append(column.type().literal(random));
      }
      create.append(", ");
    }
    create.setLength(create.length() - 2);
    statements.add(create.append(')').toString());
    int rows = random.nextInt(MOST_ROWS);
    for (int i = 0; i < rows; i++) {
      statements.add(
          "INSERT INTO " + name + " VALUES (" + values(random, Integer.toString(i)) + ")");
    }
    int indexes = random.nextInt(3);
    for (int i = 0; i < indexes; i++) {
      statements.add(
          "CREATE INDEX ON %s (%s%s, %s)"
              .formatted(name, pick(random).name(), random.nextBoolean() ? " DESC" : "", "id"));
    }
    if (random.nextBoolean()) {
      statements.add("ANALYZE " + name);
    }
    return statements;
  }

  /** A row's values, with NULLs here and there. */
  String values(Random random, String id) {
    StringBuilder values = new StringBuilder();
    for (Column column : columns) {
      values.append(values.isEmpty() ? "" : ", ");
      if (column.name().equals("id")) {
        values.append(id);
      } else {
        values.append(random.nextInt(5) == 0 ? "NULL" : column.type().literal(random));
      }
    }
    return values.toString();
  }

  /** A column other than the key. */
  Column pick(Random random) {
    return columns.get(1 + random.nextInt(columns.size() - 1));
  }
}
