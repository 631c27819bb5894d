package io.gauss.compute.sql.parse;

import io.gauss.common.error.GaussException;
import io.gauss.compute.sql.parse.PgStatement.Name;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** SET, RESET and SHOW: session parameters, and what is spelled like one. */
final class SettingParser {
  private final TokenCursor cursor;

  SettingParser(TokenCursor cursor) {
    this.cursor = cursor;
  }

  PgStatement set() {
    if (cursor.accept("constraints")) {
      return constraints();
    }
    boolean local = cursor.accept("local");
    if (!local && !isOfSession()) {
      cursor.accept("session");
    }
    if (cursor.isWord("session") && cursor.isWordAt(1, "characteristics")) {
      cursor.expect("session", "characteristics");
      cursor.expect("as", "transaction");
      return new PgStatement.SetSessionCharacteristics(
          new TransactionParser(cursor).modes(true), local);
    }
    if (isOfSession()) {
      cursor.expect("session");
      return special("authorization", local);
    }
    if (cursor.isWord("transaction") && !cursor.isSymbolAt(1, '=') && !cursor.isWordAt(1, "to")) {
      cursor.expect("transaction");
      if (cursor.accept("snapshot")) {
        throw GaussException.notSupported("SET TRANSACTION SNAPSHOT");
      }
      return new PgStatement.SetTransaction(new TransactionParser(cursor).modes(true));
    }
    if (cursor.accept("time", "zone")) {
      return new PgStatement.Set("timezone", timeZone(), local);
    }
    for (String word : List.of("names", "schema", "role")) {
      if (cursor.isWord(word) && !cursor.isSymbolAt(1, '=') && !cursor.isWordAt(1, "to")) {
        return special(word, local);
      }
    }
    String name = settingName();
    if (cursor.accept("from", "current")) {
      throw GaussException.notSupported("SET ... FROM CURRENT");
    }
    if (!cursor.accept('=')) {
      cursor.expect("to");
    }
    if (cursor.accept("default")) {
      return new PgStatement.Set(name, null, local);
    }
    List<String> values = new ArrayList<>();
    do {
      values.add(cursor.variableValue());
    } while (cursor.accept(','));
    return new PgStatement.Set(name, values, local);
  }

  private PgStatement constraints() {
    List<Name> names = new ArrayList<>();
    if (!cursor.accept("all")) {
      do {
        names.add(cursor.qualifiedName());
      } while (cursor.accept(','));
    }
    boolean deferred = cursor.accept("deferred");
    if (!deferred) {
      cursor.expect("immediate");
    }
    return new PgStatement.SetConstraints(names, deferred);
  }

  /** SESSION here is not the opposite of LOCAL. */
  private boolean isOfSession() {
    return cursor.isWord("session")
        && (cursor.isWordAt(1, "characteristics") || cursor.isWordAt(1, "authorization"));
  }

  /**
   * {@code SET NAMES 'x'}, {@code SET SCHEMA 'x'}, {@code SET ROLE x}, {@code SET SESSION
   * AUTHORIZATION x}.
   */
  private PgStatement special(String word, boolean local) {
    cursor.expect(word);
    String name =
        switch (word) {
          case "names" -> "client_encoding";
          case "schema" -> "search_path";
          case "role" -> "role";
          default -> "session_authorization";
        };
    if (cursor.accept("default") || (word.equals("names") && cursor.atEnd())) {
      return new PgStatement.Set(name, null, local);
    }
    return new PgStatement.Set(name, List.of(cursor.variableValue()), local);
  }

  private List<String> timeZone() {
    if (cursor.accept("default") || cursor.accept("local")) {
      return null;
    }
    if (cursor.accept("interval")) {
      String value = cursor.string();
      if (cursor.accept("hour")) {
        cursor.expect("to", "minute");
      }
      return List.of(value);
    }
    return List.of(cursor.settingValue());
  }

  private String settingName() {
    StringBuilder name = new StringBuilder(cursor.label());
    while (cursor.accept('.')) {
      name.append('.').append(cursor.label());
    }
    return name.toString().toLowerCase(Locale.ROOT);
  }

  String settingOrAll() {
    if (cursor.accept("all")) {
      return null;
    }
    if (cursor.accept("time", "zone")) {
      return "timezone";
    }
    if (cursor.accept("transaction", "isolation")) {
      cursor.expect("level");
      return "transaction_isolation";
    }
    if (cursor.accept("session", "authorization")) {
      return "session_authorization";
    }
    return settingName();
  }
}
