package io.gauss.jdbc.routing.statement;

/** Numbers out of text. */
public final class RoutingNumbers {
  private RoutingNumbers() {}

  /** A Long when it fits, else a Double; null when the text is no number. */
  public static Object parse(String text) {
    int length = text.length();
    if (length == 0 || length > 40) {
      return null;
    }
    boolean digits = true;
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      if (c < '0' || c > '9') {
        digits &= i == 0 && c == '-' && length > 1;
        if (c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E') {
          return null;
        }
      }
    }
    try {
      if (digits && length <= 18) {
        return Long.parseLong(text);
      }
      double value = Double.parseDouble(text);
      return Double.isFinite(value) ? (Object) value : null;
    } catch (NumberFormatException e) {
      // Signs and dots in odd places, such as 1.2.3: not a number, but no error.
      return null;
    }
  }
}
