package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.type.PgType;
import java.util.Set;

/**
 * Operator classes of index columns. With the one collation that there is, C, the classes for
 * patterns order as the others do: by bytes. So an index is the same with them, and they are not
 * kept.
 */
final class OperatorClasses {
  private static final String CATALOG = "pg_catalog.";

  private static final Set<String> OF_TEXT =
      Set.of("text_ops", "text_pattern_ops", "varchar_ops", "varchar_pattern_ops");

  private static final Set<String> OF_CHARACTER = Set.of("bpchar_ops", "bpchar_pattern_ops");

  private OperatorClasses() {}

  /**
   * @throws GaussException 42704 when values of the type cannot be sorted
   */
  static void requireOrder(PgType type) {
    if (!type.isComparable()) {
      throw new GaussException(
              SqlState.UNDEFINED_OBJECT,
              "data type %s has no default operator class for access method \"btree\""
                  .formatted(type.displayName()))
          .hint(
              "You must specify an operator class for the index or define a default operator class"
                  + " for the data type.");
    }
  }

  /**
   * @param position in the statement, from 1
   * @throws GaussException 42804 when it is not for columns of the type, 0A000 when it is another
   */
  static void check(String written, PgType type, int position) {
    String name = written.startsWith(CATALOG) ? written.substring(CATALOG.length()) : written;
    boolean isText = type.is(PgType.TEXT) || type.is(PgType.VARCHAR);
    boolean isCharacter = type.is(PgType.BPCHAR);
    if (OF_TEXT.contains(name) ? isText : OF_CHARACTER.contains(name) && isCharacter) {
      return;
    }
    if ((OF_TEXT.contains(name) || OF_CHARACTER.contains(name)) && !isText && !isCharacter) {
      throw new GaussException(
          SqlState.DATATYPE_MISMATCH,
          "operator class \"%s\" does not accept data type %s".formatted(name, type.displayName()));
    }
    throw GaussException.notSupported("operator class " + name).position(position);
  }
}
