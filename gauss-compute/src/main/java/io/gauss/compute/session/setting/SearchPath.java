package io.gauss.compute.session.setting;

import io.gauss.common.error.GaussException;
import io.gauss.compute.type.Ascii;
import io.gauss.compute.type.Quoting;
import java.util.ArrayList;
import java.util.List;

/** Names of schemas as the setting {@code search_path} has them, separated by commas. */
public final class SearchPath {
  public static final String SETTING = "search_path";

  /** The schema that has the name of the current role. */
  public static final String USER = "$user";

  static final String DEFAULT = "\"$user\", public";

  private final String value;
  private final List<String> names = new ArrayList<>();
  private int at;

  private SearchPath(String value) {
    this.value = value;
  }

  /** The value for these names, each in quotes if it needs them. */
  public static String write(List<String> names) {
    return String.join(", ", names.stream().map(Quoting::identifier).toList());
  }

  /**
   * The names of a value, as SplitIdentifierString of PostgreSQL reads them: those without quotes
   * in lower case.
   *
   * @throws GaussException 22023 when it is no list of names
   */
  public static List<String> read(String value) {
    return new SearchPath(value).read();
  }

  private List<String> read() {
    skipSpaces();
    boolean continues = at < value.length();
    while (continues) {
      names.add(value.charAt(at) == '"' ? quoted() : plain());
      skipSpaces();
      continues = at < value.length();
      if (continues) {
        if (value.charAt(at) != ',') {
          throw malformed();
        }
        at++;
        skipSpaces();
        if (at == value.length()) {
          throw malformed();
        }
      }
    }
    return List.copyOf(names);
  }

  private void skipSpaces() {
    while (at < value.length() && isSpace(value.charAt(at))) {
      at++;
    }
  }

  private static boolean isSpace(char c) {
    return c == ' ' || c >= '\t' && c <= '\r';
  }

  private String quoted() {
    StringBuilder name = new StringBuilder();
    at++;
    while (true) {
      int end = value.indexOf('"', at);
      if (end < 0) {
        throw malformed();
      }
      name.append(value, at, end);
      at = end + 1;
      if (at == value.length() || value.charAt(at) != '"') {
        return name.toString();
      }
      name.append('"'); // two of them stand for one
      at++;
    }
  }

  private String plain() {
    int start = at;
    while (at < value.length() && value.charAt(at) != ',' && !isSpace(value.charAt(at))) {
      at++;
    }
    if (at == start) {
      throw malformed();
    }
    return Ascii.toLower(value.substring(start, at));
  }

  private GaussException malformed() {
    return SettingDefinitions.find(SETTING).invalid(value).detail("List syntax is invalid.");
  }
}
