package io.gauss.jdbc.text;

import io.gauss.jdbc.text.StatementText.Control;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Knows the statements that begin and end transactions, and those that leave state in the session.
 */
public final class SessionCommands {
  static final String TEMPORARY = "temporary table ";
  static final String PREPARED = "prepared statement ";
  static final String CURSOR = "cursor ";
  static final String LISTENING = "LISTEN ";

  /** The pin of sessions that have, or may have, advisory locks that outlive transactions. */
  public static final String ADVISORY = "advisory locks";

  /**
   * The pin of sessions that may take such locks by EXECUTE or FETCH, after they have released all
   * that they had; only DISCARD ALL ends it.
   */
  static final String ADVISORY_LATER = "statements that take advisory locks";

  static final Effect ADVISORY_PIN = new Effect.Pin(ADVISORY, false);

  static final String CONFIG = "set_config";

  /** The pin of sessions whose commits other nodes may not have heard of when they are answered. */
  public static final String LOCAL_COMMITS = "gauss.commit_wait = local";

  private static final String COMMIT_WAIT = "gauss.commit_wait";
  private static final Set<String> WORDS_NOT_NAMES =
      Set.of("LOCAL", "GLOBAL", "TEMP", "TEMPORARY", "UNLOGGED", "RECURSIVE");
  private static final Set<String> IN_PG_TEMP = Set.of("TABLE", "VIEW", "SEQUENCE");

  private SessionCommands() {}

  static Control control(TextScan.Part part) {
    return switch (part.word(0)) {
      case "BEGIN" -> Control.BEGIN;
      case "START" -> part.word(1).equals("TRANSACTION") ? Control.BEGIN : Control.NONE;
      case "COMMIT", "END", "ABORT", "ROLLBACK" -> end(part);
      // It is neither committed nor rolled back after that, and no longer open.
      case "PREPARE" -> part.word(1).equals("TRANSACTION") ? Control.COMMIT : Control.NONE;
      case "SAVEPOINT", "RELEASE" -> Control.SAVEPOINT;
      default -> Control.NONE;
    };
  }

  private static Control end(TextScan.Part part) {
    String next = part.word(1);
    if (next.equals("PREPARED")) {
      return Control.NONE; // of another session's
    }
    if (part.word(0).equals("COMMIT") || part.word(0).equals("END")) {
      return Control.COMMIT;
    }
    int to = next.equals("WORK") || next.equals("TRANSACTION") ? 2 : 1;
    return part.word(to).equals("TO") ? Control.SAVEPOINT : Control.ROLLBACK;
  }

  /** False for what may end transactions that it has begun itself. */
  static boolean isAtomic(TextScan.Part part) {
    return switch (part.word(0)) {
      case "CALL", "DO", "{" -> false;
      default -> true;
    };
  }

  static List<Effect> effects(TextScan.Part part, Control control) {
    List<Effect> all = new ArrayList<>(1);
    switch (control) {
      case BEGIN -> all.add(new Effect.Begin(part.text()));
      case COMMIT, ROLLBACK -> all.add(new Effect.End(control == Control.COMMIT, isChained(part)));
      case SAVEPOINT -> all.add(savepoint(part));
      case NONE -> session(part, all);
    }
    if (part.locksAdvisory()) {
      all.add(ADVISORY_PIN);
      if (part.word(0).equals("PREPARE") || part.word(0).equals("DECLARE")) {
        all.add(new Effect.Pin(ADVISORY_LATER, false));
      }
    }
    if (unlocksAdvisory(part)) {
      all.add(new Effect.Unpin(ADVISORY, false));
    }
    if (part.setsConfig()) {
      all.add(new Effect.Pin(CONFIG, false));
    }
    return List.copyOf(all);
  }

