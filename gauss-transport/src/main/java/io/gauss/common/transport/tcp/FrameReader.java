package io.gauss.common.transport.tcp;

import io.gauss.common.transport.link.FrameMac;
import io.gauss.common.transport.link.MessageHeader;
import io.gauss.common.transport.link.MessageLayout;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.zip.CRC32C;

/**
 * Creates messages from the bytes of a socket. Confined to one thread.
 *
 * <p>Small messages are slices of the buffer into which they were read. For an incomplete message,
 * a buffer of exactly its size is allocated, and the socket is read directly into it ({@link
 * #target}): only the part of a large message that arrived with its header is copied.
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
  private FrameMac mac;
  private boolean paused;
  private boolean broken;

  /** Receives the messages. */
  interface Sink {
    /** Takes over the payload. */
    void onMessage(MessageHeader header, ByteBuf payload, int frameBytes);

    /** The bytes cannot be interpreted; no message follows. */
    void onCorrupt(String reason);
  }

  FrameReader(ByteBufAllocator allocator, int maxFrameBytes, Sink sink) {
    this.allocator = allocator;
    this.maxFrameBytes = maxFrameBytes;
    this.sink = sink;
  }

  /**
   * The other side is known.
   *
   * @param maxPayloadBytes largest payload from now on
   * @param key authenticates the messages from now on; null = they are not authenticated
   */
  void established(int maxPayloadBytes, FrameMac key) {
    mac = key;
    maxFrameBytes = MessageLayout.headerBytes(key) + maxPayloadBytes;
  }

  /**
   * The buffer for the next read, with room for the missing bytes of a message; null when none has
   * begun. Bytes read into it are passed to {@link #read}.
   */
  ByteBuf target() {
    return frame;
  }

  /** While paused no message is delivered; read bytes are kept. */
  void pause(boolean on) {
    paused = on;
    while (!paused && !held.isEmpty()) {
      ByteBuf next = held.poll();
      take(next);
    }
  }

  /** Processes the read bytes, and takes over the buffer. */
  void read(ByteBuf in) {
    if (in == frame) {
      // The socket was read into this buffer: releases the reference held by the read.
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

  /** The length itself arrived in pieces. */
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
    int least = MessageLayout.headerBytes(mac);
    if (length >= least && length <= maxFrameBytes) {
      return true;
    }
    corrupt(
        "a message of %s bytes is not between %d and %d"
            .formatted(Integer.toUnsignedString(length), least, maxFrameBytes));
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
    } else if (!MessageLayout.authentic(message, message.readerIndex(), length, mac)) {
      message.release();
      corrupt("a message of " + length + " bytes is not the next one that the other side has sent");
    } else {
      MessageLayout.decode(message, message.readerIndex(), header);
      message.skipBytes(MessageLayout.headerBytes(mac));
      sink.onMessage(header, message, length);
    }
  }

  private void corrupt(String reason) {
    broken = true;
    sink.onCorrupt(reason);
  }

  /** Releases all buffers. Later bytes are dropped. */
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
