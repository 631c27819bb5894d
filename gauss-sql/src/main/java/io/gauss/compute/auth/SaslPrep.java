package io.gauss.compute.auth;

import java.text.Normalizer;

/**
 * Brings a password into the form that it is hashed in (RFC 4013). As PostgreSQL does, a password
 * that the profile forbids is taken as it is.
 */
final class SaslPrep {
  private SaslPrep() {}

  static String prepare(String password) {
    if (password.chars().allMatch(c -> c >= 0x20 && c < 0x7F)) {
      return password;
    }
    StringBuilder mapped = new StringBuilder();
    password
        .codePoints()
        .filter(c -> !isMappedToNothing(c))
        .map(c -> isOtherSpace(c) ? ' ' : c)
        .forEach(mapped::appendCodePoint);
    String normal = Normalizer.normalize(mapped, Normalizer.Form.NFKC);
    return normal.isEmpty()
            || normal.codePoints().anyMatch(SaslPrep::isProhibited)
            || !isBidirectionalAllowed(normal)
        ? password
        : normal;
  }

  /** RFC 3454, table B.1. */
  private static boolean isMappedToNothing(int c) {
    return c == 0x00AD
        || c == 0x034F
        || c == 0x1806
        || (c >= 0x180B && c <= 0x180D)
        || (c >= 0x200B && c <= 0x200D)
        || c == 0x2060
        || (c >= 0xFE00 && c <= 0xFE0F)
        || c == 0xFEFF;
  }

  /** RFC 3454, table C.1.2. */
  private static boolean isOtherSpace(int c) {
    return c == 0x00A0
        || c == 0x1680
        || (c >= 0x2000 && c <= 0x200B)
        || c == 0x202F
        || c == 0x205F
        || c == 0x3000;
  }

  /** RFC 3454, tables C.1.2 to C.9, and what Unicode has not assigned. */
  private static boolean isProhibited(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.PRIVATE_USE,
          Character.SURROGATE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      default ->
          isOtherSpace(c)
              || c == 0x06DD
              || c == 0x070F
              || c == 0x180E
              || (c >= 0x200C && c <= 0x200F)
              || (c >= 0x202A && c <= 0x202E)
              || (c >= 0x2060 && c <= 0x2063)
              || (c >= 0x206A && c <= 0x206F)
              || (c >= 0x2FF0 && c <= 0x2FFB)
              || c == 0x0340
              || c == 0x0341
              || c == 0xFEFF
              || (c >= 0xFFF9 && c <= 0xFFFD)
              || (c >= 0x1D173 && c <= 0x1D17A)
              || (c >= 0xE0000 && c <= 0xE007F);
    };
  }

  /** RFC 3454, section 6. */
  private static boolean isBidirectionalAllowed(String text) {
    if (text.codePoints().noneMatch(SaslPrep::isRightToLeft)) {
      return true;
    }
    return text.codePoints()
            .noneMatch(
                c -> Character.getDirectionality(c) == Character.DIRECTIONALITY_LEFT_TO_RIGHT)
        && isRightToLeft(text.codePointAt(0))
        && isRightToLeft(text.codePointBefore(text.length()));
  }

  private static boolean isRightToLeft(int c) {
    byte direction = Character.getDirectionality(c);
    return direction == Character.DIRECTIONALITY_RIGHT_TO_LEFT
        || direction == Character.DIRECTIONALITY_RIGHT_TO_LEFT_ARABIC;
  }
}
