package io.gauss.compute.expr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.ResolvedAggregate;
import io.gauss.compute.expr.library.BuiltinLibraries;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Value;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * No value gets so large that a few of them fill the heap, which ends the process: what would be
 * larger is refused before memory is taken for it.
 */
class ValueLimitsTest {
  private static final FunctionRegistry FUNCTIONS = BuiltinLibraries.registry();
  private static final Expr LONG = text("x".repeat(1 << 20));

  private static Expr text(String text) {
    return ConstExpr.ofText(PgType.TEXT, text);
  }

  private static Expr int4(long value) {
    return ConstExpr.ofLong(PgType.INT4, value);
  }

  private static String stateOf(String function, Expr... arguments) {
    GaussException refused =
        assertThrows(GaussException.class, () -> evaluate(function, arguments), function);
    return refused.state().code();
  }

  private static Value evaluate(String function, Expr... arguments) {
    Value out = new Value();
    FUNCTIONS
        .function(function, Arrays.stream(arguments).map(Expr::type).toList())
        .bind(arguments)
        .eval(new EvalContext(), null, 0, out);
    return out;
  }

  @Test
  void arraysAreNoLargerThanOtherValues() {
    Expr size = constant(PgType.INT4.array(), "{100000000}");
    assertEquals("54000", stateOf("array_fill", int4(1), size));
    assertEquals("54000", stateOf("array_fill", ConstExpr.ofNull(PgType.INT4), size));
    Expr array = constant(PgType.INT4.array(), "{1}");
    assertEquals("54000", stateOf("[]=", array, int4(100_000_000), int4(1)));
    assertEquals("54000", stateOf("[]=", array, int4(-100_000_000), int4(1)));

    ResolvedAggregate aggregate = FUNCTIONS.aggregate("array_agg", List.of(PgType.TEXT));
    Accumulator all = aggregate.newAccumulator();
    Value[] row = {new Value()};
    LONG.eval(new EvalContext(), null, 0, row[0]);
    GaussException refused =
        assertThrows(
            GaussException.class,
            () -> {
              for (int i = 0; i < 100; i++) {
                all.add(new EvalContext(), row);
              }
            });
    assertEquals("54000", refused.state().code());
  }

  private static Expr constant(PgType type, String text) {
    Value value = new Value();
    TypeCodec.of(type)
        .readText(
            text.getBytes(StandardCharsets.US_ASCII), 0, text.length(), new EvalContext(), value);
    return ConstExpr.copyOf(type, value);
  }

  @Test
  void textsThatGrowAreRefusedAsTheyGrow() {
    Expr[] many = new Expr[100];
    Arrays.fill(many, LONG);
    assertEquals("54000", stateOf("concat", many));
    many[0] = text(",");
    assertEquals("54000", stateOf("concat_ws", many));
    Expr array = constant(PgType.TEXT.array(), "{" + "x,".repeat(999) + "x}");
    assertEquals("54000", stateOf("array_to_string", array, LONG));
    assertEquals("54000", stateOf("regexp_replace", LONG, text("x"), LONG, text("g")));
    assertEquals(
        "54000", stateOf("regexp_replace", LONG, text("x+"), text("\\&".repeat(100)), text("g")));
  }

  @Test
  void templatesAndRegularExpressionsAreBounded() {
    Expr template = text("9".repeat((1 << 20) + 1));
    assertEquals("54000", stateOf("to_char", int4(1), template));
    assertEquals("54000", stateOf("to_number", text("1"), template));
    assertEquals("54000", stateOf("to_date", text("1"), text("D".repeat((1 << 20) + 1))));
    assertEquals("2201B", stateOf("regexp_like", text("x"), text("\\y".repeat(100_000))));
  }

  @Test
  void ofRegularExpressionsOnlyShortOnesAreKept() {
    EvalContext ctx = new EvalContext();
    assertSame(ctx.regex("x+", ""), ctx.regex("x+", ""));
    String longer = "x".repeat(10_000);
    assertNotSame(ctx.regex(longer, ""), ctx.regex(longer, ""));
  }
}
