package io.gauss.compute.session;

import java.util.regex.Pattern;

/** Whether a text begins with BEGIN or START TRANSACTION, be it cut off somewhere behind. */
final class LeadingBegin {
  // Possessive, so that a long run of blanks takes no stack.
  private static final Pattern AT_START =
      Pattern.compile(
          "(?:\\s++|--[^\\n\\r]*+|/\\*.*?\\*/)*+(?:BEGIN|START)\\b",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private LeadingBegin() {}

  static boolean is(String text) {
    return AT_START.matcher(text).lookingAt();
  }
}
