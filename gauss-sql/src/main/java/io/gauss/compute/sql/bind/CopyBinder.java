package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.sql.algebra.BoundQuery;
import io.gauss.compute.sql.algebra.BoundStatement;
import io.gauss.compute.sql.copy.CopyOptions;
import io.gauss.compute.sql.parse.PgParser;
import io.gauss.compute.sql.parse.PgStatement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.calcite.rex.RexNode;

/** Binds COPY. One statement, one thread. */
final class CopyBinder {
  private final Binder binder;

  CopyBinder(Binder binder) {
    this.binder = binder;
  }

  BoundStatement bind(PgStatement.Copy copy, TableDef table, CopyOptions options) {
    if (table == null) {
      return query(copy.query(), options);
    }
    RexNode where =
        copy.where() == null
            ? null
            : binder.condition(
                PgParser.parseExpression(copy.where()), table, "COPY FROM WHERE conditions");
    int[] columns = columns(copy, table);
    List<String> names = new ArrayList<>();
    for (int column : columns) {
      names.add(table.columns().get(column).name());
    }
    checkForced(options, names);
    return copy.from() ? from(table, columns, where) : binder.bind(select(table, names));
  }

  private BoundStatement query(PgStatement statement, CopyOptions options) {
    BoundStatement bound = binder.bind(statement);
    if (bound.columns().isEmpty() && !(bound instanceof BoundStatement.Query)) {
      throw new GaussException(
          SqlState.FEATURE_NOT_SUPPORTED, "COPY query must have a RETURNING clause");
    }
    checkForced(options, bound.columns().stream().map(BoundQuery.Output::name).toList());
    return bound;
  }

  private static int[] columns(PgStatement.Copy copy, TableDef table) {
    if (copy.columns().isEmpty()) {
      return IntStream.range(0, table.columns().size())
          .filter(i -> !table.columns().get(i).isGenerated())
          .toArray();
    }
    int[] columns = new int[copy.columns().size()];
    boolean[] seen = new boolean[table.columns().size()];
    for (int i = 0; i < columns.length; i++) {
      String name = copy.columns().get(i);
      columns[i] = table.columnIndex(name);
      if (columns[i] < 0) {
        throw new GaussException(
            SqlState.UNDEFINED_COLUMN,
            "column \"%s\" of relation \"%s\" does not exist".formatted(name, table.name()));
      }
      if (table.columns().get(columns[i]).isGenerated()) {
        throw new GaussException(
                SqlState.INVALID_COLUMN_REFERENCE,
                "column \"%s\" is a generated column".formatted(name))
            .detail("Generated columns cannot be used in COPY.");
      }
      if (seen[columns[i]]) {
        throw new GaussException(
            SqlState.DUPLICATE_COLUMN, "column \"%s\" specified more than once".formatted(name));
      }
      seen[columns[i]] = true;
    }
    return columns;
  }

  private static void checkForced(CopyOptions options, List<String> names) {
    checkForced("FORCE_QUOTE", options.forceQuote(), names);
    checkForced("FORCE_NOT_NULL", options.forceNotNull(), names);
    checkForced("FORCE_NULL", options.forceNull(), names);
  }

  private static void checkForced(String option, CopyOptions.Columns forced, List<String> names) {
    if (forced.names() == null) {
      return;
    }
    for (String name : forced.names()) {
      if (!names.contains(name)) {
        throw new GaussException(
            SqlState.INVALID_COLUMN_REFERENCE,
            "%s column \"%s\" not referenced by COPY".formatted(option, name));
      }
    }
  }

  private BoundStatement.CopyFrom from(TableDef table, int[] columns, RexNode where) {
    List<RexNode> defaults = new ArrayList<>();
    for (int i = 0; i < table.columns().size(); i++) {
      int column = i;
      boolean given = Arrays.stream(columns).anyMatch(c -> c == column);
      defaults.add(given ? null : binder.columnDefault(table, i));
    }
    List<RexNode> conversions = new ArrayList<>();
    for (int column : columns) {
      conversions.add(binder.columnConversion(table, column));
    }
    return new BoundStatement.CopyFrom(table, columns, conversions, defaults, where);
  }

  private static PgStatement select(TableDef table, List<String> names) {
    return PgParser.parse(
            names.stream()
                .map(CopyBinder::quoted)
                .collect(
                    Collectors.joining(
                        ", ",
                        "SELECT ",
                        " FROM " + quoted(table.schema()) + "." + quoted(table.name()))))
        .statement();
  }

  private static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }
}
