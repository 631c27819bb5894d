package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.session.message.MessageReader;
import io.gauss.compute.session.prepared.PreparedStatement;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.TypeContext;
import io.gauss.compute.type.Value;
import java.util.Arrays;

/** Reads the parameter part of a Bind message into a portal. One per session. */
final class ParameterReader {
  private final TypeContext context;
  private short[] formats = new short[8];

  ParameterReader(TypeContext context) {
    this.context = context;
  }

  /** Reads formats and values; the portal owns the bytes afterwards. */
  void read(
      MessageReader message, PreparedStatement statement, String statementName, Portal portal) {
    PgType[] types = statement.parameterTypes();
    int formatCount = readFormats(message);
    int count = message.readUnsignedShort();
    if (formatCount > 1 && formatCount != count) {
      throw new GaussException(
          SqlState.PROTOCOL_VIOLATION,
          "bind message has %d parameter formats but %d parameters".formatted(formatCount, count));
    }
    if (count != types.length) {
      throw new GaussException(
          SqlState.PROTOCOL_VIOLATION,
          "bind message supplies %d parameters, but prepared statement \"%s\" requires %d"
              .formatted(count, statementName, types.length));
    }
    int slots = statement.plan() == null ? count : statement.plan().parameterSlots();
    portal.ensureParameters(slots);
    byte[] bytes = copyBytes(message, portal);
    int base = message.position();
    for (int i = 0; i < count; i++) {
      int length = message.readInt();
      Value value = portal.parameters[i];
      if (length == -1) {
        value.setNull();
        continue;
      }
      int at = message.position() - base;
      message.skip(length);
      int format = formatCount == 0 ? 0 : formats[formatCount == 1 ? 0 : i];
      TypeCodec codec = TypeCodec.of(types[i]);
      value.isNull = false;
      if (format == 1) {
        readBinary(codec, bytes, at, length, value, i + 1);
      } else {
        codec.readText(bytes, at, length, context, value);
      }
    }
  }

  private static void readBinary(
      TypeCodec codec, byte[] bytes, int at, int length, Value value, int number) {
    try {
      codec.readBinary(bytes, at, length, value);
    } catch (GaussException e) {
      if (e.state() != SqlState.INVALID_BINARY_REPRESENTATION) {
        throw e;
      }
      throw new GaussException(
          SqlState.INVALID_BINARY_REPRESENTATION,
          "incorrect binary data format in bind parameter " + number,
          e);
    }
  }

  private int readFormats(MessageReader message) {
    int count = message.readUnsignedShort();
    if (count > formats.length) {
      formats = Arrays.copyOf(formats, count);
    }
    for (int i = 0; i < count; i++) {
      int format = message.readShort();
      if (format != 0 && format != 1) {
        throw new GaussException(
            SqlState.INVALID_PARAMETER_VALUE, "unsupported format code: " + format);
      }
      formats[i] = (short) format;
    }
    return count;
  }

  /** Reads the formats of the result's columns, which end the message. */
  static short[] resultFormats(MessageReader message, int columns) {
    int count = message.readUnsignedShort();
    if (count > 1 && count != columns) {
      throw new GaussException(
          SqlState.PROTOCOL_VIOLATION,
          "bind message has %d result formats but query has %d columns".formatted(count, columns));
    }
    short[] formats = new short[columns];
    for (int i = 0; i < count; i++) {
      int format = message.readShort();
      if (format != 0 && format != 1) {
        throw new GaussException(
            SqlState.INVALID_PARAMETER_VALUE, "unsupported format code: " + format);
      }
      if (count == 1) {
        Arrays.fill(formats, (short) format);
      } else {
        formats[i] = (short) format;
      }
    }
    return formats;
  }

  /** Values of type BYTES keep ranges of their source buffer, which must outlive the message. */
  private static byte[] copyBytes(MessageReader message, Portal portal) {
    int length = message.remaining();
    portal.bound = length;
    portal.ensureBytes(length);
    System.arraycopy(message.array(), message.position(), portal.parameterBytes, 0, length);
    return portal.parameterBytes;
  }
}
