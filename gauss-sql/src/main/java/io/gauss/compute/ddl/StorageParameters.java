package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.parse.PgStatement.Option;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Storage parameters of tables and indexes. The only one is {@code fillfactor}, which is checked
 * and has no effect: in PostgreSQL it leaves room in heap pages for new row versions, but here old
 * versions are in the undo, not in the table.
 */
final class StorageParameters {
  private static final int FILL_FACTOR_MIN = 10;
  private static final int FILL_FACTOR_MAX = 100;
  private static final Pattern SET =
      Pattern.compile(
          "set\\s*\\(\\s*fillfactor\\s*=\\s*'?([0-9]+)'?\\s*\\)", Pattern.CASE_INSENSITIVE);
  private static final Pattern RESET =
      Pattern.compile("reset\\s*\\(\\s*fillfactor\\s*\\)", Pattern.CASE_INSENSITIVE);

  private StorageParameters() {}

  /**
   * @throws GaussException 0A000 for another parameter, 22023 for a value out of range
   */
  static void check(List<Option> options) {
    for (Option option : options) {
      if (!option.name().equals("fillfactor")) {
        throw GaussException.notSupported("storage parameter " + option.name());
      }
      checkFillFactor(option.value());
    }
  }

  /** Whether the text of an ALTER action only sets or resets the fill factor. */
  static boolean isFillFactor(String action) {
    Matcher set = SET.matcher(action.strip());
    if (set.matches()) {
      checkFillFactor(set.group(1));
      return true;
    }
    return RESET.matcher(action.strip()).matches();
  }

  private static void checkFillFactor(String text) {
    int value;
    try {
      value = Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE,
          "invalid value for integer option \"fillfactor\": " + text);
    }
    if (value < FILL_FACTOR_MIN || value > FILL_FACTOR_MAX) {
      throw new GaussException(
              SqlState.INVALID_PARAMETER_VALUE,
              "value %s out of bounds for option \"fillfactor\"".formatted(text))
          .detail(
              "Valid values are between \"%d\" and \"%d\"."
                  .formatted(FILL_FACTOR_MIN, FILL_FACTOR_MAX));
    }
  }
}
