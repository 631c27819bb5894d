package io.gauss.compute.reference;

import io.gauss.compute.reference.RandomTable.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;

/**
 * Random expressions of a wanted type over the columns in scope. None of them can fail for a value:
 * whether a failing expression is evaluated at all is a matter of plans, and so not comparable;
 * {@link #risky} makes those apart.
 */
final class RandomExpressions {
  private final Random random;

  /** Makes a sub-query of one column of a type, which may refer to the columns given. */
  private BiFunction<SqlType, List<Column>, String> subquery;

  RandomExpressions(Random random) {
    this.random = random;
  }

  void subqueries(BiFunction<SqlType, List<Column>, String> maker) {
    subquery = maker;
  }

  @SafeVarargs
  private <T> T pick(T... from) {
    return from[random.nextInt(from.length)];
  }

  /** Any column of the type, or null when there is none. */
  private String column(SqlType type, List<Column> scope) {
    List<Column> fitting = new ArrayList<>();
    for (Column column : scope) {
      if (column.type() == type) {
        fitting.add(column);
      }
    }
    return fitting.isEmpty() ? null : fitting.get(random.nextInt(fitting.size())).name();
  }

  private String leaf(SqlType type, List<Column> scope) {
    String column = random.nextInt(4) == 0 ? null : column(type, scope);
    if (column != null) {
      return column;
    }
    String value = random.nextInt(12) == 0 ? "NULL" : type.literal(random);
    return "CAST(" + value + " AS " + type.declaration() + ")";
  }

  String of(SqlType type, List<Column> scope, int depth) {
    if (depth <= 0 || random.nextInt(4) == 0) {
      return type == SqlType.BOOL ? comparison(scope, 0) : leaf(type, scope);
    }
    int d = depth - 1;
    switch (random.nextInt(10)) {
      case 0 -> {
        return "CASE WHEN %s THEN %s ELSE %s END"
            .formatted(of(SqlType.BOOL, scope, d), of(type, scope, d), of(type, scope, d));
      }
      case 1 -> {
        return "coalesce(%s, %s)".formatted(of(type, scope, d), of(type, scope, d));
      }
      case 2 -> {
        return "nullif(%s, %s)".formatted(of(type, scope, d), leaf(type, scope));
      }
      case 3 -> {
        return pick("greatest", "least")
            + "(%s, %s)".formatted(of(type, scope, d), of(type, scope, d));
      }
      default -> {
        return operation(type, scope, d);
      }
    }
  }

  private String operation(SqlType type, List<Column> scope, int d) {
    return switch (type) {
      case INT2, INT4, INT8 ->
          switch (random.nextInt(6)) {
            case 0 -> "CAST(length(%s) AS %s)".formatted(text(scope, d), type.declaration());
            case 1 -> "CAST(%s AS %s)".formatted(of(SqlType.INT2, scope, d), type.declaration());
            case 2 -> "abs(%s)".formatted(leaf(type, scope));
            case 3 ->
                "(%s %s %s)".formatted(leaf(type, scope), pick("&", "|", "#"), leaf(type, scope));
            case 4 ->
                "CAST((%s - %s) AS %s)"
                    .formatted(leaf(type, scope), pick("1", "2"), type.declaration());
            default ->
                "CAST((%s %s %s) AS %s)"
                    .formatted(
                        leaf(SqlType.INT2, scope),
                        pick("+", "-", "*"),
                        leaf(SqlType.INT2, scope),
                        type.declaration());
          };
      case NUMERIC ->
          switch (random.nextInt(4)) {
            case 0 -> "round(%s, %d)".formatted(of(type, scope, d), random.nextInt(4));
            case 1 ->
                "CAST(%s AS numeric)".formatted(leaf(pick(SqlType.INT4, SqlType.INT8), scope));
            case 2 -> "(- %s)".formatted(of(type, scope, d));
            default ->
                "(%s %s %s)".formatted(of(type, scope, d), pick("+", "-", "*"), leaf(type, scope));
          };
      case NUMERIC_8_2 -> "CAST(%s AS numeric(8,2))".formatted(leaf(SqlType.INT2, scope));
      case FLOAT8 -> "(%s %s %s)".formatted(of(type, scope, d), pick("+", "-"), leaf(type, scope));
      case TEXT ->
          switch (random.nextInt(6)) {
            case 0 -> "(%s || %s)".formatted(text(scope, d), text(scope, d));
            case 1 -> pick("lower", "upper", "trim", "reverse") + "(" + text(scope, d) + ")";
            case 2 ->
                "substr(%s, %d, %d)"
                    .formatted(text(scope, d), random.nextInt(3), random.nextInt(3));
            case 3 -> "replace(%s, 'a', %s)".formatted(text(scope, d), leaf(SqlType.TEXT, scope));
            case 4 -> "left(%s, %s)".formatted(text(scope, d), leaf(SqlType.INT4, scope));
            default ->
                "CAST(%s AS text)"
                    .formatted(
                        leaf(
                            pick(
                                SqlType.INT4,
                                SqlType.BOOL,
                                SqlType.DATE,
                                SqlType.CHAR,
                                SqlType.TIMESTAMP),
                            scope));
          };
      case VARCHAR, CHAR ->
          "CAST(%s AS %s)".formatted(leaf(SqlType.TEXT, scope), type.declaration());
      case BOOL ->
          switch (random.nextInt(4)) {
            case 0 -> "(NOT %s)".formatted(of(type, scope, d));
            case 1 -> comparison(scope, d);
            default ->
                "(%s %s %s)".formatted(of(type, scope, d), pick("AND", "OR"), of(type, scope, d));
          };
      case DATE ->
          random.nextBoolean()
              ? "(%s + %d)".formatted(leaf(type, scope), random.nextInt(40))
              : "CAST(%s AS date)".formatted(leaf(SqlType.TIMESTAMP, scope));
      case TIMESTAMP ->
          switch (random.nextInt(3)) {
            case 0 -> "(%s + interval '1 month')".formatted(leaf(type, scope));
            case 1 ->
                "date_trunc('%s', %s)".formatted(pick("month", "hour", "week"), leaf(type, scope));
            default -> "CAST(%s AS timestamp)".formatted(leaf(SqlType.DATE, scope));
          };
    };
  }

