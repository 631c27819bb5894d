package io.gauss.compute.ddl;

import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.sql.parse.PgLexer;
import io.gauss.compute.sql.parse.PgStatement.Name;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Defaults of the form {@code nextval('name')}, as dumps write them. The name is looked up when the
 * default is defined, as in PostgreSQL, and the column keeps the sequence's oid: neither another
 * search path nor a rename of the sequence changes the values of the column.
 */
final class SequenceDefaults {
  private static final Pattern NEXT_VALUE =
      Pattern.compile(
          "\\s*(?:pg_catalog\\s*\\.\\s*)?nextval\\s*\\(\\s*'((?:[^']|'')+)'"
              + "\\s*(?:::\\s*(?:pg_catalog\\s*\\.\\s*)?regclass\\s*)?\\)\\s*",
          Pattern.CASE_INSENSITIVE);

  private SequenceDefaults() {}

  /** The column with its default bound to the sequence that it names, if it is of that form. */
  static ColumnDef bind(DdlContext ddl, ColumnDef column, int tableOid) {
    if (column.defaultSql() == null || column.sequenceOid() != 0) {
      return column;
    }
    Matcher matcher = NEXT_VALUE.matcher(column.defaultSql());
    if (!matcher.matches()) {
      return column;
    }
    Name name = name(matcher.group(1).replace("''", "'"));
    SequenceDef sequence = name == null ? null : ddl.sequence(name);
    if (name != null
        && sequence == null
        && !ddl.isRelation(name)
        && ddl.view().table(ddl.searchPath(), name.schema(), name.name()) == null) {
      throw DdlContext.noRelation(name).position(0);
    }
    if (sequence == null
        || (sequence.ownerTableOid() != 0 && sequence.ownerTableOid() != tableOid)) {
      // A relation that is not a sequence is rejected when the default is used. A sequence of
      // another table may be dropped with that table, so it is looked up by name each time.
      return column;
    }
    String text = SequenceDefiner.nextValueSql(sequence.schema(), sequence.name());
    return column.withSequence(text, sequence.oid());
  }

  private static Name name(String text) {
    PgLexer lexer = new PgLexer().scan(text);
    if (lexer.count() == 1 && isName(lexer, 0)) {
      return new Name(null, lexer.name(0), 0);
    }
    if (lexer.count() == 3 && isName(lexer, 0) && lexer.isOperator(1, '.') && isName(lexer, 2)) {
      return new Name(lexer.name(0), lexer.name(2), 0);
    }
    return null;
  }

  private static boolean isName(PgLexer lexer, int token) {
    return lexer.kind(token) == PgLexer.WORD || lexer.kind(token) == PgLexer.QUOTED_NAME;
  }

  /** Tables with a column that takes its values from the sequence. */
  static List<TableDef> users(DdlContext ddl, SequenceDef sequence) {
    return ddl.view().tables().stream()
        .filter(table -> table.columns().stream().anyMatch(c -> c.sequenceOid() == sequence.oid()))
        .sorted(java.util.Comparator.comparingInt(TableDef::oid))
        .toList();
  }
}
