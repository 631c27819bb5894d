package io.gauss.compute.sql.bind.set;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.call.CastContext;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.bind.type.Coercion;
import io.gauss.compute.sql.exec.RowProducer;
import io.gauss.compute.sql.exec.function.JsonRecords;
import io.gauss.compute.sql.exec.function.JsonRows;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rex.RexNode;

/** The set-returning functions on JSON. One statement, one thread. */
public final class JsonSetFunctions {
  static final Set<String> NAMES =
      Set.of(
          "json_each",
          "json_each_text",
          "jsonb_each",
          "jsonb_each_text",
          "json_array_elements",
          "json_array_elements_text",
          "jsonb_array_elements",
          "jsonb_array_elements_text",
          "json_object_keys",
          "jsonb_object_keys",
          "json_to_record",
          "jsonb_to_record",
          "json_to_recordset",
          "jsonb_to_recordset");

  private static final Set<String> POPULATING =
      Set.of(
          "json_populate_record",
          "json_populate_recordset",
          "jsonb_populate_record",
          "jsonb_populate_recordset");

  private final Coercion coercion;

  public JsonSetFunctions(Coercion coercion) {
    this.coercion = coercion;
  }

  /** Whether a column definition list says what the function's rows are. */
  public static boolean isRecord(String name) {
    return name.endsWith("_to_record") || name.endsWith("_to_recordset");
  }

  private static boolean isBinary(String name) {
    return name.startsWith("jsonb");
  }

  /** The argument as json or jsonb. */
  private List<RexNode> typed(String name, List<RexNode> arguments, int position) {
    PgType wanted = isBinary(name) ? PgType.JSONB : PgType.JSON;
    PgType given = arguments.size() == 1 ? PgRex.type(arguments.getFirst()) : null;
    if (given == null || !(given.isUnknown() || given.is(wanted))) {
      throw SetFunctions.missing(name, arguments, position);
    }
    return List.of(coercion.to(arguments.getFirst(), wanted, CastContext.IMPLICIT, position));
  }

  SetFunctions.Resolved resolve(String name, List<RexNode> arguments, int position) {
    if (isRecord(name)) {
      throw GaussException.notSupported("function " + name + " outside of FROM").position(position);
    }
    List<RexNode> typed = typed(name, arguments, position);
    boolean binary = isBinary(name);
    boolean asText = name.endsWith("_text");
    PgType value = asText ? PgType.TEXT : binary ? PgType.JSONB : PgType.JSON;
    if (name.contains("_each")) {
      RowProducer fields = new JsonRows(name, JsonRows.Form.FIELDS, binary, asText);
      return new SetFunctions.Resolved(
          new SetFunctions.Call(name, List.of("key", "value"), List.of(PgType.TEXT, value), fields),
          typed);
    }
    if (name.endsWith("_object_keys")) {
      RowProducer keys = new JsonRows(name, JsonRows.Form.NAMES, binary, false);
      return new SetFunctions.Resolved(
          new SetFunctions.Call(name, List.of(name), List.of(PgType.TEXT), keys), typed);
    }
    RowProducer elements = new JsonRows(name, JsonRows.Form.ELEMENTS, binary, asText);
    return new SetFunctions.Resolved(
        new SetFunctions.Call(name, List.of("value"), List.of(value), elements), typed);
  }

  /** Whether the function's rows are those of a table, which the first argument names. */
  public static boolean isPopulating(String name) {
    return POPULATING.contains(name);
  }

  /**
   * {@code json_populate_record(NULL::table, ...)} and the like.
   *
   * @param names of the table's columns
   * @param row the columns of the first argument; empty when it is NULL
   * @param json the second argument
   */
  public SetFunctions.Resolved populated(
      String name,
      List<String> names,
      List<PgType> types,
      List<RexNode> row,
      RexNode json,
      int position) {
    RowProducer rows = new JsonRecords(name, name.endsWith("set"), isBinary(name), names, types);
    List<RexNode> arguments = new ArrayList<>(typed(name, List.of(json), position));
    arguments.addAll(row);
    return new SetFunctions.Resolved(new SetFunctions.Call(name, names, types, rows), arguments);
  }

  /** {@code json_to_record(...) AS alias(name type, ...)} and the like. */
  public SetFunctions.Resolved records(
      String name, List<RexNode> arguments, List<String> names, List<PgType> types, int position) {
    List<RexNode> typed = typed(name, arguments, position);
    Set<String> seen = new HashSet<>();
    for (String column : names) {
      if (!seen.add(column)) {
        throw new GaussException(
            SqlState.DUPLICATE_COLUMN,
            "column name \"%s\" specified more than once".formatted(column));
      }
    }
    RowProducer rows = new JsonRecords(name, name.endsWith("set"), isBinary(name), names, types);
    return new SetFunctions.Resolved(new SetFunctions.Call(name, names, types, rows), typed);
  }
}
