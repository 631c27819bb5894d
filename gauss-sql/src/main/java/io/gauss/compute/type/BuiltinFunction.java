package io.gauss.compute.type;

import java.util.Arrays;
import java.util.List;

/**
 * A row of pg_proc: a function that statements can call, or one that pg_type and pg_am name. Its
 * types may be some that Gauss does not have, such as {@code anyarray} and {@code internal}.
 */
public final class BuiltinFunction {
  /** The fields of a line of {@code functions.txt}, most of them columns of pg_proc. */
  private enum Field {
    OID,
    NAME,
    LANGUAGE,
    COST,
    ROWS,
    VARIADIC,
    KIND,
    LEAKPROOF,
    STRICT,
    SET,
    VOLATILITY,
    PARALLEL,
    DEFAULTS,
    RESULT,
    ARGUMENT_TYPES,
    ALL_TYPES,
    MODES,
    NAMES,
    SOURCE,
    ARGUMENTS,
    IDENTITY,
    RESULT_TEXT
  }

  private static final String NULL = "\\N";

  private final String[] fields;
  private final int oid;
  private final List<Integer> argumentTypes;

  BuiltinFunction(String line) {
    fields = line.split("\t", -1);
    if (fields.length != Field.values().length) {
      throw new IllegalStateException(line);
    }
    oid = number(Field.OID);
    argumentTypes = Arrays.stream(numbers(Field.ARGUMENT_TYPES)).boxed().toList();
  }

  private String text(Field field) {
    String text = fields[field.ordinal()];
    return text.equals(NULL) ? null : text;
  }

  private int number(Field field) {
    return Integer.parseInt(fields[field.ordinal()]);
  }

  private boolean flag(Field field) {
    return fields[field.ordinal()].equals("t");
  }

  private char letter(Field field) {
    return fields[field.ordinal()].charAt(0);
  }

  private String[] words(Field field, String separator) {
    String text = text(field);
    return text == null ? null : text.isEmpty() ? new String[0] : text.split(separator, -1);
  }

  private int[] numbers(Field field) {
    String[] words = words(field, " ");
    return words == null ? null : Arrays.stream(words).mapToInt(Integer::parseInt).toArray();
  }

  /** As in PostgreSQL 15; Gauss's own are from 15,500 on. */
  public int oid() {
    return oid;
  }

  public String name() {
    return fields[Field.NAME.ordinal()];
  }

  public int language() {
    return number(Field.LANGUAGE);
  }

  /** Estimate for planners, in the costs of an operator. */
  public double cost() {
    return Double.parseDouble(fields[Field.COST.ordinal()]);
  }

  /** Estimated rows of a function that returns a set, else 0. */
  public double rows() {
    return Double.parseDouble(fields[Field.ROWS.ordinal()]);
  }

  /** Element type of the argument that repeats; 0 = none. */
  public int variadic() {
    return number(Field.VARIADIC);
  }

  /** f = function, a = aggregate, w = window function. */
  public char kind() {
    return letter(Field.KIND);
  }

  public boolean isLeakproof() {
    return flag(Field.LEAKPROOF);
  }

  public boolean isStrict() {
    return flag(Field.STRICT);
  }

  public boolean returnsSet() {
    return flag(Field.SET);
  }

  /** i = immutable, s = stable, v = volatile. */
  public char volatility() {
    return letter(Field.VOLATILITY);
  }

  /** s = safe, r = restricted, u = unsafe. */
  public char parallelSafety() {
    return letter(Field.PARALLEL);
  }

  /** Number of arguments that have defaults. */
  public int defaults() {
    return number(Field.DEFAULTS);
  }

  public int resultType() {
    return number(Field.RESULT);
  }

  /** Of the arguments by which a call is resolved. */
  public List<Integer> argumentTypes() {
    return argumentTypes;
  }

  /** With outputs; null when there are none. */
  public int[] allTypes() {
    return numbers(Field.ALL_TYPES);
  }

  /** Of all of them, i, o, v or t; null when there are only inputs. */
  public String[] modes() {
    return words(Field.MODES, " ");
  }

  /** Of all of them, empty for one without; null when none has a name. */
  public String[] names() {
    return words(Field.NAMES, ",");
  }

  public String source() {
    return text(Field.SOURCE);
  }

  /** As pg_get_function_arguments shows them. */
  public String arguments() {
    return text(Field.ARGUMENTS);
  }

  /** As pg_get_function_identity_arguments shows them. */
  public String identity() {
    return text(Field.IDENTITY);
  }

  /** As pg_get_function_result shows it. */
  public String result() {
    return text(Field.RESULT_TEXT);
  }

  /** As regprocedure shows it: types without the names of arguments. */
  String signature() {
    StringBuilder text = new StringBuilder(name()).append('(');
    for (int type : argumentTypes) {
      PgType known = PgTypes.byOidOrNull(type);
      text.append(text.charAt(text.length() - 1) == '(' ? "" : ",")
          .append(known == null ? BuiltinFunctions.typeName(type) : known.displayName());
    }
    return text.append(')').toString();
  }
}
