package io.gauss.compute.expr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.compute.expr.call.CastContext;
import io.gauss.compute.expr.call.CastRegistry;
import io.gauss.compute.expr.call.Exprs;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.library.BuiltinLibraries;
import io.gauss.compute.row.ColumnVector;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Value;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExprsTest {
  private static final FunctionRegistry FUNCTIONS = BuiltinLibraries.registry();
  private static final Expr TRUE = ConstExpr.ofBoolean(true);
  private static final Expr FALSE = ConstExpr.ofBoolean(false);
  private static final Expr NULL = ConstExpr.ofNull(PgType.BOOL);

  private static Expr literal(String text) {
    return ConstExpr.ofText(PgType.UNKNOWN, text);
  }

  private static Expr constant(PgType type, String text) {
    return CastRegistry.coerce(literal(text), type, CastContext.EXPLICIT);
  }

  private static Expr int4(long value) {
    return ConstExpr.ofLong(PgType.INT4, value);
  }

  private static Expr op(String symbol, Expr a, Expr b) {
    return FUNCTIONS.operator(symbol, a.type(), b.type()).bind(a, b);
  }

  private static Expr call(String name, Expr... arguments) {
    return FUNCTIONS
        .function(name, java.util.Arrays.stream(arguments).map(Expr::type).toList())
        .bind(arguments);
  }

  private static String show(Expr expr) {
    return show(expr, new EvalContext(), null);
  }

  private static String show(Expr expr, EvalContext ctx, RowBatch batch) {
    Value out = new Value();
    expr.eval(ctx, batch, 0, out);
    return out.isNull ? "NULL" : TypeCodec.of(expr.type()).toText(out, ctx);
  }

  /** A column of one row. */
  private static RowBatch row(Expr... constants) {
    ColumnVector[] vectors = new ColumnVector[constants.length];
    for (int i = 0; i < vectors.length; i++) {
      Value value = new Value();
      constants[i].eval(new EvalContext(), null, 0, value);
      vectors[i] = new ColumnVector(constants[i].type().kind());
      vectors[i].set(0, value);
    }
    return new RowBatch(vectors);
  }

  private static String error(org.junit.jupiter.api.function.Executable body) {
    GaussException e = assertThrows(GaussException.class, body);
    return e.state().code() + " " + e.getMessage();
  }

  @Test
  void and_or_and_not_follow_three_valued_logic() {
    Expr[] values = {TRUE, FALSE, NULL};
    String[] and = {"t", "f", "NULL", "f", "f", "f", "NULL", "f", "NULL"};
    String[] or = {"t", "t", "t", "t", "f", "NULL", "t", "NULL", "NULL"};
    for (int i = 0; i < 9; i++) {
      RowBatch row = row(values[i / 3], values[i % 3]);
      List<Expr> columns = List.of(new ColumnExpr(0, PgType.BOOL), new ColumnExpr(1, PgType.BOOL));
      assertEquals(and[i], show(Exprs.and(columns), new EvalContext(), row));
      assertEquals(or[i], show(Exprs.or(columns), new EvalContext(), row));
      assertEquals(and[i].equals("t"), Exprs.and(columns).test(new EvalContext(), row, 0));
      assertEquals(or[i].equals("t"), Exprs.or(columns).test(new EvalContext(), row, 0));
    }
    assertEquals("NULL", show(Exprs.not(NULL)));
    assertEquals("f", show(Exprs.not(TRUE)));
  }

  @Test
  void is_answers_never_null() {
    assertEquals("t", show(Exprs.isNull(NULL)));
    assertEquals("f", show(Exprs.isBoolean(NULL, true, false)));
    assertEquals("t", show(Exprs.isBoolean(NULL, true, true)));
    assertEquals("t", show(Exprs.isBoolean(FALSE, false, false)));
    assertEquals("t", show(Exprs.isUnknown(NULL, false)));
    assertEquals("f", show(Exprs.isDistinct(FUNCTIONS, NULL, NULL, false)));
    assertEquals(
        "t", show(Exprs.isDistinct(FUNCTIONS, int4(1), ConstExpr.ofNull(PgType.INT8), false)));
    assertEquals(
        "t", show(Exprs.isDistinct(FUNCTIONS, int4(1), constant(PgType.NUMERIC, "1.0"), true)));
  }

  @Test
  void conditions_must_be_boolean() {
    assertEquals(
        "42804 argument of AND must be type boolean, not type integer",
        error(() -> Exprs.and(List.of(TRUE, int4(1)))));
  }

  @Test
  void case_evaluates_only_the_branch_it_takes() {
    Expr column = new ColumnExpr(0, PgType.INT4);
    Expr divided = op("/", int4(10), column);
    Expr guarded =
        Exprs.caseWhen(
            List.of(op("<>", column, int4(0))), List.of(divided), ConstExpr.ofNull(PgType.UNKNOWN));
    assertEquals("NULL", show(guarded, new EvalContext(), row(int4(0))));
    assertEquals("5", show(guarded, new EvalContext(), row(int4(2))));
    assertEquals(
        "22012 division by zero", error(() -> show(divided, new EvalContext(), row(int4(0)))));
  }

  @Test
  void branches_find_their_common_type() {
    Expr mixed = Exprs.caseWhen(List.of(TRUE), List.of(int4(1)), constant(PgType.NUMERIC, "2.50"));
    assertEquals(PgType.NUMERIC, mixed.type());
    assertEquals(
        "2.5", show(Exprs.coalesce(List.of(ConstExpr.ofNull(PgType.FLOAT8), literal("2.5")))));
    assertEquals(
        "42804 CASE types text and integer cannot be matched",
        error(() -> Exprs.caseWhen(List.of(TRUE), List.of(int4(1)), constant(PgType.TEXT, "x"))));
    assertEquals(
        "7", show(Exprs.extreme(List.of(int4(3), ConstExpr.ofNull(PgType.INT4), int4(7)), true)));
    assertEquals("NULL", show(Exprs.nullIf(FUNCTIONS, int4(3), constant(PgType.NUMERIC, "3.0"))));
    assertEquals("3", show(Exprs.nullIf(FUNCTIONS, int4(3), int4(4))));
  }

  @Test
  void in_with_a_null_is_unknown_unless_found() {
    List<Expr> list = List.of(int4(1), ConstExpr.ofNull(PgType.INT4), int4(3));
    Expr column = new ColumnExpr(0, PgType.INT4);
    Expr in = Exprs.in(FUNCTIONS, column, list, false);
    assertInstanceOf(Membership.InSet.class, in);
    assertEquals("t", show(in, new EvalContext(), row(int4(3))));
    assertEquals("NULL", show(in, new EvalContext(), row(int4(2))));
    Expr notIn = Exprs.in(FUNCTIONS, column, list, true);
    assertEquals("f", show(notIn, new EvalContext(), row(int4(3))));
    assertEquals("NULL", show(notIn, new EvalContext(), row(int4(2))));
    Expr mixed =
        Exprs.in(FUNCTIONS, column, List.of(literal("5"), constant(PgType.NUMERIC, "2.0")), false);
    assertEquals("t", show(mixed, new EvalContext(), row(int4(2))));
    Expr padded =
        Exprs.in(FUNCTIONS, new ColumnExpr(0, PgType.bpchar(4)), List.of(literal("ab")), false);
    assertEquals("t", show(padded, new EvalContext(), row(constant(PgType.bpchar(4), "ab"))));
  }

  @Test
  void any_and_all_go_over_arrays() {
    Expr column = new ColumnExpr(0, PgType.INT8);
    Expr any = Exprs.quantified(FUNCTIONS, "=", column, literal("{1,NULL,3}"), true);
    assertEquals("t", show(any, new EvalContext(), row(constant(PgType.INT8, "3"))));
    assertEquals("NULL", show(any, new EvalContext(), row(constant(PgType.INT8, "2"))));
    Expr all =
        Exprs.quantified(FUNCTIONS, "<>", column, constant(PgType.INT4_ARRAY, "{1,2}"), false);
    assertEquals("t", show(all, new EvalContext(), row(constant(PgType.INT8, "3"))));
    assertEquals("f", show(all, new EvalContext(), row(constant(PgType.INT8, "2"))));
    EvalContext ctx = new EvalContext();
    ctx.parameters = new Value[] {new Value()};
    TypeCodec.of(PgType.TEXT_ARRAY).fromText("{a,b}", ctx, ctx.parameters[0]);
    Expr parameter =
        Exprs.quantified(
            FUNCTIONS,
            "=",
            constant(PgType.varchar(3), "b"),
            new ParamExpr(0, PgType.TEXT_ARRAY),
            true);
    assertEquals("t", show(parameter, ctx, null));
    assertEquals("{1,2}", show(Exprs.array(List.of(int4(1), literal("2")))));
  }

  @Test
  void constants_are_folded_and_failures_are_kept_for_later() {
    assertInstanceOf(ConstExpr.class, op("+", int4(1), int4(2)));
    Expr failing = op("/", int4(1), int4(0));
    assertFalse(failing instanceof ConstExpr);
    assertEquals("22012 division by zero", error(() -> show(failing)));
    assertFalse(call("random") instanceof ConstExpr);
    assertFalse(call("now") instanceof ConstExpr);
  }

  @Test
  void literals_that_depend_on_the_session_are_read_when_evaluated() {
    Expr local = constant(PgType.TIMESTAMPTZ, "2020-07-01 12:00");
    assertFalse(local instanceof ConstExpr);
    EvalContext ctx = new EvalContext();
    ctx.timeZone = ZoneId.of("America/New_York");
    assertEquals("2020-07-01 12:00:00-04", show(local, ctx, null));
    assertEquals("2020-07-01 12:00:00+00", show(local));
    assertInstanceOf(ConstExpr.class, constant(PgType.TIMESTAMPTZ, "2020-07-01 12:00+02"));
  }

  @Test
  void assignment_refuses_what_an_explicit_cast_cuts_off() {
    Expr text = constant(PgType.TEXT, "abcdef");
    assertEquals("abc", show(CastRegistry.coerce(text, PgType.varchar(3), CastContext.EXPLICIT)));
    assertEquals(
        "22001 value too long for type character varying(3)",
        error(() -> show(CastRegistry.coerce(text, PgType.varchar(3), CastContext.ASSIGNMENT))));
    Expr blanks = constant(PgType.TEXT, "ab   ");
    assertEquals(
        "ab ", show(CastRegistry.coerce(blanks, PgType.varchar(3), CastContext.ASSIGNMENT)));
    assertEquals(
        "42846 cannot cast type text to integer",
        error(() -> CastRegistry.coerce(text, PgType.INT4, CastContext.ASSIGNMENT)));
    assertEquals(
        "12.35",
        show(
            CastRegistry.coerce(
                constant(PgType.NUMERIC, "12.345"), PgType.numeric(4, 2), CastContext.ASSIGNMENT)));
  }

  @Test
  void ordinary_filters_and_sums_allocate_nothing() {
    Expr id = new ColumnExpr(0, PgType.INT4);
    Expr amount = new ColumnExpr(1, PgType.numeric(12, 2));
    Expr name = new ColumnExpr(2, PgType.varchar(16));
    EvalContext ctx = new EvalContext();
    ctx.parameters = new Value[] {new Value()};
    ctx.parameters[0].setLong(7);
    Expr filter =
        Exprs.and(
            List.of(
                op("=", id, new ParamExpr(0, PgType.INT4)),
                op("=", name, literal("BARBARBAR")),
                op(">", amount, constant(PgType.NUMERIC, "10")),
                Exprs.in(FUNCTIONS, id, List.of(int4(5), int4(7)), false)));
    Expr sum =
        CastRegistry.coerce(
            op("-", amount, op("*", constant(PgType.NUMERIC, "1.5"), op("+", id, int4(1)))),
            PgType.numeric(12, 2),
            CastContext.ASSIGNMENT);
    RowBatch row =
        row(int4(7), constant(PgType.numeric(12, 2), "123.45"), constant(PgType.TEXT, "BARBARBAR"));
    Value out = new Value();
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 5; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 10_000; i++) {
        assertTrue(filter.test(ctx, row, 0));
        sum.eval(ctx, row, 0, out);
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertEquals(11145, out.l);
    assertTrue(least < 10_000, "bytes for 10,000 rows: " + least);
  }

  @Test
  void a_type_name_called_like_a_function_is_a_cast() {
    assertEquals("2020-01-02", show(call("date", constant(PgType.TIMESTAMP, "2020-01-02 03:04"))));
    assertEquals("12", show(call("int4", constant(PgType.NUMERIC, "11.5"))));
    assertEquals("7", show(call("text", int4(7))));
    assertEquals("42883 function uuid(integer) does not exist", error(() -> call("uuid", int4(7))));
    assertEquals("0A000 function xmlagg is not supported", error(() -> call("xmlagg", int4(7))));
  }
}
