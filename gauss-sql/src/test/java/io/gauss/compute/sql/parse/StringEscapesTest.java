package io.gauss.compute.sql.parse;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.common.error.GaussException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Values and errors of string constants with escapes, as PostgreSQL 15 gave them. */
class StringEscapesTest {
  /** Statement, what PostgreSQL answered: SQLSTATE, position and message. */
  private static final String[][] REFUSED = {
    {"SELECT E'wrong: \\udb99'", "42601 23 invalid Unicode surrogate pair at or near \"'\""},
    {"SELECT E'wrong: \\udb99xy'", "42601 23 invalid Unicode surrogate pair at or near \"x\""},
    {"SELECT E'wrong: \\udb99\\\\'", "42601 23 invalid Unicode surrogate pair at or near \"\\\""},
    {
      "SELECT E'wrong: \\udb99\\u0061'",
      "42601 23 invalid Unicode surrogate pair at or near \"\\u0061\""
    },
    {
      "SELECT E'wrong: \\U0000db99\\U00000061'",
      "42601 27 invalid Unicode surrogate pair at or near \"\\U00000061\""
    },
    {"SELECT E'wrong: \\udb99\\x41'", "42601 23 invalid Unicode surrogate pair at or near \"\\\""},
    {"SELECT E'wrong: \\udc99'", "42601 17 invalid Unicode surrogate pair at or near \"\\udc99\""},
    {
      "SELECT E'wrong: \\U002FFFFF'",
      "42601 17 invalid Unicode escape value at or near \"\\U002FFFFF\""
    },
    {"SELECT E'wrong: \\u0000'", "42601 17 invalid Unicode escape value at or near \"\\u0000\""},
    {"SELECT E'wrong: \\u061'", "22025 17 invalid Unicode escape"},
    {"SELECT E'wrong: \\U0061'", "22025 17 invalid Unicode escape"},
    {"SELECT E'\\uZZZZ'", "22025 10 invalid Unicode escape"},
    {
      "SELECT E'wrong \\ud83d'\n '\\ude00'",
      "42601 22 invalid Unicode surrogate pair at or near \"'\""
    },
    {"SELECT E'wrong \\ud83d''x'", "42601 22 invalid Unicode surrogate pair at or near \"'\""},
    {"SELECT 'a' || E'\\ud83d'", "42601 23 invalid Unicode surrogate pair at or near \"'\""},
    {"SELECT U&'wrong: \\db99'", "42601 23 invalid Unicode surrogate pair"},
    {"SELECT U&'wrong: \\db99xy'", "42601 23 invalid Unicode surrogate pair"},
    {"SELECT U&'wrong: \\db99\\\\'", "42601 23 invalid Unicode surrogate pair"},
    {"SELECT U&'wrong: \\db99\\0061'", "42601 23 invalid Unicode surrogate pair"},
    {"SELECT U&'wrong: \\+00db99\\+000061'", "42601 26 invalid Unicode surrogate pair"},
    {"SELECT U&'wrong: \\dc99'", "42601 18 invalid Unicode surrogate pair"},
    {"SELECT U&'wrong: \\+2FFFFF'", "42601 18 invalid Unicode escape value"},
    {"SELECT U&'wrong: \\0000'", "42601 18 invalid Unicode escape value"},
    {"SELECT U&'wrong: \\061'", "42601 18 invalid Unicode escape"},
    {"SELECT U&'wrong: \\+0061'", "42601 18 invalid Unicode escape"},
    {"SELECT U&'wrong: \\x'", "42601 18 invalid Unicode escape"},
    {"SELECT U&'wrong !d83d' UESCAPE '!'", "42601 22 invalid Unicode surrogate pair"},
    {"SELECT U&\"wrong \\d83d\" FROM t", "42601 22 invalid Unicode surrogate pair"},
    {"SELECT E'ab\\xed\\xa0\\xbd'", "22021 0 invalid byte sequence for encoding \"UTF8\""},
  };

  /** Constant, value. */
  private static final String[][] TAKEN = {
    {
      "E'ok \\ud83d\\ude00 \\U0000d83d\\U0000de00 \\ud83d\\U0000de00'",
      "ok \ud83d\ude00 \ud83d\ude00 \ud83d\ude00"
    },
    {"E'ab\\u00e9\\uD83D\\uDE00\\U0001F600'", "ab\u00e9\ud83d\ude00\ud83d\ude00"},
    {"U&'ok \\d83d\\de00 \\+00d83d\\+00de00'", "ok \ud83d\ude00 \ud83d\ude00"},
    {"U&'ok !d83d!de00' UESCAPE '!'", "ok \ud83d\ude00"},
    {"U&'continued \\d83d'\n  '\\de00 ok'", "continued \ud83d\ude00 ok"},
    {"E'\\xg \\x41\\101 \\xc3\\xa9 \\q\\''''", "xg AA \u00e9 q''"},
  };

  @Test
  void halfOfASurrogatePairIsRefused() {
    List<String> differences = new ArrayList<>();
    for (String[] each : REFUSED) {
      String actual;
      try {
        PgParser.parseAll(each[0]);
        actual = "no error";
      } catch (GaussException e) {
        actual = e.state().code() + " " + e.position() + " " + e.getMessage();
      }
      if (!actual.equals(each[1])) {
        differences.add(each[0] + "\n  PostgreSQL: " + each[1] + "\n  Gauss:      " + actual);
      }
    }
    assertEquals("", String.join("\n", differences));
  }

  @Test
  void escapesAreUndone() {
    for (String[] each : TAKEN) {
      assertEquals(each[1], new PgLexer().scan(each[0]).string(0), each[0]);
    }
  }
}
