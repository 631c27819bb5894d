package io.gauss.compute.sql.parse;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class TextWithoutValuesTest {
  private static String shown(String sql) {
    return TextWithoutValues.of(sql, 100);
  }

  @Test
  void literalsOfAllKindsAreLeftOut() {
    assertEquals("ALTER ROLE ada PASSWORD ?", shown("ALTER ROLE ada PASSWORD 'lovelace'"));
    assertEquals(
        "SELECT ?, ?, ?, ?, ?, ?", shown("SELECT 'a''b', E'c\\'d', $tag$e$tag$, 12, 1.5, 3e10"));
    assertEquals("SELECT ?::uuid", shown("SELECT 'x'::uuid"));
    assertEquals("SELECT -?", shown("SELECT -1"));
  }

  @Test
  void namesAndParametersStayAndCommentsGo() {
    assertEquals(
        "SELECT \"a b\".c FROM t WHERE id = $1",
        shown("SELECT  \"a b\".c\n FROM t -- secret\n WHERE id /* secret */ = $1"));
  }

  @Test
  void aQuotedNameDoesNotForgeALineOfTheLog() {
    assertEquals(
        "SELECT ? AS \"a??12:00:00.000 ERROR Engine: lost?[2J\"",
        shown("SELECT 1 AS \"a\r\n12:00:00.000 ERROR Engine: lost\u001b[2J\""));
    assertEquals("SELECT \"a?b?c\"", shown("SELECT \"a\u2028b\u202ec\""));
  }

  @Test
  void ofATextWithoutTokensOnlyTheLengthIsTold() {
    assertEquals("(a malformed text of 14 characters)", shown("SELECT 'secret"));
  }

  @Test
  void longTextsAreCut() {
    assertEquals("SELECT...", TextWithoutValues.of("SELECT abc", 6));
    assertEquals("(a text of 100001 characters)", shown("x".repeat(100_001)));
  }
}
