package io.gauss.compute.sql.parse;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class KeyExpressionTextTest {
  private static void expect(String sql, String pretty, String full) {
    assertEquals(pretty, KeyExpressionText.of(sql, true));
    assertEquals(full, KeyExpressionText.of(sql, false));
  }

  @Test
  void callsNeedNoParentheses() {
    for (String call :
        List.of("lower(a)", "pg_catalog.lower(a)", "\"F\"((a), b)", "coalesce(a, f(b))")) {
      expect(call, call, call);
    }
  }

  @Test
  void whatOnlyLooksLikeACallHasThem() {
    expect("lower(a) || upper(b)", "(lower(a) || upper(b))", "((lower(a) || upper(b)))");
    expect("NOT (a)", "(NOT (a))", "((NOT (a)))");
    expect("CAST(a AS text)", "(CAST(a AS text))", "(CAST(a AS text))");
    expect("(a)::int", "((a)::int)", "(((a)::int))");
    expect("a + b", "(a + b)", "((a + b))");
  }

  @Test
  void oneTokenIsNotPutIntoParenthesesTwice() {
    expect("true", "(true)", "(true)");
    assertEquals(
        "true, lower(a), (a + b)", KeyExpressionText.listed(List.of("true", "lower(a)", "a + b")));
  }

  @Test
  void parenthesesAroundTheWholeGo() {
    assertEquals("a + b", KeyExpressionText.bare(" ((a + b)) "));
    assertEquals("(a) + (b)", KeyExpressionText.bare("(a) + (b)"));
    assertEquals("(SELECT 1)", KeyExpressionText.bare("((SELECT 1))"));
  }
}
