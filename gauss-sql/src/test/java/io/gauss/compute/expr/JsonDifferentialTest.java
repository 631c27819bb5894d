package io.gauss.compute.expr;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.reference.PostgresClient;
import io.gauss.compute.reference.ReferencePostgres;
import io.gauss.compute.type.RandomValues;
import java.io.IOException;
import java.sql.SQLException;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random JSON texts, good and bad ones, and operators and functions on them, in Gauss and in
 * PostgreSQL.
 *
 * <p>The ordinary test has a fixed seed, so that it fails for a change and not at random; the long
 * one has a new seed, which it prints.
 */
class JsonDifferentialTest {
  private static final long FIXED_SEED = 22;
  private static final int FEW_CASES = 6_000;
  private static final int MANY_CASES = 100_000;

  private static final String[] BREAKS = {
    "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u12", "\\ud83d", "\\ude00", "\\u0000", "1", "0",
    "-", ".", "e", "E+", "true", "nul", " ", "\n", "\u0001", "x", "\u00e9", "\u20ac", "/", "'", "+"
  };

  private static final String[] KEYS = {"a", "b", "ab", "\u00e9", "0", "1", "-1", "x"};

  private Random random;

  @Test
  void casesOfAFixedSeedHaveTheSameAnswers() throws SQLException, IOException {
    compare(FIXED_SEED, FEW_CASES);
  }

  @Test
  @Tag("long")
  void casesOfANewSeedHaveTheSameAnswers() throws SQLException, IOException {
    compare(
        RandomValues.seed("JsonDifferentialTest"), Integer.getInteger("gauss.cases", MANY_CASES));
  }

  private void compare(long seed, int count) throws SQLException, IOException {
    random = new Random(seed);
    List<PgCase> cases = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      cases.add(new PgCase(next(), null));
    }
    List<PostgresClient.Answer> answers;
    try (PostgresClient postgres = ReferencePostgres.get().newClient()) {
      answers = postgres.query(cases.stream().map(PgCase::sql).toList());
    }
    List<String> differences = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      PgCase test = cases.get(i);
      String expected = test.recorded(answers.get(i));
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
                + " differ with seed "
                + seed
                + ":\n"
                + String.join("\n", differences));
  }

  private List<String> next() {
    String type = random.nextBoolean() ? "json" : "jsonb";
    return switch (random.nextInt(14)) {
      case 0, 1, 2 -> List.of("io", type, broken());
      case 3 -> List.of("io", type, json());
      case 4 -> List.of("op", pick("->", "->>"), type + ":" + json(), key());
      case 5 -> List.of("op", pick("#>", "#>>"), type + ":" + json(), path());
      case 6 -> List.of("op", pick("=", "<", "<=", ">", ">=", "<>"), jsonb(), jsonb());
      case 7 -> List.of("op", pick("@>", "<@"), jsonb(), jsonb());
      case 8 -> List.of("op", "||", jsonb(), jsonb());
      case 9 -> List.of("op", "-", jsonb(), key());
      case 10 ->
          random.nextBoolean()
              ? List.of("op", "?", jsonb(), "text:" + pick(KEYS))
              : List.of("op", pick("?|", "?&", "#-"), jsonb(), path());
      case 11 ->
          List.of(
              "fn",
              pick("jsonb_set", "jsonb_insert"),
              jsonb(),
              path(),
              jsonb(),
              "bool:" + pick("t", "f"));
      case 12 -> {
        String name = pick("_typeof", "_array_length", "_strip_nulls");
        yield List.of("fn", type + name, type + ":" + json());
      }
      default ->
          random.nextBoolean()
              ? List.of("fn", "jsonb_pretty", jsonb())
              : List.of("cast", type + ":" + json(), pick("json", "jsonb", "text", "int4", "bool"));
    };
  }

  private String pick(String... from) {
    return from[random.nextInt(from.length)];
  }

  private String json() {
    return RandomValues.nextJson(random, random.nextInt(4));
  }

  private String jsonb() {
    return "jsonb:" + json();
  }

  private String key() {
    return random.nextBoolean() ? "text:" + pick(KEYS) : "int4:" + (random.nextInt(7) - 3);
  }

  private String path() {
    List<String> steps = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      steps.add(pick(KEYS));
    }
    return "_text:{" + String.join(",", steps) + "}";
  }

  /** A text in which something is put in or left out. */
  private String broken() {
    StringBuilder text = new StringBuilder(json());
    for (int i = random.nextInt(3); i >= 0; i--) {
      int at =
          text.offsetByCodePoints(0, random.nextInt(text.codePointCount(0, text.length()) + 1));
      if (random.nextInt(3) > 0) {
        text.insert(at, pick(BREAKS));
      } else if (at < text.length() && !Character.isSurrogate(text.charAt(at))) {
        text.deleteCharAt(at);
      }
    }
    return text.toString();
  }
}