  /**
   * Whether it releases all advisory locks for sure: the call is all that is selected, and always
   * executed. It is not in EXPLAIN and PREPARE, in a branch of CASE, or for no rows.
   */
  private static boolean unlocksAdvisory(TextScan.Part part) {
    int at = 1;
    if (part.word(at).equals("PG_CATALOG") && part.word(at + 1).equals(".")) {
      at += 2;
    }
    return part.word(0).equals("SELECT")
        && part.word(at).equals("PG_ADVISORY_UNLOCK_ALL")
        && part.word(at + 1).equals("(")
        && part.word(at + 2).equals(")")
        && part.word(at + 3).isEmpty();
  }

  /** AND CHAIN, but not AND NO CHAIN. */
  private static boolean isChained(TextScan.Part part) {
    for (int i = 1; i < 3; i++) {
      if (part.word(i).equals("AND")) {
        return part.word(i + 1).equals("CHAIN");
      }
    }
    return false;
  }

  private static Effect savepoint(TextScan.Part part) {
    int at = 1;
    while (!part.word(at).isEmpty() && !isNameOfSavepoint(part, at)) {
      at++;
    }
    String name = name(part.word(at));
    return switch (part.word(0)) {
      case "SAVEPOINT" -> new Effect.Savepoint(name, part.text());
      case "RELEASE" -> new Effect.Release(name, part.text());
      default -> new Effect.RollbackTo(name, part.text());
    };
  }

  /** The last word. */
  private static boolean isNameOfSavepoint(TextScan.Part part, int at) {
    return part.word(at + 1).isEmpty();
  }

  private static void session(TextScan.Part part, List<Effect> all) {
    switch (part.word(0)) {
      case "SET" -> set(part, all);
      case "RESET" -> reset(part, all);
      case "DISCARD" -> discard(part, all);
      case "CREATE" -> create(part, all);
      case "SELECT", "WITH" -> selectInto(part, all);
      case "DROP" -> drop(part, all);
      case "PREPARE" -> all.add(new Effect.Pin(PREPARED + name(part.word(1)), false));
      case "DEALLOCATE" -> all.add(deallocate(part));
      case "DECLARE" -> {
        if (part.isHeld()) {
          all.add(new Effect.Pin(CURSOR + name(part.word(1)), true));
        }
      }
      case "CLOSE" ->
          // A cursor that is closed stays so when the transaction is rolled back.
          all.add(
              part.word(1).equals("ALL")
                  ? new Effect.UnpinAll(CURSOR, false)
                  : new Effect.Unpin(CURSOR + name(part.word(1)), false));
      case "LISTEN" -> all.add(new Effect.Pin(LISTENING + name(part.word(1)), true));
      case "UNLISTEN" ->
          all.add(
              part.word(1).equals("*")
                  ? new Effect.UnpinAll(LISTENING, true)
                  : new Effect.Unpin(LISTENING + name(part.word(1)), true));
      default -> {
        // leaves nothing
      }
    }
  }

  /** As the server has it: quoted names as they are, others in lower case. */
  private static String name(String word) {
    return word.startsWith("\"") ? word.substring(1) : word.toLowerCase(Locale.ROOT);
  }

  // ---- settings

  private static void set(TextScan.Part part, List<Effect> all) {
    String first = part.word(1);
    if (first.equals("TRANSACTION") || first.equals("CONSTRAINTS")) {
      all.add(new Effect.ForTransaction(part.text()));
      return;
    }
    boolean isLocal = first.equals("LOCAL");
    boolean isSession = first.equals("SESSION") && !part.word(2).equals("AUTHORIZATION");
    int at = isLocal || isSession ? 2 : 1;
    if (part.word(at).equals("CHARACTERISTICS")) {
      // It may set several things, so two of them do not replace each other.
      all.add(new Effect.Set(part.text(), part.text(), false));
      return;
    }
    String name = settingName(part, at);
    all.add(
        isLocal
            ? new Effect.ForTransaction(part.text())
            : new Effect.Set(name, part.text(), false));
    if (name.equals(COMMIT_WAIT) && !setsGlobal(part)) {
      all.add(new Effect.Pin(LOCAL_COMMITS, false));
    }
  }

