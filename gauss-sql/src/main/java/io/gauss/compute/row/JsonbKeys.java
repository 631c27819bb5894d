package io.gauss.compute.row;

import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.JsonbKind;
import io.gauss.compute.type.JsonbView;
import io.gauss.compute.type.Value;

/**
 * jsonb values as bytes in PostgreSQL's order, the same for equal values whose numbers have
 * different scales.
 *
 * <pre>
 * 1 byte   01 an empty array, 02 a scalar, 03 an array, 04 an object; then, but for the empty array, the value
 *
 * value:
 * 1 byte   10 null, 11 string, 12 number, 13 false, 14 true, 15 array, 16 object
 * string   bytes, 00
 * number   see {@link NumericKeys}
 * array    number of elements (4 bytes big-endian), each element's value
 * object   number of fields (4 bytes big-endian), of each the name and 00, then the value; in the order of {@link JsonbView}
 * </pre>
 */
final class JsonbKeys {
  private static final int EMPTY_ARRAY_AT_TOP = 0x01;
  private static final int SCALAR_AT_TOP = 0x02;
  private static final int ARRAY_AT_TOP = 0x03;
  private static final int OBJECT_AT_TOP = 0x04;

  private static final int NULL = 0x10;
  private static final int STRING = 0x11;
  private static final int NUMBER = 0x12;
  private static final int FALSE = 0x13;
  private static final int TRUE = 0x14;
  private static final int ARRAY = 0x15;
  private static final int OBJECT = 0x16;

  private JsonbKeys() {}

  static void encode(Value jsonb, ByteSink out) {
    JsonbView view = new JsonbView(jsonb);
    switch (view.kind()) {
      case ARRAY -> {
        out.putByte(view.count() == 0 ? EMPTY_ARRAY_AT_TOP : ARRAY_AT_TOP);
        if (view.count() == 0) {
          return;
        }
      }
      case OBJECT -> out.putByte(OBJECT_AT_TOP);
      default -> out.putByte(SCALAR_AT_TOP);
    }
    put(view, out);
  }

  private static void put(JsonbView view, ByteSink out) {
    switch (view.kind()) {
      case NULL -> out.putByte(NULL);
      case FALSE -> out.putByte(FALSE);
      case TRUE -> out.putByte(TRUE);
      case STRING -> {
        out.putByte(STRING);
        putText(view.bytes(), view.offset(), view.stringLength(), out);
      }
      case INTEGER, DECIMAL -> {
        Value number = new Value();
        view.getNumber(number);
        out.putByte(NUMBER);
        NumericKeys.encode(number, out);
      }
      case ARRAY, OBJECT -> putParts(view, out);
    }
  }

  private static void putParts(JsonbView view, ByteSink out) {
    boolean object = view.kind() == JsonbKind.OBJECT;
    out.putByte(object ? OBJECT : ARRAY);
    out.putInt(view.count());
    JsonbView inner = new JsonbView();
    for (int i = 0; i < view.count(); i++) {
      if (object) {
        putText(view.bytes(), view.nameOffset(i), view.nameLength(i), out);
      }
      view.child(i, inner);
      put(inner, out);
    }
  }

  private static void putText(byte[] bytes, int offset, int length, ByteSink out) {
    out.putBytes(bytes, offset, length);
    out.putByte(0);
  }
}
