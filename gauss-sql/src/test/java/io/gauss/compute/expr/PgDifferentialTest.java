package io.gauss.compute.expr;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.type.DateTimes;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.RandomValues;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.TypeContext;
import io.gauss.compute.type.Value;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Random arithmetic, casts and text forms against a running PostgreSQL 15, given by {@code
 * gauss.expectations.url} as in {@link PgExpectationsGenerator}. The number of cases: {@code
 * gauss.cases}.
 */
@Tag("long")
@EnabledIfSystemProperty(named = "gauss.expectations.url", matches = ".+")
class PgDifferentialTest {
  private static final String[] NUMERIC_OPERATORS = {"+", "-", "*", "/", "%", "<", "="};
  private static final String[] FUNCTIONS = {
    "sqrt", "ln", "exp", "round", "trunc", "ceil", "floor"
  };
  private static final String[] FIELDS = {
    "epoch", "year", "month", "day", "dow", "doy", "week", "isoyear", "hour", "second", "quarter",
    "century"
  };

  private final Random random = new Random(RandomValues.seed("PgDifferentialTest"));

  @Test
  void random_cases_have_the_same_answer() throws SQLException {
    int cases = Integer.getInteger("gauss.cases", 20_000);
    List<String> differences = new ArrayList<>();
    String url = System.getProperty("gauss.expectations.url") + "&preferQueryMode=simple";
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("SET TimeZone = 'UTC'");
      for (int i = 0; i < cases; i++) {
        PgCase test = new PgCase(next(), null);
        String expected =
            PgCase.parse("x\t=>\t" + PgExpectationsGenerator.ask(test, statement)).expected();
        for (boolean columns : new boolean[] {false, true}) {
          String answer = test.answer(ZoneOffset.UTC, columns);
          if (!answer.equals(expected)) {
            differences.add(test.fields() + "\n    " + expected + "\n    " + answer);
            break;
          }
        }
      }
    }
    assertTrue(
        differences.isEmpty(),
        () -> differences.size() + " differ:\n" + String.join("\n", differences));
  }

  private List<String> next() {
    return switch (random.nextInt(8)) {
      case 0, 1 -> List.of("op", pick(NUMERIC_OPERATORS), numeric(), numeric());
      case 2 -> List.of("fn", pick(FUNCTIONS), smallNumeric());
      case 3 -> {
        PgType type = random.nextBoolean() ? PgType.FLOAT8 : PgType.FLOAT4;
        yield List.of("io", type.name(), text(type));
      }
      case 4 -> {
        PgType from = pick(PgType.INT4, PgType.INT8, PgType.FLOAT8, PgType.FLOAT4, PgType.NUMERIC);
        PgType to = pick(PgType.INT2, PgType.INT4, PgType.INT8, PgType.FLOAT8, PgType.NUMERIC);
        String modifier = to.is(PgType.NUMERIC) && random.nextBoolean() ? "(12,3)" : "";
        yield List.of("cast", operand(from), to.name() + modifier);
      }
      case 5 -> List.of("op", pick("+", "-"), "timestamp:" + timestamp(), operand(PgType.INTERVAL));
      case 6 -> {
        String[] names = {"age", "-"};
        String name = pick(names);
        yield name.equals("age")
            ? List.of("fn", "age", "timestamp:" + timestamp(), "timestamp:" + timestamp())
            : List.of("op", "-", "timestamp:" + timestamp(), "timestamp:" + timestamp());
      }
      default -> List.of("fn", "extract", "text:" + pick(FIELDS), "timestamp:" + timestamp());
    };
  }

  @SafeVarargs
  private <T> T pick(T... from) {
    return from[random.nextInt(from.length)];
  }

  private String text(PgType type) {
    Value value = RandomValues.next(type, random, false);
    return TypeCodec.of(type).toText(value, TypeContext.DEFAULT);
  }

  private String operand(PgType type) {
    return type.name() + ":" + text(type);
  }

  private String numeric() {
    return operand(PgType.NUMERIC);
  }

  private String smallNumeric() {
    double value = random.nextGaussian() * Math.pow(10, random.nextInt(5) - 2);
    return "numeric:" + String.format(java.util.Locale.ROOT, "%." + random.nextInt(8) + "f", value);
  }

  private String timestamp() {
    Value value = new Value();
    value.setLong(random.nextLong() % (400L * 366 * DateTimes.USECS_PER_DAY));
    return TypeCodec.of(PgType.TIMESTAMP).toText(value, TypeContext.DEFAULT);
  }
}
