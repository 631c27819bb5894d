package io.gauss.compute.type;

/** ASCII helpers on byte ranges for text input. */
public final class Ascii {
  private Ascii() {}

  public static boolean isSpace(int c) {
    return c == ' ' || (c >= 9 && c <= 13);
  }

  public static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  public static boolean isLetter(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  public static int toLower(int c) {
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
  }

  /** As names without quotes are folded: letters beyond ASCII stay as they are. */
  public static String toLower(String name) {
    char[] folded = name.toCharArray();
    for (int i = 0; i < folded.length; i++) {
      folded[i] = (char) toLower(folded[i]);
    }
    return new String(folded);
  }

  /** First position in [start, end) that is not a space, or end. */
  static int skipSpace(byte[] from, int start, int end) {
    while (start < end && isSpace(from[start])) {
      start++;
    }
    return start;
  }

  /** The end of [start, end) without trailing spaces. */
  static int trimSpace(byte[] from, int start, int end) {
    while (end > start && isSpace(from[end - 1])) {
      end--;
    }
    return end;
  }

  /** Whether the range consists of the first {@code count} characters of a lower-case word. */
  static boolean equalsIgnoreCase(byte[] from, int start, int length, String word, int count) {
    if (length != count) {
      return false;
    }
    for (int i = 0; i < count; i++) {
      if (toLower(from[start + i]) != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  static boolean equalsIgnoreCase(byte[] from, int start, int length, String word) {
    return equalsIgnoreCase(from, start, length, word, word.length());
  }
}
