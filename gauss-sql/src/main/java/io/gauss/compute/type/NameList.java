package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Names in a text that is a value, such as {@code 'schema."Table"'::regclass}. Unlike in a
 * statement anything but a dot, a blank and a double quote may stand in a name without quotes.
 */
public final class NameList {
  private static final String BLANKS = " \t\n\r\f\013";
  private static final int NAME_BYTES_MAX = 63;

  private NameList() {}

  /**
   * Names that dots separate: folded to lower case when they are not in quotes, and cut to 63
   * bytes.
   *
   * @return at least one
   * @throws GaussException 42602 when the text is no such list
   */
  public static List<String> split(String text) {
    List<String> names = new ArrayList<>();
    int p = skipBlanks(text, 0);
    while (true) {
      int end;
      if (p < text.length() && text.charAt(p) == '"') {
        end = endOfQuoted(text, p);
        names.add(cut(text.substring(p + 1, end).replace("\"\"", "\"")));
        end++;
      } else {
        end = p;
        while (end < text.length() && text.charAt(end) != '.' && !isBlank(text.charAt(end))) {
          end++;
        }
        if (end == p) {
          throw invalid();
        }
        names.add(cut(Ascii.toLower(text.substring(p, end))));
      }
      p = skipBlanks(text, end);
      if (p == text.length()) {
        return names;
      }
      if (text.charAt(p) != '.') {
        throw invalid();
      }
      p = skipBlanks(text, p + 1);
    }
  }

  /**
   * The only name in a text.
   *
   * @throws GaussException 42602 when there are several, or it is no name
   */
  static String single(String text) {
    List<String> names = split(text);
    if (names.size() != 1) {
      throw invalid();
    }
    return names.getFirst();
  }

  private static int endOfQuoted(String text, int quote) {
    int end = quote + 1;
    while (true) {
      end = text.indexOf('"', end);
      if (end < 0) {
        throw invalid();
      }
      if (!text.startsWith("\"\"", end)) {
        return end;
      }
      end += 2;
    }
  }

  /** As many whole characters as a name may have. */
  private static String cut(String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= NAME_BYTES_MAX) {
      return name;
    }
    int kept = NAME_BYTES_MAX;
    while ((bytes[kept] & 0xC0) == 0x80) {
      kept--;
    }
    return new String(bytes, 0, kept, StandardCharsets.UTF_8);
  }

  static boolean isBlank(char c) {
    return BLANKS.indexOf(c) >= 0;
  }

  private static int skipBlanks(String text, int from) {
    int p = from;
    while (p < text.length() && isBlank(text.charAt(p))) {
      p++;
    }
    return p;
  }

  private static GaussException invalid() {
    return new GaussException(SqlState.INVALID_NAME, "invalid name syntax");
  }
}
