package io.gauss.compute.sql.bind.set;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.ColumnExpr;
import io.gauss.compute.expr.ConstExpr;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.expr.call.CastContext;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.ResolvedCall;
import io.gauss.compute.sql.algebra.PgConstant;
import io.gauss.compute.sql.algebra.PgFunction;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.bind.type.Coercion;
import io.gauss.compute.sql.exec.RowProducer;
import io.gauss.compute.sql.exec.function.ArrayElements;
import io.gauss.compute.sql.exec.function.Keywords;
import io.gauss.compute.sql.exec.function.ListeningChannels;
import io.gauss.compute.sql.exec.function.Lockstep;
import io.gauss.compute.sql.exec.function.RegexpRows;
import io.gauss.compute.sql.exec.function.SeriesProducer;
import io.gauss.compute.sql.exec.function.SteppedSeries;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rex.RexNode;

/**
 * The set-returning functions: from name and arguments to the generator of the rows. One statement,
 * one thread.
 */
public final class SetFunctions {
  private static final Set<String> NAMES =
      Set.of(
          "generate_series",
          "generate_subscripts",
          "unnest",
          "regexp_matches",
          "regexp_split_to_table",
          "string_to_table",
          "_pg_expandarray",
          "pg_get_keywords",
          "pg_listening_channels",
          "pg_options_to_table",
          "pg_partition_ancestors",
          "pg_partition_tree",
          "aclexplode");

  private final FunctionRegistry functions;
  private final Coercion coercion;

  public SetFunctions(FunctionRegistry functions, Coercion coercion) {
    this.functions = functions;
    this.coercion = coercion;
  }

  public static boolean contains(String name) {
    return NAMES.contains(name) || JsonSetFunctions.NAMES.contains(name);
  }