  private static String settingName(TextScan.Part part, int at) {
    String name = part.word(at);
    if (name.equals("TIME") && part.word(at + 1).equals("ZONE")) {
      return "timezone";
    } else if (name.equals("NAMES")) {
      return "client_encoding";
    } else if (part.word(at + 1).equals(".")) {
      return name(name) + "." + name(part.word(at + 2));
    }
    return name(name);
  }

  /** The value of gauss.commit_wait is another than local, as far as the text shows it. */
  private static boolean setsGlobal(TextScan.Part part) {
    String text = part.text().toLowerCase(Locale.ROOT);
    return text.endsWith("global") || text.endsWith("global'") || text.endsWith("default");
  }

  private static void reset(TextScan.Part part, List<Effect> all) {
    boolean isAll = part.word(1).equals("ALL");
    all.add(new Effect.Set(isAll ? "all" : settingName(part, 1), part.text(), isAll));
  }

  private static void discard(TextScan.Part part, List<Effect> all) {
    switch (part.word(1)) {
      case "ALL" -> {
        all.add(new Effect.Set("all", part.text(), true));
        all.add(new Effect.UnpinAll("", false));
      }
      case "TEMP", "TEMPORARY" -> all.add(new Effect.UnpinAll(TEMPORARY, true));
      default -> {
        // PLANS and SEQUENCES
      }
    }
  }

  // ---- what exists on one node only

  private static void create(TextScan.Part part, List<Effect> all) {
    int at = part.word(1).equals("OR") ? 3 : 1; // OR REPLACE
    boolean isTemporary = false;
    while (WORDS_NOT_NAMES.contains(part.word(at))) {
      isTemporary |= part.word(at).startsWith("TEMP");
      at++;
    }
    boolean isRelation = IN_PG_TEMP.contains(part.word(at));
    at++;
    if (part.word(at).equals("IF")) {
      at += 3; // IF NOT EXISTS
    }
    isTemporary |= isRelation && name(part.word(at)).equals("pg_temp");
    if (isTemporary && !part.endsWithTransaction()) {
      all.add(new Effect.Pin(TEMPORARY + relation(part, at), true));
    }
  }

  /** The name without the schema of temporary tables. */
  private static String relation(TextScan.Part part, int at) {
    return name(part.word(part.word(at + 1).equals(".") ? at + 2 : at));
  }

  private static void selectInto(TextScan.Part part, List<Effect> all) {
    List<String> target = new ArrayList<>(part.target());
    boolean isTemporary = false;
    while (!target.isEmpty()
        && (WORDS_NOT_NAMES.contains(target.get(0)) || target.get(0).equals("TABLE"))) {
      isTemporary |= target.remove(0).startsWith("TEMP");
    }
    if (isTemporary && !target.isEmpty()) {
      all.add(new Effect.Pin(TEMPORARY + name(target.get(0)), true));
    }
  }

  /** Names with another schema than that of temporary tables are of other tables. */
  private static void drop(TextScan.Part part, List<Effect> all) {
    if (!IN_PG_TEMP.contains(part.word(1))) {
      return;
    }
    int at = part.word(2).equals("IF") ? 4 : 2;
    while (!part.word(at).isEmpty()) {
      boolean isQualified = part.word(at + 1).equals(".");
      if (!isQualified || name(part.word(at)).equals("pg_temp")) {
        all.add(new Effect.Unpin(TEMPORARY + relation(part, at), true));
      }
      at += isQualified ? 3 : 1;
      if (!part.word(at).equals(",")) {
        return;
      }
      at++;
    }
  }

  private static Effect deallocate(TextScan.Part part) {
    int at = part.word(1).equals("PREPARE") ? 2 : 1;
    return part.word(at).equals("ALL")
        ? new Effect.UnpinAll(PREPARED, false)
        : new Effect.Unpin(PREPARED + name(part.word(at)), false);
  }
}
