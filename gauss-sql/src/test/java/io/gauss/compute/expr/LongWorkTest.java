package io.gauss.compute.expr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.ResolvedCall;
import io.gauss.compute.expr.library.BuiltinLibraries;
import io.gauss.compute.row.ColumnVector;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Value;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * What takes more than linear time in the length of its arguments says so ({@link
 * EvalContext#longWork}): it is then continued off the event loop, where it can be cancelled.
 */
class LongWorkTest {
  private static final FunctionRegistry FUNCTIONS = BuiltinLibraries.registry();
  private static final String AS = "a".repeat(10_000);
  private static final String NEARLY = "a".repeat(5_000) + "b";

  private int said;

  private static Value text(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    Value value = new Value();
    value.isNull = false;
    value.setBytes(bytes, 0, bytes.length);
    return value;
  }

  private static Value numbers(int from, int count) {
    List<String> items = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      items.add("" + (from + i));
    }
    String text = "{" + String.join(",", items) + "}";
    Value value = new Value();
    TypeCodec.of(PgType.INT4.array())
        .readText(
            text.getBytes(StandardCharsets.US_ASCII), 0, text.length(), new EvalContext(), value);
    return value;
  }

  private static Value number(Random random) {
    Value value = new Value();
    value.isNull = false;
    value.setNumeric(new BigDecimal(new BigInteger(80_000, random)));
    return value;
  }

  private Value call(ResolvedCall call, PgType[] types, Value... arguments) {
    ColumnVector[] columns = new ColumnVector[arguments.length];
    Expr[] operands = new Expr[arguments.length];
    for (int i = 0; i < arguments.length; i++) {
      columns[i] = new ColumnVector(types[i].kind());
      columns[i].set(0, arguments[i]);
      operands[i] = new ColumnExpr(i, types[i]);
    }
    EvalContext ctx = new EvalContext();
    ctx.longWork = () -> said++;
    Value out = new Value();
    call.bind(operands).eval(ctx, new RowBatch(columns), 0, out);
    return out;
  }

  private Value function(String name, PgType type, Value... arguments) {
    PgType[] types = new PgType[arguments.length];
    java.util.Arrays.fill(types, type);
    said = 0;
    Value result = call(FUNCTIONS.function(name, List.of(types)), types, arguments);
    assertTrue(said > 0, name);
    return result;
  }

  private Value operator(String symbol, PgType type, Value a, Value b) {
    said = 0;
    Value result = call(FUNCTIONS.operator(symbol, type, type), new PgType[] {type, type}, a, b);
    assertTrue(said > 0, symbol);
    return result;
  }

  @Test
  void searchesInTexts() {
    assertEquals(0, operator("~~", PgType.TEXT, text(AS), text("%" + NEARLY)).l);
    assertEquals(0, operator("~~*", PgType.TEXT, text(AS), text("%" + NEARLY)).l);
    assertEquals(0, function("strpos", PgType.TEXT, text(AS), text(NEARLY)).l);
    function("string_to_array", PgType.TEXT, text(AS), text(NEARLY));
    assertEquals(0, function("btrim", PgType.TEXT, text(AS), text("b".repeat(5_000) + "a")).len);
  }

  @Test
  void comparisonsOfArraysWithArrays() {
    PgType array = PgType.INT4.array();
    assertEquals(1, operator("@>", array, numbers(0, 2_000), numbers(0, 2_000)).l);
    assertEquals(1, operator("<@", array, numbers(0, 2_000), numbers(0, 2_000)).l);
    assertEquals(0, operator("&&", array, numbers(0, 2_000), numbers(5_000, 2_000)).l);
  }

  private static Value json(PgType type, int from, int count) {
    List<String> items = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      items.add("" + (from + i));
    }
    Value value = new Value();
    TypeCodec.of(type).fromText("[" + String.join(",", items) + "]", new EvalContext(), value);
    return value;
  }

  @Test
  void whatIsInLongJson() {
    Value numbers = json(PgType.JSONB, 0, 2_000);
    assertEquals(1, operator("@>", PgType.JSONB, numbers, numbers).l);
    assertEquals(1, operator("<@", PgType.JSONB, numbers, numbers).l);
    Value text = json(PgType.JSON, 0, 200_000);
    assertEquals(200_000, function("json_array_length", PgType.JSON, text).l);
  }

  @Test
  void commonDivisorsOfLongNumbers() {
    Random random = new Random(1);
    Value a = number(random);
    Value b = number(random);
    assertEquals(
        a.big.toBigInteger().gcd(b.big.toBigInteger()),
        toInteger(function("gcd", PgType.NUMERIC, a, b)));
    function("lcm", PgType.NUMERIC, a, b);
  }

  private static BigInteger toInteger(Value value) {
    return value.big == null ? BigInteger.valueOf(value.l) : value.big.toBigInteger();
  }

  @Test
  void whatMakesLongValues() {
    EvalContext ctx = new EvalContext();
    ctx.longWork = () -> said++;
    ctx.allocate(1 << 20);
    assertEquals(0, said);
    ctx.allocate((1 << 20) + 1);
    assertEquals(1, said);
    ctx.regex("x".repeat(5_000), "");
    assertEquals(2, said);
  }
}
