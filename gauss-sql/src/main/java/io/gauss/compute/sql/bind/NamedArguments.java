package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParserPos;

/**
 * Arguments by name, {@code make_interval(days => 10)}, of the functions whose parameters have
 * names.
 */
final class NamedArguments {
  private static final List<String> TIMESTAMP =
      List.of("year", "month", "mday", "hour", "min", "sec");
  private static final Map<String, List<String>> PARAMETERS =
      Map.of(
          "make_date", List.of("year", "month", "day"),
          "make_time", List.of("hour", "min", "sec"),
          "make_timestamp", TIMESTAMP,
          "make_timestamptz", List.of("year", "month", "mday", "hour", "min", "sec", "timezone"),
          "make_interval", List.of("years", "months", "weeks", "days", "hours", "mins", "secs"),
          "jsonb_set", List.of("jsonb_in", "path", "replacement", "create_if_missing"),
          "jsonb_insert", List.of("jsonb_in", "path", "replacement", "insert_after"),
          "jsonb_set_lax",
              List.of(
                  "jsonb_in", "path", "replacement", "create_if_missing", "null_value_treatment"));

  /** How many of the last parameters may be missing: there is an overload without them. */
  private static final Map<String, Integer> OPTIONAL =
      Map.of("make_timestamptz", 1, "jsonb_set", 1, "jsonb_insert", 1, "jsonb_set_lax", 2);

  private NamedArguments() {}

  /**
   * The arguments in the order of the parameters; those of make_interval that are missing are 0.
   *
   * @return null when the function has no such parameters
   * @throws GaussException 42601 for one without a name after one with a name
   */
  static List<SqlNode> inOrder(String name, SqlCall call) {
    List<SqlNode> given = call.getOperandList();
    boolean named = given.stream().anyMatch(NamedArguments::isNamed);
    boolean complete = !name.equals("make_interval") || given.size() >= 7;
    if (!named && complete) {
      return given;
    }
    List<String> parameters = PARAMETERS.getOrDefault(name, List.of());
    if (given.size() > parameters.size()) {
      return null;
    }
    SqlNode[] arguments = new SqlNode[parameters.size()];
    boolean byName = false;
    for (int i = 0; i < given.size(); i++) {
      SqlNode node = given.get(i);
      int at = i;
      if (isNamed(node)) {
        byName = true;
        at = parameters.indexOf(((SqlIdentifier) ((SqlCall) node).operand(1)).getSimple());
        node = ((SqlCall) node).operand(0);
      } else if (byName) {
        throw new GaussException(
                SqlState.SYNTAX_ERROR, "positional argument cannot follow named argument")
            .position(ExprBinder.position(node));
      }
      if (at < 0 || arguments[at] != null) {
        return null;
      }
      arguments[at] = node;
    }
    if (name.equals("make_interval")) {
      SqlNode zero = SqlLiteral.createExactNumeric("0", SqlParserPos.ZERO);
      Arrays.setAll(arguments, i -> arguments[i] == null ? zero : arguments[i]);
    }
    List<SqlNode> result = new ArrayList<>(Arrays.asList(arguments));
    for (int i = OPTIONAL.getOrDefault(name, 0); i > 0 && result.getLast() == null; i--) {
      result.removeLast();
    }
    if (result.contains(null)) {
      return null;
    }
    return result;
  }

  static boolean isNamed(SqlNode node) {
    return node.getKind() == SqlKind.ARGUMENT_ASSIGNMENT;
  }
}
