package io.gauss.server.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Tokens as they are printed and typed. */
class JoinTokenTest {
  /** Other releases print and read the same. */
  private static final String GOLDEN =
      "gauss-join-AQAAAABqM_AAAQIDBAUGBwgREREREREREREREREREREREREREREREREiIiIiIiIiIiIiIiIiIiIiIiIiIi"
          + "IiIiIiIiIiIiIiIhtYMTAuMC4wLjV3CYaM";

  private static JoinToken token() {
    return new JoinToken(
        Instant.parse("2026-06-18T13:17:52Z"),
        0x0102030405060708L,
        filled(JoinToken.SECRET_BYTES, 0x11),
        filled(32, 0x22),
        "10.0.0.5",
        7000);
  }

  private static byte[] filled(int count, int with) {
    byte[] bytes = new byte[count];
    Arrays.fill(bytes, (byte) with);
    return bytes;
  }

  private static String refusal(String text) {
    return assertThrows(IllegalArgumentException.class, () -> JoinToken.parse(text)).getMessage();
  }

  @Test
  void whatIsPrintedIsRead() {
    assertEquals(token(), JoinToken.parse(token().text()));
  }

  @Test
  void theTextStaysTheSame() {
    assertEquals(GOLDEN, token().text());
  }

  @Test
  void aTokenThatWasNotCopiedWholeIsRecognised() {
    String text = token().text();
    for (int length = "gauss-join-".length(); length < text.length(); length++) {
      assertEquals("the token is not complete; copy all of it", refusal(text.substring(0, length)));
    }
    assertTrue(refusal(text.replace("gauss-join-AQ", "gauss-join-AA")).contains("another version"));
    assertTrue(refusal("postgres").contains("gauss-join-"));
  }

  @Test
  void aChangedCharacterIsNoticed() {
    String text = token().text();
    int middle = text.length() / 2;
    char other = text.charAt(middle) == 'A' ? 'B' : 'A';
    String changed = text.substring(0, middle) + other + text.substring(middle + 1);
    assertEquals("the token is not complete; copy all of it", refusal(changed));
  }

  @Test
  void theSecretIsNotShown() {
    assertFalse(token().toString().contains("1111"));
  }
}
