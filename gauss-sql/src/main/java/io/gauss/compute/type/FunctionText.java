package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.util.ArrayList;
import java.util.List;

/**
 * A function in a text that is a value: {@code name(type, ...)}, as regprocedure reads it.
 *
 * @param names the name, and its schema before it when it is written
 * @param types oids of the arguments' types
 */
record FunctionText(List<String> names, List<Integer> types) {
  /**
   * @throws GaussException 22P02 or 42602 when the text is no such thing, 42704 and others when
   *     there is no such type
   */
  static FunctionText read(String text, TypeContext ctx) {
    int open = outsideOfQuotes(text, '(');
    if (open < 0) {
      throw malformed("expected a left parenthesis");
    }
    List<String> names = NameList.split(text.substring(0, open));
    String rest = text.substring(open + 1).strip();
    if (!rest.endsWith(")")) {
      throw malformed("expected a right parenthesis");
    }
    List<Integer> types = new ArrayList<>();
    String list = rest.substring(0, rest.length() - 1);
    if (!list.isBlank()) {
      List<String> written = parts(list);
      for (String type : written) {
        if (type.isBlank() && types.size() == written.size() - 1) {
          throw malformed("expected a type name");
        }
        types.add(ObjectNames.TYPES.require(type.strip(), ctx));
      }
    }
    return new FunctionText(names, types);
  }

  private static int outsideOfQuotes(String text, char wanted) {
    boolean quoted = false;
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) == '"') {
        quoted = !quoted;
      } else if (!quoted && text.charAt(i) == wanted) {
        return i;
      }
    }
    return -1;
  }

  /** What commas separate that stand neither in quotes nor in parentheses. */
  private static List<String> parts(String list) {
    List<String> parts = new ArrayList<>();
    boolean quoted = false;
    int depth = 0;
    int start = 0;
    for (int i = 0; i < list.length(); i++) {
      char c = list.charAt(i);
      if (c == '"') {
        quoted = !quoted;
      } else if (!quoted && (c == '(' || c == '[')) {
        depth++;
      } else if (!quoted && (c == ')' || c == ']')) {
        depth--;
      } else if (!quoted && depth == 0 && c == ',') {
        parts.add(list.substring(start, i));
        start = i + 1;
      }
    }
    parts.add(list.substring(start));
    return parts;
  }

  private static GaussException malformed(String message) {
    return new GaussException(SqlState.INVALID_TEXT_REPRESENTATION, message);
  }
}
