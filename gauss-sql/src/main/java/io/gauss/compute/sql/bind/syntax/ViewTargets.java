package io.gauss.compute.sql.bind.syntax;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.ViewDef;
import java.util.Locale;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;

/** Which views may be targets of INSERT, UPDATE and DELETE, as far as their text shows. */
public final class ViewTargets {
  private ViewTargets() {}

  /**
   * @param verb insert into, update or delete from
   * @param why null = its select list or FROM is more than columns of one relation
   */
  public static GaussException refused(ViewDef view, String verb, String why) {
    String command = verb.replaceFirst(" .*", "").toUpperCase(Locale.ROOT);
    String doing =
        switch (command) {
          case "INSERT" -> "inserting into";
          case "UPDATE" -> "updating";
          default -> "deleting from";
        };
    return new GaussException(
            SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
            "cannot %s view \"%s\"".formatted(verb, view.name()))
        .detail(
            why != null
                ? why
                : "Views that do not select from a single table or view are not automatically"
                    + " updatable.")
        .hint(
            "To enable %s the view, provide an INSTEAD OF %s trigger or an unconditional ON %s DO INSTEAD rule."
                .formatted(doing, command, command));
  }

  /** The name of the one relation that a query reads of which {@link #whyNot} says nothing. */
  public static SqlIdentifier relation(SqlNode query) {
    SqlNode body = query instanceof SqlOrderBy order ? order.query : query;
    SqlNode from =
        body instanceof SqlSelect select ? select.getFrom() : ((SqlCall) body).operand(0);
    return (SqlIdentifier) (from.getKind() == SqlKind.AS ? ((SqlCall) from).operand(0) : from);
  }

  /** Why rows of a query are not rows of one table; null when they are. */
  public static String whyNot(SqlNode query) {
    SqlNode body = query;
    if (body.getKind() == SqlKind.WITH) {
      return "Views containing WITH are not automatically updatable.";
    }
    if (body instanceof SqlOrderBy order) {
      if (order.fetch != null || order.offset != null) {
        return "Views containing LIMIT or OFFSET are not automatically updatable.";
      }
      body = order.query;
    }
    if (!(body instanceof SqlSelect select)) {
      return switch (body.getKind()) {
        case UNION, INTERSECT, EXCEPT ->
            "Views containing UNION, INTERSECT, or EXCEPT are not automatically updatable.";
        case EXPLICIT_TABLE -> null;
        default ->
            "Views that do not select from a single table or view are not automatically updatable.";
      };
    }
    if (select.isDistinct()) {
      return "Views containing DISTINCT are not automatically updatable.";
    }
    if (select.getGroup() != null) {
      return "Views containing GROUP BY are not automatically updatable.";
    }
    if (select.getHaving() != null) {
      return "Views containing HAVING are not automatically updatable.";
    }
    SqlNode from = select.getFrom();
    if (from instanceof SqlCall as && as.getKind() == SqlKind.AS) {
      from = as.operand(0);
    }
    return from instanceof SqlIdentifier
        ? null
        : "Views that do not select from a single table or view are not automatically updatable.";
  }
}
