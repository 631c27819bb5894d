package io.gauss.compute.sql.algebra;

import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;

/**
 * A constant as a function without arguments. Calcite's literals pad strings, lose scales and do
 * not know PostgreSQL's input functions; this one contains the {@link Value} itself. Immutable.
 */
public final class PgConstant extends SqlFunction {
  private final PgType type;
  private final Value value;

  /** Position of a literal in the statement, 0 = none; not part of the constant's identity. */
  private int position;

  private PgConstant(PgType type, Value value) {
    super(
        digest(type, value), SqlKind.OTHER_FUNCTION, null, null, null, SqlFunctionCategory.SYSTEM);
    this.type = type;
    this.value = value;
  }

  /** A constant of a type; byte ranges of the value are copied. */
  public static RexNode of(PgType type, Value value) {
    Value own = new Value();
    own.set(value);
    if (!own.isNull && own.bytes != null) {
      own.bytes = Arrays.copyOfRange(value.bytes, value.off, value.off + value.len);
      own.off = 0;
    }
    return PgRex.call(new PgConstant(type, own), type, List.of());
  }

  public static RexNode ofLong(PgType type, long number) {
    Value value = new Value();
    value.setLong(number);
    return of(type, value);
  }

  public static RexNode ofText(PgType type, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    Value value = new Value();
    value.setBytes(bytes, 0, bytes.length);
    return of(type, value);
  }

  /** A quoted literal whose type is not known yet. */
  public static RexNode ofLiteral(String text, int position) {
    RexNode node = ofText(PgType.UNKNOWN, text);
    of(node).position = position;
    return node;
  }

  public static RexNode ofNull(PgType type) {
    return of(type, new Value());
  }

  /** The constant's operator when the expression is one, else null. */
  public static PgConstant of(RexNode node) {
    return node instanceof RexCall call && call.op instanceof PgConstant constant ? constant : null;
  }

  public PgType type() {
    return type;
  }

  /** Shared: not to be changed. */
  public Value value() {
    return value;
  }

  public int position() {
    return position;
  }

  public boolean isNull() {
    return value.isNull;
  }

  /** Text of a string or unknown constant. */
  public String text() {
    return new String(value.bytes, value.off, value.len, StandardCharsets.UTF_8);
  }

  private static String digest(PgType type, Value value) {
    String text;
    if (value.isNull) {
      text = "NULL";
    } else {
      text =
          switch (type.kind()) {
            case LONG -> Long.toString(value.l);
            case DOUBLE -> Double.toString(value.d);
            case NUMERIC ->
                value.special != 0
                    ? "special" + value.special
                    : value.big != null ? value.big.toString() : value.l + "e-" + value.scale;
            case BYTES ->
                type.isString() || type.isUnknown()
                    ? "'"
                        + new String(value.bytes, value.off, value.len, StandardCharsets.UTF_8)
                        + "'"
                    : HexFormat.of().formatHex(value.bytes, value.off, value.off + value.len);
          };
    }
    return text + "::" + type.oid() + "/" + type.typmod();
  }
}
