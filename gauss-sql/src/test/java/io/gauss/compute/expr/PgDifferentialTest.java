package io.gauss.compute.expr;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.reference.PostgresClient;
import io.gauss.compute.reference.ReferencePostgres;
import io.gauss.compute.type.DateTimes;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.RandomValues;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.TypeContext;
import io.gauss.compute.type.Value;
import java.io.IOException;
import java.sql.SQLException;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random arithmetic, casts and text forms in Gauss and in PostgreSQL.
 *
 * <p>The ordinary test has a fixed seed, so that it fails for a change and not at random; the long
 * one has a new seed, which it prints. {@code gauss.seed} repeats one, {@code gauss.cases} says how
 * many cases it has.
 */
class PgDifferentialTest {
  private static final long FIXED_SEED = 15;
  private static final int FEW_CASES = 5_000;
  private static final int MANY_CASES = 100_000;
  private static final String[] NUMERIC_OPERATORS = {"+", "-", "*", "/", "%", "<", "="};
  private static final String[] FUNCTIONS = {
    "sqrt", "ln", "exp", "round", "trunc", "ceil", "floor"
  };
  private static final String[] FIELDS = {
    "epoch", "year", "month", "day", "dow", "doy", "week", "isoyear", "hour", "second", "quarter",
    "century"
  };

  private Random random;

  @Test
  void casesOfAFixedSeedHaveTheSameAnswers() throws SQLException, IOException {
    compare(FIXED_SEED, FEW_CASES);
  }

  @Test
  @Tag("long")
  void casesOfANewSeedHaveTheSameAnswers() throws SQLException, IOException {
    compare(RandomValues.seed("PgDifferentialTest"), Integer.getInteger("gauss.cases", MANY_CASES));
  }

  private void compare(long seed, int count) throws SQLException, IOException {
    random = new Random(seed);
    List<PgCase> cases = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      cases.add(new PgCase(next(), null));
    }
    List<String> statements = new ArrayList<>(List.of("SET TimeZone = 'UTC'"));
    cases.forEach(each -> statements.add(each.sql()));
    List<PostgresClient.Answer> answers;
    try (PostgresClient postgres = ReferencePostgres.get().newClient()) {
      answers = postgres.query(statements);
    }
    List<String> differences = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      PgCase test = cases.get(i);
      String expected = test.recorded(answers.get(i + 1));
      for (boolean columns : new boolean[] {false, true}) {
        String answer = test.answer(ZoneOffset.UTC, columns);
        if (!answer.equals(expected)) {
          differences.add(test.fields() + "\n    " + expected + "\n    " + answer);
          break;
        }
      }
    }
    assertTrue(
        differences.isEmpty(),
        () ->
            differences.size()
                + " differ with -Dgauss.seed="
                + seed
                + ":\n"
                + String.join("\n", differences));
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
