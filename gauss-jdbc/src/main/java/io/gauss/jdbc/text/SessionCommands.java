package io.gauss.jdbc.text;

import io.gauss.jdbc.text.StatementText.Control;
import io.gauss.jdbc.text.StatementText.Effect;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Knows the statements that begin and end transactions, and those that leave state in the session.
 */
public final class SessionCommands {
  static final String TEMPORARY = "temporary table ";
  static final String PREPARED = "prepared statement ";
  static final String CURSOR = "cursor ";
  static final String LISTENING = "LISTEN ";
  static final String ADVISORY = "advisory locks";
  static final String CONFIG = "set_config";
  private static final String WORDS_NOT_NAMES = " LOCAL GLOBAL TEMP TEMPORARY ";

  private SessionCommands() {}

  static Control control(TextScan.Part part) {
    return switch (part.word(0)) {
      case "BEGIN" -> Control.BEGIN;
      case "START" -> part.word(1).equals("TRANSACTION") ? Control.BEGIN : Control.NONE;
      case "COMMIT", "END" -> Control.COMMIT;
      case "ABORT" -> Control.ROLLBACK;
      case "ROLLBACK" -> rollback(part);
      default -> Control.NONE;
    };
  }

  private static Control rollback(TextScan.Part part) {
    int next = part.word(1).equals("WORK") || part.word(1).equals("TRANSACTION") ? 2 : 1;
    return part.word(next).equals("TO") ? Control.ROLLBACK_TO : Control.ROLLBACK;
  }

  static List<Effect> effects(TextScan.Part part) {
    Effect effect =
        switch (part.word(0)) {
          case "SET" -> set(part);
          case "RESET" -> reset(part);
          case "DISCARD" -> discard(part);
          case "BEGIN", "START" ->
              control(part) == Control.BEGIN ? new Effect.ForTransaction(part.text()) : null;
          case "CREATE" -> create(part);
          case "SELECT" -> selectInto(part);
          case "PREPARE" ->
              part.word(1).equals("TRANSACTION")
                  ? null
                  : new Effect.Pin(PREPARED + name(part.word(1)), false);
          case "DEALLOCATE" -> deallocate(part);
          case "DECLARE" -> declare(part);
          case "CLOSE" ->
              part.word(1).equals("ALL")
                  ? new Effect.UnpinAll(CURSOR)
                  : new Effect.Unpin(CURSOR + name(part.word(1)), true);
          case "LISTEN" -> new Effect.Pin(LISTENING + name(part.word(1)), true);
          case "UNLISTEN" ->
              part.word(1).equals("*")
                  ? new Effect.UnpinAll(LISTENING)
                  : new Effect.Unpin(LISTENING + name(part.word(1)), true);
          default -> null;
        };
    boolean isDrop = part.word(0).equals("DROP") && part.word(1).equals("TABLE");
    if (effect == null
        && !isDrop
        && !part.locksAdvisory()
        && !part.unlocksAdvisory()
        && !part.setsConfig()) {
      return List.of();
    }
    List<Effect> all = new ArrayList<>();
    if (effect != null) {
      all.add(effect);
    }
    if (isDrop) {
      drop(part, all);
    }
    if (part.locksAdvisory()) {
      all.add(new Effect.Pin(ADVISORY, false));
    }
    if (part.unlocksAdvisory()) {
      all.add(new Effect.Unpin(ADVISORY, false));
    }
    if (part.setsConfig()) {
      all.add(new Effect.Pin(CONFIG, false));
    }
    return List.copyOf(all);
  }

  private static String name(String word) {
    return word.toLowerCase(Locale.ROOT);
  }

  private static Effect set(TextScan.Part part) {
    String first = part.word(1);
    if (first.equals("LOCAL") || first.equals("TRANSACTION") || first.equals("CONSTRAINTS")) {
      return new Effect.ForTransaction(part.text());
    }
    int at = first.equals("SESSION") && !part.word(2).equals("AUTHORIZATION") ? 2 : 1;
    String name = part.word(at);
    if (name.equals("CHARACTERISTICS")) {
      // It may set several things, so two of them do not replace each other.
      return new Effect.Set(part.text(), part.text(), false);
    }
    if (name.equals("TIME") && part.word(at + 1).equals("ZONE")) {
      name = "TIMEZONE";
    } else if (name.equals("NAMES")) {
      name = "CLIENT_ENCODING";
    } else if (part.word(at + 1).equals(".")) {
      name += "." + part.word(at + 2);
    }
    return new Effect.Set(name(name), part.text(), false);
  }

  private static Effect reset(TextScan.Part part) {
    String name = part.word(1);
    if (name.equals("ALL")) {
      return new Effect.Set("all", part.text(), true);
    }
    if (name.equals("TIME") && part.word(2).equals("ZONE")) {
      name = "TIMEZONE";
    } else if (part.word(2).equals(".")) {
      name += "." + part.word(3);
    }
    return new Effect.Set(name(name), part.text(), false);
  }

  private static Effect discard(TextScan.Part part) {
    return switch (part.word(1)) {
      case "ALL" -> new Effect.Set("all", part.text(), true);
      case "TEMP", "TEMPORARY" -> new Effect.UnpinAll(TEMPORARY);
      default -> null;
    };
  }

  /** DISCARD ALL ends everything; the code that applies the effects checks for it. */
  public static boolean endsAllPins(Effect effect) {
    return effect instanceof Effect.Set set
        && set.forgetsOthers()
        && set.text().regionMatches(true, 0, "DISCARD", 0, 7);
  }

  private static Effect create(TextScan.Part part) {
    int at = 1;
    boolean isTemporary = false;
    if (part.word(1).equals("OR")) {
      at = 3; // OR REPLACE
    }
    while (WORDS_NOT_NAMES.contains(" " + part.word(at) + " ") && !part.word(at).isEmpty()) {
      isTemporary |= part.word(at).startsWith("TEMP");
      at++;
    }
    if (!isTemporary || endsWithTransaction(part)) {
      return null;
    }
    at++; // TABLE, VIEW, SEQUENCE
    if (part.word(at).equals("IF")) {
      at += 3; // IF NOT EXISTS
    }
    return new Effect.Pin(TEMPORARY + name(part.word(at)), true);
  }

  private static boolean endsWithTransaction(TextScan.Part part) {
    return part.text().toLowerCase(Locale.ROOT).replaceAll("\\s+", " ").contains("on commit drop");
  }

  private static Effect selectInto(TextScan.Part part) {
    if (!part.hasInto()) {
      return null;
    }
    String text = part.text().toLowerCase(Locale.ROOT).replaceAll("\\s+", " ");
    int at = text.indexOf(" into temp");
    return at < 0 ? null : new Effect.Pin(TEMPORARY + "of SELECT INTO", true);
  }

  private static void drop(TextScan.Part part, List<Effect> effects) {
    int at = part.word(2).equals("IF") ? 4 : 2;
    for (; !part.word(at).isEmpty(); at++) {
      effects.add(new Effect.Unpin(TEMPORARY + name(part.word(at)), true));
    }
  }

  private static Effect deallocate(TextScan.Part part) {
    int at = part.word(1).equals("PREPARE") ? 2 : 1;
    return part.word(at).equals("ALL")
        ? new Effect.UnpinAll(PREPARED)
        : new Effect.Unpin(PREPARED + name(part.word(at)), false);
  }

  private static Effect declare(TextScan.Part part) {
    String text = part.text().toLowerCase(Locale.ROOT).replaceAll("\\s+", " ");
    return text.contains(" with hold ") ? new Effect.Pin(CURSOR + name(part.word(1)), true) : null;
  }
}
