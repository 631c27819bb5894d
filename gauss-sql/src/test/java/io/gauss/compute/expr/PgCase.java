package io.gauss.compute.expr;

import io.gauss.common.error.GaussException;
import io.gauss.compute.expr.call.CastContext;
import io.gauss.compute.expr.call.CastRegistry;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.ResolvedAggregate;
import io.gauss.compute.expr.call.ResolvedCall;
import io.gauss.compute.expr.library.BuiltinLibraries;
import io.gauss.compute.reference.PostgresClient;
import io.gauss.compute.row.ColumnVector;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Value;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/**
 * One line of an expectation file: an expression by its parts, and what PostgreSQL answers. Fields
 * are separated by tabs, backslash, tab and newline in them are written \\, \t, \n.
 *
 * <pre>
 * io    type  text                     => text form and binary form in hex
 * cast  type:text  type                => type:text
 * op    symbol  type:text [type:text]  => type:text      (one operand: prefix operator)
 * fn    name  type:text ...            => type:text
 * agg   name  type  text,text,...      => type:text      (values; \N is NULL)
 * </pre>
 *
 * <p>{@code type:\N} is NULL of that type. What comes out may be {@code type:\N}, or {@code ERROR
 * sqlstate message}. The pseudo case {@code zone name} sets the time zone of what follows.
 */
record PgCase(List<String> fields, String expected) {
  static final String ARROW = "=>";
  private static final FunctionRegistry FUNCTIONS = BuiltinLibraries.registry();

  static PgCase parse(String line) {
    List<String> fields = new ArrayList<>(Arrays.asList(line.split("\t", -1)));
    int arrow = fields.indexOf(ARROW);
    String expected = null;
    if (arrow >= 0) {
      expected = unescape(String.join("\t", fields.subList(arrow + 1, fields.size())));
      fields = fields.subList(0, arrow);
    }
    return new PgCase(fields.stream().map(PgCase::unescape).toList(), expected);
  }

  private static String escape(String text) {
    return text.replace("\\", "\\\\")
        .replace("\t", "\\t")
        .replace("\n", "\\n")
        .replace("\r", "\\r");
  }

