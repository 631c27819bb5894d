package io.gauss.compute.session.setting;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.util.ArrayList;
import java.util.List;

/**
 * The {@code options} start-up parameter: {@code -c name=value} and {@code --name=value}, blanks
 * escaped by backslash.
 */
public final class StartOptions {
  private StartOptions() {}

  public static void apply(String options, SessionSettings settings) {
    List<String> words = split(options);
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      String assignment;
      if (word.equals("-c") && i + 1 < words.size()) {
        assignment = words.get(++i);
      } else if (word.startsWith("-c")) {
        assignment = word.substring(2);
      } else if (word.startsWith("--")) {
        assignment = word.substring(2);
      } else {
        throw invalid(word);
      }
      int equals = assignment.indexOf('=');
      if (equals <= 0) {
        throw invalid(word);
      }
      settings.setAtStart(
          assignment.substring(0, equals).replace('-', '_'), assignment.substring(equals + 1));
    }
  }

  private static GaussException invalid(String word) {
    return new GaussException(
        SqlState.SYNTAX_ERROR, "invalid command-line argument for server process: " + word);
  }

  private static List<String> split(String options) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    for (int i = 0; i < options.length(); i++) {
      char c = options.charAt(i);
      if (c == '\\' && i + 1 < options.length()) {
        word.append(options.charAt(++i));
      } else if (Character.isWhitespace(c)) {
        if (!word.isEmpty()) {
          words.add(word.toString());
          word.setLength(0);
        }
      } else {
        word.append(c);
      }
    }
    if (!word.isEmpty()) {
      words.add(word.toString());
    }
    return words;
  }
}
