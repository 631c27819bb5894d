package io.gauss.compute.sql.parse;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.Privilege.ObjectKind;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.sql.parse.TypeStatement.AlterDomain;
import io.gauss.compute.sql.parse.TypeStatement.CreateDomain;
import io.gauss.compute.sql.parse.TypeStatement.DomainAction;
import io.gauss.compute.sql.parse.TypeStatement.DomainCheck;
import java.util.ArrayList;
import java.util.List;

/** CREATE, ALTER and DROP DOMAIN, after these words. */
final class DomainParser {
  private final TokenCursor cursor;

  /** What has been read of a new domain so far. */
  private static final class Draft {
    String collation;
    String defaultSql;
    Boolean notNull; // null = not written
    final List<DomainCheck> checks = new ArrayList<>();
  }

  DomainParser(TokenCursor cursor) {
    this.cursor = cursor;
  }

  PgStatement create() {
    Name name = cursor.qualifiedName();
    cursor.accept("as");
    TypeName base = cursor.type();
    Draft draft = new Draft();
    while (constraint(draft)) {}
    return new PgStatement.Type(
        new CreateDomain(
            name,
            base,
            draft.collation,
            draft.defaultSql,
            Boolean.TRUE.equals(draft.notNull),
            List.copyOf(draft.checks)));
  }

  /** Reads one constraint; false when there is none. */
  private boolean constraint(Draft draft) {
    int position = cursor.position();
    String name = cursor.accept("constraint") ? cursor.name() : null;
    if (cursor.accept("not", "null")) {
      notNull(draft, true);
    } else if (cursor.accept("null")) {
      notNull(draft, false);
    } else if (cursor.accept("default")) {
      String text = cursor.defaultText();
      if (draft.defaultSql != null) {
        throw new GaussException(SqlState.SYNTAX_ERROR, "multiple default expressions");
      }
      draft.defaultSql = text;
    } else if (name == null && cursor.accept("collate")) {
      draft.collation = String.join(".", cursor.path());
    } else if (cursor.accept("check")) {
      draft.checks.add(check(name));
      refuseNoInherit();
    } else {
      refuseKeys("unique", "primary", "references");
      if (name != null) {
        throw cursor.syntaxError();
      }
      refuseDeferrable();
      return false;
    }
    return cursor.position() > position;
  }

  private static void notNull(Draft draft, boolean notNull) {
    if (draft.notNull != null && draft.notNull != notNull) {
      throw new GaussException(SqlState.SYNTAX_ERROR, "conflicting NULL/NOT NULL constraints");
    }
    draft.notNull = notNull;
  }

  private DomainCheck check(String name) {
    cursor.expect('(');
    String sql = cursor.expressionText();
    cursor.expect(')');
    return new DomainCheck(name, sql, false);
  }

  private void refuseNoInherit() {
    if (cursor.accept("no", "inherit")) {
      throw new GaussException(
          SqlState.INVALID_OBJECT_DEFINITION,
          "check constraints for domains cannot be marked NO INHERIT");
    }
  }

  private void refuseDeferrable() {
    if (cursor.isWord("deferrable")
        || cursor.isWord("initially")
        || cursor.isWord("not") && cursor.isWordAt(1, "deferrable")) {
      throw new GaussException(
          SqlState.FEATURE_NOT_SUPPORTED,
          "specifying constraint deferrability not supported for domains");
    }
  }

  private void refuseKeys(String... words) {
    for (String word : words) {
      if (cursor.isWord(word)) {
        String kind =
            switch (word) {
              case "primary" -> "primary key";
              case "references", "foreign" -> "foreign key";
              case "exclude" -> "exclusion";
              default -> word;
            };
        throw new GaussException(
            SqlState.SYNTAX_ERROR, kind + " constraints not possible for domains");
      }
    }
  }

  PgStatement alter() {
    Name name = cursor.qualifiedName();
    if (cursor.isWord("owner")) {
      return new AccessParser(cursor).ownerTo(ObjectKind.TYPE, "domain", name, false);
    }
    return new PgStatement.Type(new AlterDomain(name, action()));
  }

  private DomainAction action() {
    if (cursor.accept("set", "default")) {
      return new DomainAction.SetDefault(cursor.expressionText());
    }
    if (cursor.accept("drop", "default")) {
      return new DomainAction.SetDefault(null);
    }
    if (cursor.accept("set", "schema")) {
      return new DomainAction.Move(cursor.name());
    }
    if (cursor.accept("set")) {
      cursor.expect("not", "null");
      return new DomainAction.SetNotNull(true);
    }
    if (cursor.accept("drop", "constraint")) {
      boolean ifExists = cursor.accept("if", "exists");
      return new DomainAction.DropConstraint(
          cursor.name(), ifExists, UtilityParser.behavior(cursor));
    }
    if (cursor.accept("drop")) {
      cursor.expect("not", "null");
      return new DomainAction.SetNotNull(false);
    }
    if (cursor.accept("validate")) {
      cursor.expect("constraint");
      return new DomainAction.Validate(cursor.name());
    }
    if (cursor.accept("rename", "constraint")) {
      String name = cursor.name();
      cursor.expect("to");
      return new DomainAction.RenameConstraint(name, cursor.name());
    }
    if (cursor.accept("rename")) {
      cursor.expect("to");
      return new DomainAction.Rename(cursor.name());
    }
    cursor.expect("add");
    return new DomainAction.AddConstraint(added());
  }

  private DomainCheck added() {
    String name = cursor.accept("constraint") ? cursor.name() : null;
    refuseKeys("unique", "primary", "foreign", "exclude");
    cursor.expect("check");
    DomainCheck check = check(name);
    ConstraintAttributes attributes = ConstraintAttributes.ofTable(cursor);
    attributes.check("CHECK", false, true, true); // as in PostgreSQL, NO INHERIT means nothing here
    return new DomainCheck(name, check.sql(), attributes.notValid());
  }

  PgStatement drop() {
    boolean ifExists = cursor.accept("if", "exists");
    List<TypeName> names = new ArrayList<>();
    do {
      names.add(cursor.type());
    } while (cursor.accept(','));
    return new PgStatement.Type(
        new TypeStatement.DropType(
            true, List.copyOf(names), ifExists, UtilityParser.behavior(cursor)));
  }
}
