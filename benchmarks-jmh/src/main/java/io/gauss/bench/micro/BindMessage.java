package io.gauss.bench.micro;

import io.gauss.compute.session.message.MessageReader;
import io.gauss.compute.type.ByteSink;

/**
 * The part of a Bind message behind its names: parameters and one result format for all columns.
 */
final class BindMessage {
  private final ByteSink sink = new ByteSink(128);
  private final MessageReader reader = new MessageReader();

  /** Begins a message whose parameters are all in one format (0 text, 1 binary). */
  void begin(int format, int parameters) {
    sink.clear();
    sink.putShort(1);
    sink.putShort(format);
    sink.putShort(parameters);
  }

  /** A parameter of 8 bytes in binary. */
  void putLong(long value) {
    sink.putInt(Long.BYTES);
    sink.putLong(value);
  }

  void put(byte[] value) {
    sink.putInt(value.length);
    sink.putBytes(value, 0, value.length);
  }

  /** Ends the message; the reader is valid until the next {@link #begin}. */
  MessageReader end(int resultFormat) {
    sink.putShort(1);
    sink.putShort(resultFormat);
    return read();
  }

  /** The same message from its start again. */
  MessageReader read() {
    reader.wrap(sink.array, 0, sink.length);
    return reader;
  }
}
