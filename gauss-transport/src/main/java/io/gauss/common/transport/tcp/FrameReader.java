package io.gauss.common.transport.tcp;

import io.gauss.common.transport.link.MessageHeader;
import io.gauss.common.transport.link.MessageLayout;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.zip.CRC32C;

/**
 * Makes messages of the bytes that come from a socket. Confined to one thread.
 *
 * <p>Small messages are slices of the buffer that they came in. For one that did not come whole, a
 * buffer of exactly its size is made, and the socket is read right into it ({@link #target}): of a
 * large message only the piece that came with its header is copied.
 */
final class FrameReader {
  private static final int LENGTH_BYTES = 4;

  private final ByteBufAllocator allocator;
  private final Sink sink;
  private final CRC32C crc = new CRC32C();
  private final MessageHeader header = new MessageHeader();
  private final ArrayDeque<ByteBuf> held = new ArrayDeque<>();
  private final byte[] lengthBytes = new byte[LENGTH_BYTES];
  private int lengthCount;
  private ByteBuf frame;
  private int maxFrameBytes;
  private boolean paused;
  private boolean broken;

  /** Where messages go. */
  interface Sink {
    /** Takes over the payload. */
    void onMessage(MessageHeader header, ByteBuf payload, int frameBytes);

    /** Nothing more can be made of the bytes; no message follows. */
    void onCorrupt(String reason);
  }

  FrameReader(ByteBufAllocator allocator, int maxFrameBytes, Sink sink) {
    this.allocator = allocator;
    this.maxFrameBytes = maxFrameBytes;
    this.sink = sink;
  }

  void maxFrameBytes(int bytes) {
    maxFrameBytes = bytes;
  }

  /**
   * The buffer to read the socket into, with the room that is missing of a message; null when none
   * has begun. What was read into it is given to {@link #read}.
   */
  ByteBuf target() {
    return frame;
  }

  /** While paused no message comes out; what is read is kept. */
  void pause(boolean on) {
    paused = on;
    while (!paused && !held.isEmpty()) {
      ByteBuf next = held.poll();
      take(next);
    }
  }

  /** Takes in what was read, and takes it over. */
  void read(ByteBuf in) {
    if (in == frame) {
      // The socket was read into it: this is the reference that the reading held.
      in.release();
      frameGrew();
    } else if (paused || !held.isEmpty()) {
      held.add(in);
    } else {
      take(in);
    }
  }

  private void take(ByteBuf in) {
    while (in.isReadable() && !broken) {
      if (paused) {
        held.addFirst(in);
        return;
      }
      if (frame != null) {
        frame.writeBytes(in, Math.min(in.readableBytes(), frame.writableBytes()));
        frameGrew();
      } else if (lengthCount > 0 || in.readableBytes() < LENGTH_BYTES) {
        takeLength(in);
      } else {
        takeFrame(in);
      }
    }
    in.release();
  }

  /** The length itself came in pieces. */
  private void takeLength(ByteBuf in) {
    while (in.isReadable() && lengthCount < LENGTH_BYTES) {
      lengthBytes[lengthCount++] = in.readByte();
    }
    if (lengthCount == LENGTH_BYTES) {
      lengthCount = 0;
      int length =
          lengthBytes[0] & 0xFF
              | (lengthBytes[1] & 0xFF) << 8
              | (lengthBytes[2] & 0xFF) << 16
              | lengthBytes[3] << 24;
      if (acceptable(length)) {
        frame = allocator.directBuffer(length, length);
        frame.writeBytes(lengthBytes);
      }
    }
  }

  private void takeFrame(ByteBuf in) {
    int length = in.getIntLE(in.readerIndex() + MessageLayout.LENGTH);
    if (!acceptable(length)) {
      return;
    }
    if (in.readableBytes() >= length) {
      emit(in.readRetainedSlice(length));
    } else {
      frame = allocator.directBuffer(length, length);
      frame.writeBytes(in);
    }
  }

  private boolean acceptable(int length) {
    if (length >= MessageLayout.HEADER_BYTES && length <= maxFrameBytes) {
      return true;
    }
    corrupt(
        "a message of %s bytes is not between %d and %d"
            .formatted(
                Integer.toUnsignedString(length), MessageLayout.HEADER_BYTES, maxFrameBytes));
    return false;
  }

  private void frameGrew() {
    if (!frame.isWritable()) {
      ByteBuf complete = frame;
      frame = null;
      if (paused) {
        held.add(complete);
      } else {
        emit(complete);
      }
    }
  }

  private void emit(ByteBuf message) {
    int length = message.readableBytes();
    if (broken) {
      message.release();
    } else if (!MessageLayout.verify(message, message.readerIndex(), length, crc)) {
      message.release();
      corrupt("a message of " + length + " bytes has a wrong checksum");
    } else {
      MessageLayout.decode(message, message.readerIndex(), header);
      message.skipBytes(MessageLayout.HEADER_BYTES);
      sink.onMessage(header, message, length);
    }
  }

  private void corrupt(String reason) {
    broken = true;
    sink.onCorrupt(reason);
  }

  /** Lets all buffers go. What comes later is dropped. */
  void close() {
    broken = true;
    held.forEach(ByteBuf::release);
    held.clear();
    if (frame != null) {
      frame.release();
      frame = null;
    }
  }
}