  private String text(List<Column> scope, int depth) {
    return of(pick(SqlType.TEXT, SqlType.TEXT, SqlType.VARCHAR), scope, depth);
  }

  private String comparison(List<Column> scope, int d) {
    SqlType type =
        scope.isEmpty() ? SqlType.any(random) : scope.get(random.nextInt(scope.size())).type();
    String left = type == SqlType.BOOL ? leaf(type, scope) : of(type, scope, d);
    switch (random.nextInt(d <= 0 ? 7 : 9)) {
      case 0:
        return "(%s IS %sNULL)".formatted(left, pick("", "NOT "));
      case 1:
        return "(%s %sBETWEEN %s AND %s)"
            .formatted(left, pick("", "NOT "), leaf(type, scope), leaf(type, scope));
      case 2:
        return "(%s %sIN (%s, %s))"
            .formatted(left, pick("", "NOT "), leaf(type, scope), type.literal(random));
      case 3:
        return "(%s IS %sDISTINCT FROM %s)".formatted(left, pick("", "NOT "), leaf(type, scope));
      case 4:
        if (type.isText()) {
          return "(%s %s '%s')"
              .formatted(left, pick("LIKE", "NOT LIKE", "ILIKE", "~"), pick("a%", "%b", "_", "a"));
        }
        return "(%s = %s)".formatted(left, leaf(type, scope));
      case 7:
        return "(%s %s (%s))"
            .formatted(
                left,
                pick("IN", "NOT IN", "= ANY", "> ALL", "<= ANY"),
                subquery.apply(type, scope));
      case 8:
        return "(%sEXISTS (%s))".formatted(pick("", "NOT "), subquery.apply(type, scope));
      default:
        SqlType right =
            type.isNumber() && random.nextInt(3) == 0
                ? pick(SqlType.INT2, SqlType.INT4, SqlType.INT8, SqlType.NUMERIC, SqlType.FLOAT8)
                : type;
        return "(%s %s %s)"
            .formatted(left, pick("=", "=", "<>", "<", "<=", ">", ">="), leaf(right, scope));
    }
  }

  /** An aggregate of a column in scope. */
  String aggregate(List<Column> scope) {
    Column column = scope.get(random.nextInt(scope.size()));
    String name = column.name();
    SqlType type = column.type();
    String filter =
        random.nextInt(6) == 0 ? " FILTER (WHERE " + of(SqlType.BOOL, scope, 1) + ")" : "";
    String distinct = random.nextInt(4) == 0 ? "DISTINCT " : "";
    return switch (random.nextInt(4)) {
      case 0 -> "count(*)" + filter;
      case 1 -> "count(%s%s)".formatted(distinct, name) + filter;
      default -> {
        if (type.isNumber()) {
          yield "%s(%s%s)".formatted(pick("sum", "avg", "min", "max"), distinct, name) + filter;
        }
        if (type == SqlType.BOOL) {
          yield "%s(%s)".formatted(pick("bool_and", "bool_or", "every"), name) + filter;
        }
        if (type == SqlType.TEXT && random.nextBoolean()) {
          yield "string_agg(%s, ',' ORDER BY %s)".formatted(name, name) + filter;
        }
        yield "%s(%s)".formatted(pick("min", "max"), name) + filter;
      }
    };
  }

  /** An expression that fails for some values, or that makes no sense. */
  String risky(List<Column> scope) {
    SqlType type = SqlType.any(random);
    SqlType other = SqlType.any(random);
    return switch (random.nextInt(7)) {
      case 0 -> "(%s / %s)".formatted(leaf(SqlType.INT4, scope), leaf(SqlType.INT2, scope));
      case 1 -> "(%s %% %s)".formatted(leaf(SqlType.NUMERIC, scope), leaf(SqlType.INT4, scope));
      case 2 -> "CAST(%s AS integer)".formatted(leaf(SqlType.TEXT, scope));
      case 3 -> "CAST(%s AS smallint)".formatted(leaf(SqlType.INT8, scope));
      case 4 -> "sqrt(%s)".formatted(leaf(SqlType.FLOAT8, scope));
      case 5 -> "CAST(%s AS %s)".formatted(leaf(type, scope), other.declaration());
      default ->
          "(%s %s %s)"
              .formatted(
                  leaf(type, scope), pick("+", "-", "*", "||", "=", "<"), leaf(other, scope));
    };
  }
}
