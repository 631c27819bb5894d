package io.gauss.compute.pgwire;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Frontend messages of the PostgreSQL protocol as bytes, put together by hand. */
final class WireMessages {
  private WireMessages() {}

  /** Writes the body of a message. */
  interface Body {
    void write(DataOutputStream out) throws IOException;
  }

  static byte[] bytes(Body body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      body.write(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  static byte[] join(byte[]... parts) {
    return bytes(
        out -> {
          for (byte[] part : parts) {
            out.write(part);
          }
        });
  }

  /** A message with its type and its length. */
  static byte[] message(char type, Body body) {
    byte[] content = bytes(body);
    return bytes(
        out -> {
          out.writeByte(type);
          out.writeInt(content.length + 4);
          out.write(content);
        });
  }

  /** A message of the start, which has no type. */
  static byte[] startMessage(Body body) {
    byte[] content = bytes(body);
    return bytes(
        out -> {
          out.writeInt(content.length + 4);
          out.write(content);
        });
  }

  /**
   * @param pairs names and values of parameters, one after the other
   */
  static byte[] startup(int protocol, String... pairs) {
    return startMessage(
        out -> {
          out.writeInt(protocol);
          for (String word : pairs) {
            cstring(out, word);
          }
          out.writeByte(0);
        });
  }

  static byte[] request(int code) {
    return startMessage(out -> out.writeInt(code));
  }

  static byte[] cancelRequest(int processId, int secret) {
    return startMessage(
        out -> {
          out.writeInt(PgProtocol.CANCEL_REQUEST);
          out.writeInt(processId);
          out.writeInt(secret);
        });
  }

  static byte[] query(String sql) {
    return message('Q', out -> cstring(out, sql));
  }

  static byte[] parse(String name, String sql, int... types) {
    return message(
        'P',
        out -> {
          cstring(out, name);
          cstring(out, sql);
          out.writeShort(types.length);
          for (int type : types) {
            out.writeInt(type);
          }
        });
  }

  /** Binds values given as text, null for NULL, and asks for results as text. */
  static byte[] bind(String portal, String statement, String... values) {
    byte[][] bytes = new byte[values.length][];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = values[i] == null ? null : values[i].getBytes(StandardCharsets.UTF_8);
    }
    return bind(portal, statement, new int[0], bytes, new int[0]);
  }

  static byte[] bind(
      String portal, String statement, int[] formats, byte[][] values, int[] resultFormats) {
    return message(
        'B',
        out -> {
          cstring(out, portal);
          cstring(out, statement);
          shorts(out, formats);
          out.writeShort(values.length);
          for (byte[] value : values) {
            out.writeInt(value == null ? -1 : value.length);
            if (value != null) {
              out.write(value);
            }
          }
          shorts(out, resultFormats);
        });
  }

  static byte[] describe(char kind, String name) {
    return named('D', kind, name);
  }

  static byte[] close(char kind, String name) {
    return named('C', kind, name);
  }

  private static byte[] named(char type, char kind, String name) {
    return message(
        type,
        out -> {
          out.writeByte(kind);
          cstring(out, name);
        });
  }

  static byte[] execute(String portal, int maxRows) {
    return message(
        'E',
        out -> {
          cstring(out, portal);
          out.writeInt(maxRows);
        });
  }

  static byte[] copyData(String data) {
    return copyData(data.getBytes(StandardCharsets.UTF_8));
  }

  static byte[] copyData(byte[] data) {
    return message('d', out -> out.write(data));
  }

  static byte[] copyDone() {
    return message('c', out -> {});
  }

  static byte[] copyFail(String reason) {
    return message('f', out -> cstring(out, reason));
  }

  static byte[] sync() {
    return message('S', out -> {});
  }

  static byte[] flush() {
    return message('H', out -> {});
  }

  static byte[] terminate() {
    return message('X', out -> {});
  }

  static void cstring(DataOutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.writeByte(0);
  }

  private static void shorts(DataOutputStream out, int[] numbers) throws IOException {
    out.writeShort(numbers.length);
    for (int number : numbers) {
      out.writeShort(number);
    }
  }
}
