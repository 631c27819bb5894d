package io.gauss.compute.sql.parse;

import io.gauss.compute.catalog.Privilege.ObjectKind;
import io.gauss.compute.sql.parse.PgStatement.Name;
import java.util.ArrayList;
import java.util.List;

/** CREATE, ALTER and DROP TYPE, after these words. */
final class TypeParser {
  private final TokenCursor cursor;

  TypeParser(TokenCursor cursor) {
    this.cursor = cursor;
  }

  /**
   * @param start index of the statement's first token
   */
  PgStatement create(int start) {
    Name name = cursor.qualifiedName();
    if (!cursor.accept("as", "enum")) {
      String kind =
          cursor.accept("as", "range") ? " AS RANGE" : cursor.accept("as") ? " of rows" : "";
      return UtilityParser.unsupported(cursor, "CREATE TYPE" + kind, start);
    }
    cursor.expect('(');
    List<String> labels = new ArrayList<>();
    if (!cursor.isSymbol(')')) {
      do {
        labels.add(cursor.string());
      } while (cursor.accept(','));
    }
    cursor.expect(')');
    return new PgStatement.Type(new TypeStatement.CreateEnum(name, List.copyOf(labels)));
  }

  /**
   * @param start index of the statement's first token
   */
  PgStatement alter(int start) {
    Name name = cursor.qualifiedName();
    if (cursor.accept("add", "value")) {
      return new PgStatement.Type(addValue(name));
    }
    if (cursor.accept("rename", "value")) {
      String label = cursor.string();
      cursor.expect("to");
      return new PgStatement.Type(new TypeStatement.RenameValue(name, label, cursor.string()));
    }
    if (cursor.accept("rename", "to")) {
      return new PgStatement.Type(new TypeStatement.RenameType(name, cursor.name()));
    }
    if (cursor.accept("set", "schema")) {
      return new PgStatement.Type(new TypeStatement.MoveType(name, cursor.name()));
    }
    if (cursor.isWord("owner")) {
      return new AccessParser(cursor).ownerTo(ObjectKind.TYPE, "type", name, false);
    }
    for (String word : List.of("add", "alter", "drop", "rename", "set")) {
      if (cursor.isWord(word)) {
        return UtilityParser.unsupported(cursor, "ALTER TYPE with this action", start);
      }
    }
    throw cursor.syntaxError();
  }

  private TypeStatement addValue(Name name) {
    boolean ifNotExists = cursor.acceptIfNotExists();
    String label = cursor.string();
    boolean before = cursor.accept("before");
    boolean after = !before && cursor.accept("after");
    String neighbour = before || after ? cursor.string() : null;
    return new TypeStatement.AddValue(name, label, ifNotExists, neighbour, after);
  }

  PgStatement drop() {
    boolean ifExists = cursor.accept("if", "exists");
    List<TypeName> names = new ArrayList<>();
    do {
      names.add(cursor.type());
    } while (cursor.accept(','));
    return new PgStatement.Type(
        new TypeStatement.DropType(
            false, List.copyOf(names), ifExists, UtilityParser.behavior(cursor)));
  }
}
