package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.compute.sql.parse.PgLexer;
import java.util.Set;

/**
 * Whether texts that a client has sent may have committed something, judged by the first words of
 * their statements (rule 39). It follows blocks that begin and end within the texts, so that a
 * statement after ROLLBACK counts as outside a block. In doubt a text may have committed; what it
 * says of a text that runs only up to an error holds as well. Not thread-safe.
 */
public final class CommitScan {
  /** Longer texts are not examined. */
  private static final int MOST_CHARACTERS = 64 * 1024;

  /** In a block these commit nothing, and do not end it. */
  private static final Set<String> STAY_IN_BLOCK =
      Set.of(
          "alter",
          "analyze",
          "begin",
          "close",
          "comment",
          "copy",
          "create",
          "deallocate",
          "declare",
          "delete",
          "drop",
          "execute",
          "explain",
          "fetch",
          "grant",
          "insert",
          "lock",
          "merge",
          "move",
          "release",
          "reset",
          "revoke",
          "savepoint",
          "select",
          "set",
          "show",
          "start",
          "table",
          "truncate",
          "update",
          "values",
          "with");

  /**
   * INTO makes a table; of all functions, only setval changes anything that is there for others. A
   * value that nextval has given and nobody got is nothing: such gaps are always possible.
   */
  private static final Set<String> CHANGE_IN_QUERIES = Set.of("into", "setval");

  private static final Set<String> CHANGE_WITH_QUERIES =
      Set.of("delete", "insert", "into", "merge", "setval", "update");

  private static final Set<String> RUNS_OTHER_TEXT = Set.of("execute", "fetch", "move");

  private static final Set<String> CHANGES_NAMES = Set.of("deallocate", "discard", "prepare");

  private final PgLexer lexer = new PgLexer();
  private boolean inBlock;
  private boolean mayCommit;
  private boolean mayChangeNames;
  private boolean hasEffects;

  /**
   * Starts anew.
   *
   * @param block whether a block is open, or may be
   */
  public void begin(boolean block) {
    inBlock = block;
    mayCommit = false;
    mayChangeNames = false;
    hasEffects = false;
  }

  /** Whether anything sent since {@link #begin} may have committed something. */
  public boolean mayCommit() {
    return mayCommit;
  }

  /**
   * Whether anything sent since {@link #begin} may, as soon as it runs, change for others what no
   * rollback undoes: a sequence. Only then must it not run twice, also if nothing is committed.
   */
  public boolean hasEffects() {
    return hasEffects;
  }

  /** Whether a block is open once everything sent since {@link #begin} has run without an error. */
  public boolean isInBlock() {
    return inBlock;
  }

  /** Whether names of prepared statements may have got another meaning since the last call. */
  public boolean mayHaveChangedNames() {
    boolean mayHave = mayChangeNames;
    mayChangeNames = false;
    return mayHave;
  }

  /** Something is run that cannot be examined. */
  public void runsUnknown() {
    mayCommit = true;
    hasEffects = true;
    mayChangeNames = true;
    inBlock = false;
  }

  /** A function is called. */
  public void calls() {
    mayCommit |= !inBlock;
    hasEffects = true;
  }

  /** A text of any number of statements is run. */
  public void runs(String text) {
    if (text.length() > MOST_CHARACTERS) {
      runsUnknown();
      return;
    }
    try {
      lexer.scan(text);
    } catch (GaussException e) {
      runsUnknown(); // malformed: running it reports the error
      return;
    }
    int from = 0;
    for (int token = 0; token <= lexer.count(); token++) {
      if (token == lexer.count() || lexer.isOperator(token, ';')) {
        if (token > from) {
          statement(from, token);
        }
        from = token + 1;
      }
    }
  }

  private void statement(int from, int to) {
    String first = word(from, to);
    mayChangeNames |= CHANGES_NAMES.contains(first);
    hasEffects |= RUNS_OTHER_TEXT.contains(first) || changes(from, to, Set.of("setval"));
    if (inBlock) {
      runsInBlock(first, from, to);
    } else {
      runsOutside(first, from, to);
    }
  }

  private void runsInBlock(String first, int from, int to) {
    switch (first) {
      case "rollback", "abort" -> inBlock = isToSavepoint(from, to);
      case "prepare" -> {
        if (word(from + 1, to).equals("transaction")) {
          runsUnknown();
        }
      }
      default -> {
        if (!STAY_IN_BLOCK.contains(first)) {
          runsUnknown(); // COMMIT, END, and what is not known here
        }
      }
    }
  }

  private void runsOutside(String first, int from, int to) {
    switch (first) {
      case "begin", "start" -> inBlock = true;
      case "rollback", "abort", "show" -> {
        // There is nothing to end.
      }
      case "select", "values", "table" -> mayCommit |= changes(from, to, CHANGE_IN_QUERIES);
      case "with" -> mayCommit |= changes(from, to, CHANGE_WITH_QUERIES);
      default -> mayCommit = true;
    }
  }

  private boolean isToSavepoint(int from, int to) {
    String second = word(from + 1, to);
    boolean isNoise = second.equals("work") || second.equals("transaction");
    return (isNoise ? word(from + 2, to) : second).equals("to");
  }

  /** Whether one of the words is among the tokens, or a call of what may be one of them. */
  private boolean changes(int from, int to, Set<String> words) {
    for (int token = from; token < to; token++) {
      boolean isCall = token > from && lexer.isOperator(token, '(');
      if (words.contains(word(token, to)) || isCall && isQuoted(token - 1)) {
        return true;
      }
    }
    return false;
  }

  private boolean isQuoted(int token) {
    return lexer.kind(token) == PgLexer.QUOTED_NAME;
  }

  /** An unquoted word in lower case; empty for anything else. */
  private String word(int token, int to) {
    return token < to && lexer.kind(token) == PgLexer.WORD ? lexer.name(token) : "";
  }
}