  private static String unescape(String text) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\' && i + 1 < text.length()) {
        char next = text.charAt(++i);
        out.append(
            switch (next) {
              case 't' -> "\t";
              case 'n' -> "\n";
              case 'r' -> "\r";
              case 'N' -> "\0";
              default -> String.valueOf(next);
            });
      } else {
        out.append(c);
      }
    }
    return out.toString();
  }

  /** Whether it has an answer; else it only says how what follows is asked. */
  boolean isQuestion() {
    return !fields.get(0).equals("zone");
  }

  /** The SQL that asks PostgreSQL for the answer, or sets what the case sets. */
  String sql() {
    return switch (fields.get(0)) {
      case "io" -> {
        String value = literal(fields.get(2)) + "::" + fields.get(1);
        yield "SELECT x, encode("
            + sendFunction(fields.get(1))
            + "(x), 'hex') FROM (SELECT "
            + value
            + " AS x) s";
      }
      case "cast" -> select("CAST(" + operand(fields.get(1)) + " AS " + fields.get(2) + ")");
      case "op" ->
          select(
              fields.size() == 3
                  ? fields.get(1) + " " + operand(fields.get(2))
                  : operand(fields.get(2)) + " " + fields.get(1) + " " + operand(fields.get(3)));
      case "fn" ->
          select(
              "\""
                  + fields.get(1)
                  + "\"("
                  + String.join(", ", fields.stream().skip(2).map(PgCase::operand).toList())
                  + ")");
      case "agg" -> {
        List<String> rows = new ArrayList<>();
        for (String item : fields.get(3).split(",")) {
          rows.add("(" + operand(fields.get(2) + ":" + item) + ")");
        }
        String call = fields.get(1) + "(x)";
        yield "SELECT pg_typeof("
            + call
            + ")::text, "
            + call
            + " FROM (VALUES "
            + String.join(", ", rows)
            + ") v(x)";
      }
      case "zone" -> "SET TimeZone = " + literal(fields.get(1));
      default -> throw new IllegalArgumentException(fields.toString());
    };
  }

  /** What PostgreSQL gave back for {@link #sql}, in the form of {@link #expected}. */
  String recorded(PostgresClient.Answer answer) {
    return String.join("\t", answerFields(answer));
  }

  /** The same as it stands in a file. */
  String recordedLine(PostgresClient.Answer answer) {
    return answerFields(answer).stream().map(PgCase::escape).collect(Collectors.joining("\t"));
  }

  private List<String> answerFields(PostgresClient.Answer answer) {
    if (answer.error() != null) {
      return List.of("ERROR " + answer.error().state() + " " + answer.error().message());
    }
    if (answer.rows().size() != 1) {
      throw new IllegalStateException(fields + " has " + answer.rows().size() + " answers");
    }
    String first = answer.rows().getFirst().get(0);
    String second = answer.rows().getFirst().get(1);
    return fields.get(0).equals("io")
        ? List.of(first, second)
        : List.of(first + ":" + (second == null ? "\\N" : second));
  }

  private static String select(String expression) {
    return "SELECT pg_typeof(x)::text, x FROM (SELECT " + expression + " AS x) s";
  }

  private static String sendFunction(String type) {
    PgType base = PgTypes.byName(baseName(type), modifiers(type));
    if (base.isArray()) {
      return "array_send";
    }
    return switch (base.name()) {
      case "numeric",
          "date",
          "time",
          "timestamp",
          "timestamptz",
          "interval",
          "uuid",
          "json",
          "jsonb" ->
          base.name() + "_send";
      default -> base.name() + "send";
    };
  }

  private static String literal(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  private static String operand(String field) {
    int colon = field.indexOf(':');
    String type = field.substring(0, colon);
    String text = field.substring(colon + 1);
    String value = text.equals("\0") ? "NULL" : literal(text);
    return type.equals("unknown") ? value : "CAST(" + value + " AS " + type + ")";
  }

  private static String baseName(String type) {
    int open = type.indexOf('(');
    if (open < 0) {
      return type;
    }
    return type.substring(0, open) + type.substring(type.indexOf(')') + 1);
  }

  private static int[] modifiers(String type) {
    int open = type.indexOf('(');
    if (open < 0) {
      return new int[0];
    }
    return Arrays.stream(type.substring(open + 1, type.indexOf(')')).split(","))
        .mapToInt(m -> Integer.parseInt(m.strip()))
        .toArray();
  }

  private static PgType type(String name) {
    return name.equals("unknown")
        ? PgType.UNKNOWN
        : PgTypes.byName(baseName(name), modifiers(name));
  }

  /**
   * What Gauss answers, in the form of {@link #expected}.
   *
   * @param columns whether the operands come as columns of a batch rather than as constants
   */
  String answer(ZoneId zone, boolean columns) {
    EvalContext ctx = new EvalContext();
    ctx.timeZone = zone;
    try {
      return switch (fields.get(0)) {
        case "io" -> io(ctx);
        case "agg" -> aggregate(ctx);
        default -> evaluate(ctx, columns);
      };
    } catch (GaussException e) {
      return "ERROR " + e.state().code() + " " + e.getMessage();
    }
  }

  private String io(EvalContext ctx) {
    PgType type = type(fields.get(1));
    Expr literal =
        CastRegistry.coerce(
            ConstExpr.ofText(PgType.UNKNOWN, fields.get(2)), type, CastContext.EXPLICIT);
    Value value = new Value();
    literal.eval(ctx, null, 0, value);
    ByteSink binary = new ByteSink();
    TypeCodec.of(type).writeBinary(value, binary);
    return text(ctx, type, value) + "\t" + HexFormat.of().formatHex(binary.toByteArray());
  }

  private static String text(EvalContext ctx, PgType type, Value value) {
    return value.isNull ? "\\N" : TypeCodec.of(type).toText(value, ctx);
  }

  private String evaluate(EvalContext ctx, boolean columns) {
    int first = fields.get(0).equals("cast") ? 1 : 2;
    int last = fields.get(0).equals("cast") ? 2 : fields.size();
    List<Expr> operands = new ArrayList<>();
    List<ColumnVector> vectors = new ArrayList<>();
    for (String field : fields.subList(first, last)) {
      int colon = field.indexOf(':');
      PgType type = type(field.substring(0, colon));
      String text = field.substring(colon + 1);
      Expr constant =
          text.equals("\0")
              ? ConstExpr.ofNull(type)
              : CastRegistry.coerce(
                  ConstExpr.ofText(PgType.UNKNOWN, text), type, CastContext.EXPLICIT);
      if (!columns || type.isUnknown()) {
        operands.add(constant);
        continue;
      }
      Value value = new Value();
      constant.eval(ctx, null, 0, value);
      ColumnVector vector = new ColumnVector(type.kind());
      vector.set(0, value);
      operands.add(new ColumnExpr(vectors.size(), type));
      vectors.add(vector);
    }
    RowBatch batch = new RowBatch(vectors.toArray(ColumnVector[]::new));
    Expr expr = bind(operands);
    Value out = new Value();
    expr.eval(ctx, batch, 0, out);
    return expr.type().displayName() + ":" + text(ctx, expr.type(), out);
  }

  private Expr bind(List<Expr> operands) {
    List<PgType> types = operands.stream().map(Expr::type).toList();
    return switch (fields.get(0)) {
      case "cast" ->
          CastRegistry.coerce(operands.get(0), type(fields.get(2)), CastContext.EXPLICIT);
      case "op" -> {
        ResolvedCall call =
            types.size() == 1
                ? FUNCTIONS.operator(fields.get(1), null, types.get(0))
                : FUNCTIONS.operator(fields.get(1), types.get(0), types.get(1));
        yield call.bind(operands.toArray(Expr[]::new));
      }
      default -> FUNCTIONS.function(fields.get(1), types).bind(operands.toArray(Expr[]::new));
    };
  }

  private String aggregate(EvalContext ctx) {
    PgType type = type(fields.get(2));
    ResolvedAggregate aggregate = FUNCTIONS.aggregate(fields.get(1), List.of(type));
    PgType argument = aggregate.argumentTypes().get(0);
    Accumulator whole = aggregate.newAccumulator();
    Accumulator part = aggregate.newAccumulator();
    String[] items = fields.get(3).split(",");
    for (int i = 0; i < items.length; i++) {
      if (items[i].equals("\0")) {
        continue;
      }
      Value[] row = {new Value()};
      CastRegistry.coerce(
              CastRegistry.coerce(
                  ConstExpr.ofText(PgType.UNKNOWN, items[i]), type, CastContext.EXPLICIT),
              argument,
              CastContext.IMPLICIT)
          .eval(ctx, null, 0, row[0]);
      // Sums of floats depend on the order.
      (i < items.length / 2 || type.isFloat() ? whole : part).add(ctx, row);
    }
    whole.merge(ctx, part);
    Value out = new Value();
    whole.result(ctx, out);
    return aggregate.resultType().displayName() + ":" + text(ctx, aggregate.resultType(), out);
  }
}