  /**
   * A call whose overload has been found. Equal ones make the same rows.
   *
   * @param columns names of the row's columns; one that has the function's name gets the table's
   *     alias instead
   */
  public record Call(String name, List<String> columns, List<PgType> types, RowProducer producer) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Call that && name.equals(that.name) && types.equals(that.types);
    }

    @Override
    public int hashCode() {
      return name.hashCode();
    }
  }

  /** A call with its arguments, converted to the function's parameter types. */
  public record Resolved(Call call, List<RexNode> arguments) {}

  /**
   * @throws GaussException 42883 when there is no such overload
   */
  public Resolved resolve(String name, List<RexNode> arguments, int position) {
    if (JsonSetFunctions.NAMES.contains(name)) {
      return new JsonSetFunctions(coercion).resolve(name, arguments, position);
    }
    return switch (name) {
      case "generate_series" -> series(arguments, position);
      case "unnest" -> unnest(arguments, position);
      case "_pg_expandarray" -> {
        count(name, arguments, 1, 1, position);
        PgType element = element(name, arguments, 0, position);
        yield new Resolved(
            new Call(
                name,
                List.of("x", "n"),
                List.of(element, PgType.INT4),
                new ArrayElements(element, ArrayElements.Form.NUMBERED)),
            arguments);
      }
      case "generate_subscripts" -> subscripts(arguments, position);
      case "regexp_matches" -> {
        List<RexNode> typed = texts(name, arguments, position);
        yield new Resolved(
            new Call(name, List.of(name), List.of(PgType.TEXT_ARRAY), RegexpRows.INSTANCE), typed);
      }
      case "regexp_split_to_table" -> pieces(name, name, arguments, position);
      case "string_to_table" -> pieces(name, "string_to_array", arguments, position);
      case "pg_get_keywords" -> {
        count(name, arguments, 0, 0, position);
        yield new Resolved(
            new Call(
                name,
                List.of("word", "catcode", "barelabel", "catdesc", "baredesc"),
                List.of(PgType.TEXT, PgType.CHAR, PgType.BOOL, PgType.TEXT, PgType.TEXT),
                Keywords.ROWS),
            List.of());
      }
      case "pg_listening_channels" -> {
        count(name, arguments, 0, 0, position);
        yield new Resolved(
            new Call(name, List.of(name), List.of(PgType.TEXT), ListeningChannels.INSTANCE),
            List.of());
      }
      default -> about(name, arguments, position);
    };
  }

  private Resolved subscripts(List<RexNode> arguments, int position) {
    String name = "generate_subscripts";
    count(name, arguments, 2, 3, position);
    PgType element = element(name, arguments, 0, position);
    List<RexNode> typed = new ArrayList<>();
    typed.add(arguments.get(0));
    typed.add(to(arguments.get(1), PgType.INT4, position));
    if (arguments.size() > 2) {
      typed.add(to(arguments.get(2), PgType.BOOL, position));
    }
    return new Resolved(
        new Call(
            name,
            List.of(name),
            List.of(PgType.INT4),
            new ArrayElements(element, ArrayElements.Form.SUBSCRIPT)),
        typed);
  }

  /** Two or three arguments of type text. */
  private List<RexNode> texts(String name, List<RexNode> arguments, int position) {
    count(name, arguments, 2, 3, position);
    List<RexNode> typed = new ArrayList<>();
    for (RexNode argument : arguments) {
      PgType type = PgRex.type(argument);
      boolean text =
          type.isUnknown()
              || type.is(PgType.TEXT)
              || type.is(PgType.VARCHAR)
              || type.is(PgType.BPCHAR)
              || type.is(PgType.NAME);
      if (!text) {
        throw missing(name, arguments, position);
      }
      typed.add(to(argument, PgType.TEXT, position));
    }
    return typed;
  }

  /** A function whose rows are the elements of the array that another function returns. */
  private Resolved pieces(
      String name, String arrayFunction, List<RexNode> arguments, int position) {
    List<RexNode> typed = texts(name, arguments, position);
    ResolvedCall array =
        functions.function(arrayFunction, Collections.nCopies(typed.size(), PgType.TEXT));
    return new Resolved(
        new Call(
            name,
            List.of(name),
            List.of(PgType.TEXT),
            new ArrayElements(PgType.TEXT, ArrayElements.Form.ELEMENT)),
        List.of(PgRex.call(new PgFunction(array.function()), array.resultType(), typed)));
  }

  /** Functions about features that Gauss does not have: they never return a row. */
  private Resolved about(String name, List<RexNode> arguments, int position) {
    count(name, arguments, 1, 1, position);
    PgType argument;
    List<String> columns;
    List<PgType> types;
    switch (name) {
      case "pg_options_to_table" -> {
        argument = PgType.TEXT_ARRAY;
        columns = List.of("option_name", "option_value");
        types = List.of(PgType.TEXT, PgType.TEXT);
      }
      case "aclexplode" -> {
        argument = PgType.TEXT_ARRAY;
        columns = List.of("grantor", "grantee", "privilege_type", "is_grantable");
        types = List.of(PgType.OID, PgType.OID, PgType.TEXT, PgType.BOOL);
      }
      case "pg_partition_tree" -> {
        argument = PgType.REGCLASS;
        columns = List.of("relid", "parentrelid", "isleaf", "level");
        types = List.of(PgType.REGCLASS, PgType.REGCLASS, PgType.BOOL, PgType.INT4);
      }
      default -> {
        argument = PgType.REGCLASS;
        columns = List.of("relid");
        types = List.of(PgType.REGCLASS);
      }
    }
    return new Resolved(
        new Call(name, columns, types, (ctx, values) -> (out, maxRows) -> false),
        List.of(to(arguments.getFirst(), argument, position)));
  }

  private RexNode to(RexNode node, PgType type, int position) {
    return coercion.to(node, type, CastContext.IMPLICIT, position);
  }

  private static void count(
      String name, List<RexNode> arguments, int least, int most, int position) {
    if (arguments.size() < least || arguments.size() > most) {
      throw missing(name, arguments, position);
    }
  }

  static GaussException missing(String name, List<RexNode> arguments, int position) {
    List<String> types = arguments.stream().map(a -> PgRex.type(a).displayName()).toList();
    return new GaussException(
            SqlState.UNDEFINED_FUNCTION,
            "function " + name + "(" + String.join(", ", types) + ") does not exist")
        .hint(
            "No function matches the given name and argument types. "
                + "You might need to add explicit type casts.")
        .position(position);
  }

  private static PgType element(String name, List<RexNode> arguments, int which, int position) {
    PgType type = PgRex.type(arguments.get(which));
    if (type.isUnknown()) {
      throw new GaussException(
              SqlState.DATATYPE_MISMATCH,
              "could not determine polymorphic type because input has type unknown")
          .position(position);
    }
    if (!type.isArray()) {
      throw missing(name, arguments, position);
    }
    return type.element();
  }

  private Resolved unnest(List<RexNode> arguments, int position) {
    count("unnest", arguments, 1, Integer.MAX_VALUE, position);
    List<String> names = new ArrayList<>();
    List<PgType> types = new ArrayList<>();
    List<Lockstep.Part> parts = new ArrayList<>();
    for (int i = 0; i < arguments.size(); i++) {
      PgType element = element("unnest", arguments, i, position);
      names.add("unnest");
      types.add(element);
      parts.add(
          new Lockstep.Part(
              new ArrayElements(element, ArrayElements.Form.ELEMENT), 1, new PgType[] {element}));
    }
    RowProducer producer =
        parts.size() == 1
            ? parts.getFirst().producer()
            : new Lockstep(parts.toArray(Lockstep.Part[]::new), false);
    return new Resolved(new Call("unnest", names, types, producer), arguments);
  }

  // ------------------------------------------------------------------ generate_series

  private Resolved series(List<RexNode> given, int position) {
    String name = "generate_series";
    count(name, given, 2, 3, position);
    List<PgType> types = given.stream().map(PgRex::type).toList();
    boolean times = types.stream().anyMatch(t -> t.is(PgType.TIMESTAMPTZ) || isTimestamp(t));
    if (times || (types.size() == 3 && types.get(2).is(PgType.INTERVAL))) {
      return times(given, types, position);
    }
    PgType type;
    try {
      type = coercion.common(name, given, position);
    } catch (GaussException e) {
      throw missing(name, given, position);
    }
    if (type.is(PgType.INT2) || type.is(PgType.TEXT)) {
      type = PgType.INT4;
    }
    List<RexNode> arguments = new ArrayList<>();
    if (!type.isInteger() && !type.is(PgType.NUMERIC)) {
      throw missing(name, given, position);
    }
    type = type.withTypmod(-1);
    for (RexNode argument : given) {
      arguments.add(to(argument, type, position));
    }
    if (type.isInteger()) {
      return new Resolved(
          new Call(name, List.of(name), List.of(type), SeriesProducer.INSTANCE), arguments);
    }
    if (arguments.size() == 2) {
      arguments.add(to(PgConstant.ofLong(PgType.INT4, 1), type, position));
    }
    return stepped(type, type, ConstExpr.ofLong(PgType.INT4, 0), arguments);
  }

  private static boolean isTimestamp(PgType type) {
    return type.is(PgType.TIMESTAMP) || type.is(PgType.DATE);
  }

  private Resolved times(List<RexNode> given, List<PgType> types, int position) {
    if (given.size() != 3) {
      throw missing("generate_series", given, position);
    }
    // Dates become timestamps with time zone, the preferred type of their category.
    boolean plain = types.get(0).is(PgType.TIMESTAMP) || types.get(1).is(PgType.TIMESTAMP);
    boolean zoned = types.get(0).is(PgType.TIMESTAMPTZ) || types.get(1).is(PgType.TIMESTAMPTZ);
    PgType type = plain && !zoned ? PgType.TIMESTAMP : PgType.TIMESTAMPTZ;
    List<RexNode> arguments =
        List.of(
            to(given.get(0), type, position),
            to(given.get(1), type, position),
            to(given.get(2), PgType.INTERVAL, position));
    return stepped(
        type, PgType.INTERVAL, ConstExpr.copyOf(PgType.INTERVAL, zeroInterval()), arguments);
  }

  private static io.gauss.compute.type.Value zeroInterval() {
    io.gauss.compute.type.Value zero = new io.gauss.compute.type.Value();
    zero.setBytes(new byte[16], 0, 16);
    return zero;
  }

  private Resolved stepped(PgType type, PgType step, Expr zero, List<RexNode> arguments) {
    Expr value = new ColumnExpr(0, type);
    Expr by = new ColumnExpr(1, step);
    RowProducer producer =
        new SteppedSeries(
            type,
            step,
            functions.operator("+", type, step).bind(value, by),
            functions.operator(">", step, zero.type()).bind(by, zero),
            functions.operator("<", step, zero.type()).bind(by, zero));
    return new Resolved(
        new Call("generate_series", List.of("generate_series"), List.of(type), producer),
        arguments);
  }
}
