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

  /** Few names, so that they come again in one object, and paths find them. */
  private static final String[] NAMES = {"a", "a", "b", "\\u0061", "0", "", "\u00e9"};

  private static final String[] STRINGS = {
    "", "a", "\\u0041\\n", "]", "}\\\"{", "\\\\", "\\ud83d\\ude00"
  };

  /** Strings that json may have and jsonb may not. */
  private static final String[] NO_TEXTS = {"\\ud83d", "\\u0000"};

  private static final String[] NUMBERS = {
    "0", "-0", "1", "1.0", "1.00", "10e-1", "1E40", "-1.5e3", "-0.0e5"
  };

  private static final String[] FAR_NUMBERS = {
    "1e131071", "1e131072", "1e-16383", "1e-16384", "0e99999", "1e9999999999"
  };

  private static final String[] BLANKS = {"", "", "", " ", "\n", "\t \r"};

  private static final String[] INDEXES = {
    "0", "1", "2", "+1", "-0", "01", " 1", "1 ", "1.0", "2147483647", "2147483648"
  };

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
    return switch (random.nextInt(17)) {
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
      case 13 -> List.of("op", pick("#>", "#>>"), type + ":" + repeating(3), longPath(type));
      case 14 ->
          random.nextBoolean()
              ? List.of("io", type, repeating(3))
              : List.of("fn", type + pick("_typeof", "_strip_nulls"), type + ":" + repeating(3));
      case 15 ->
          random.nextBoolean()
              ? List.of("op", "#-", "jsonb:" + repeating(3), longPath("jsonb"))
              : List.of(
                  "fn",
                  pick("jsonb_set", "jsonb_insert"),
                  "jsonb:" + repeating(3),
                  longPath("jsonb"),
                  "jsonb:" + repeating(1),
                  "bool:" + pick("t", "f"));
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

  /** A text whose objects have names several times, with blanks. */
  private String repeating(int levels) {
    String before = pick(BLANKS);
    String value =
        switch (random.nextInt(levels > 0 ? 8 : 3)) {
          case 0 -> pick("null", "true", "false");
          case 1 -> pick(rarely() ? FAR_NUMBERS : NUMBERS);
          case 2 -> '"' + pick(rarely() ? NO_TEXTS : STRINGS) + '"';
          case 3, 4 -> "[" + parts(levels, false) + "]";
          default -> "{" + parts(levels, true) + "}";
        };
    return before + value + pick(BLANKS);
  }

  private boolean rarely() {
    return random.nextInt(50) == 0;
  }

  private String parts(int levels, boolean named) {
    List<String> parts = new ArrayList<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      String name = named ? pick(BLANKS) + '"' + pick(NAMES) + '"' + pick(BLANKS) + ':' : "";
      parts.add(name + repeating(levels - 1));
    }
    return parts.isEmpty() ? pick(BLANKS) : String.join(",", parts);
  }

  /**
   * In json, PostgreSQL turns a negative index into one from the array's start once, by the first
   * array at its level, which need not be on the path. So these are the first step only.
   */
  private String longPath(String type) {
    List<String> steps = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      boolean negative = steps.isEmpty() || type.equals("jsonb");
      String step =
          switch (random.nextInt(4)) {
            case 0 -> pick("a", "b", "0");
            case 1 -> pick(INDEXES);
            case 2 -> negative ? pick("-1", "-2", "-3", "-2147483647") : "1";
            default -> pick("a", "0", "");
          };
      steps.add('"' + step + '"');
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
