package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.compute.sql.parse.PgLexer;
import java.util.Set;

/**
 * Whether texts that a client has sent may have committed something, judged by the first words of
 * their statements (rule 39). It follows blocks that begin and end within the texts, so that a
 * statement after ROLLBACK counts as outside a block. In doubt a text may have committed; what it
 * says of a text that runs only up to an error holds as well. The inverse doubt, whether a block is
 * open behind the texts, is kept for itself: what follows must not run outside its block (rule 40).
 * Not thread-safe.
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

  /** These lock nothing. */
  private static final Set<String> OF_THE_SESSION =
      Set.of(
          "abort",
          "begin",
          "close",
          "commit",
          "deallocate",
          "discard",
          "end",
          "prepare",
          "release",
          "reset",
          "rollback",
          "savepoint",
          "set",
          "show",
          "start");

  private static final Set<String> QUERIES = Set.of("select", "table", "values");

  /** What must not run for a second time. */
  private static final Set<String> NOT_TWICE = Set.of("setval");

  /** These do not wait for a lock, but do without it, or fail. */
  private static final Set<String> ONLY_TRY =
      Set.of(
          "nowait",
          "skip",
          "pg_try_advisory_lock",
          "pg_try_advisory_lock_shared",
          "pg_try_advisory_xact_lock",
          "pg_try_advisory_xact_lock_shared");

  /** FOR UPDATE, and functions that take advisory locks. */
  private static final Set<String> LOCKS =
      Set.of(
          "for",
          "pg_advisory_lock",
          "pg_advisory_lock_shared",
          "pg_advisory_xact_lock",
          "pg_advisory_xact_lock_shared",
          "pg_try_advisory_lock",
          "pg_try_advisory_lock_shared",
          "pg_try_advisory_xact_lock",
          "pg_try_advisory_xact_lock_shared");

  private final PgLexer lexer = new PgLexer();
  private boolean inBlock;
  private boolean mayBeInBlock;
  private boolean mayCommit;
  private boolean mayChangeNames;
  private boolean hasEffects;
  private boolean mayLock;
  private boolean mayBeDenied;
  private int statements;
  private boolean beganInBlock;
  private boolean beginsWithRollback;
  private boolean isCommit;

  /**
   * Starts anew.
   *
   * @param block whether a block is open, or may be
   */
  public void begin(boolean block) {
    inBlock = block;
    mayBeInBlock = block;
    beganInBlock = block;
    mayCommit = false;
    mayChangeNames = false;
    hasEffects = false;
    mayLock = false;
    mayBeDenied = false;
    statements = 0;
    beginsWithRollback = false;
    isCommit = false;
  }

  /** Whether anything sent since {@link #begin} may have committed something. */
  public boolean mayCommit() {
    return mayCommit;
  }

  /**
   * Whether anything sent since {@link #begin} must not run twice, also if nothing is committed: it
   * may change for others what no rollback undoes, a sequence.
   */
  public boolean hasEffects() {
    return hasEffects;
  }

  /**
   * Whether a block may be open once everything sent since {@link #begin} has run without an error.
   */
  public boolean mayBeInBlock() {
    return mayBeInBlock;
  }

  /** Whether anything sent since {@link #begin} may lock anything, or change rows or tables. */
  public boolean mayLock() {
    return mayLock;
  }

  /**
   * Whether anything sent since {@link #begin} may only try to get a lock: as long as its first
   * attempt has that, a second one would be denied it.
   */
  public boolean mayBeDenied() {
    return mayBeDenied;
  }

  /**
   * Whether what was sent since {@link #begin} rolls a block back before it does anything else, and
   * has no effect whether it runs or not.
   */
  public boolean onlyRollsBack() {
    return beganInBlock && beginsWithRollback && !mayCommit && !hasEffects && !mayBeDenied;
  }

  /** Whether what was sent since {@link #begin} is one COMMIT, which leaves no block. */
  boolean onlyCommits() {
    return isCommit && statements == 1;
  }

  /** Whether names of prepared statements may have got another meaning since the last call. */
  public boolean mayHaveChangedNames() {
    boolean mayHave = mayChangeNames;
    mayChangeNames = false;
    return mayHave;
  }

  /** Something is run that cannot be examined. */
  public void runsUnknown() {
    statements++;
    mayCommit = true;
    hasEffects = true;
    mayLock = true;
    mayBeDenied = true;
    mayChangeNames = true;
    inBlock = false;
  }

  /** A function is called. */
  public void calls() {
    statements++;
    mayCommit |= !inBlock;
    hasEffects = true;
    mayLock = true;
    mayBeDenied = true;
  }

  /** A text of any number of statements is run. */
  public void runs(String text) {
    if (text.length() > MOST_CHARACTERS || !isRead(text)) {
      runsUnknown();
      mayBeInBlock |= LeadingBegin.is(text);
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

  /** False when it is malformed, which running it reports. */
  private boolean isRead(String text) {
    try {
      lexer.scan(text);
      return true;
    } catch (GaussException e) {
      return false;
    }
  }

  private void statement(int from, int to) {
    String first = word(from, to);
    statements++;
    mayChangeNames |= CHANGES_NAMES.contains(first);
    boolean isOfTheSession = OF_THE_SESSION.contains(first);
    hasEffects |= RUNS_OTHER_TEXT.contains(first) || has(from, to, NOT_TWICE);
    mayBeDenied |= !isOfTheSession && has(from, to, ONLY_TRY);
    mayLock |= !isOfTheSession && !(QUERIES.contains(first) && !has(from, to, LOCKS));
    switch (first) {
      case "begin", "start" -> {
        inBlock = true;
        mayBeInBlock = true;
      }
      case "commit", "end" -> {
        mayCommit = true;
        isCommit = !isChained(to);
        ends(to);
      }
      case "rollback", "abort" -> {
        if (!isToSavepoint(from, to)) {
          beginsWithRollback |= statements == 1 && !isChained(to);
          ends(to);
        }
      }
      default -> {
        if (inBlock) {
          runsInBlock(first, from, to);
        } else {
          runsOutside(first, from, to);
        }
      }
    }
  }

  /** AND CHAIN begins the next block. */
  private void ends(int to) {
    boolean isChained = isChained(to);
    inBlock &= isChained;
    mayBeInBlock &= isChained;
  }

  private boolean isChained(int to) {
    return to >= 2 && word(to - 2, to).equals("and") && word(to - 1, to).equals("chain");
  }

  private void runsInBlock(String first, int from, int to) {
    boolean isPrepareTransaction =
        first.equals("prepare") && word(from + 1, to).equals("transaction");
    if (isPrepareTransaction || !first.equals("prepare") && !STAY_IN_BLOCK.contains(first)) {
      runsUnknown();
    }
  }

  private void runsOutside(String first, int from, int to) {
    switch (first) {
      case "show" -> {
        // Changes nothing.
      }
      case "select", "values", "table" -> mayCommit |= has(from, to, CHANGE_IN_QUERIES);
      case "with" -> mayCommit |= has(from, to, CHANGE_WITH_QUERIES);
      default -> mayCommit = true;
    }
  }

  private boolean isToSavepoint(int from, int to) {
    String second = word(from + 1, to);
    boolean isNoise = second.equals("work") || second.equals("transaction");
    return (isNoise ? word(from + 2, to) : second).equals("to");
  }

  /** Whether one of the words is among the tokens, or a call of what may be one of them. */
  private boolean has(int from, int to, Set<String> words) {
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
