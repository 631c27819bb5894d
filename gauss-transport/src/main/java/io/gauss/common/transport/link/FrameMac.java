package io.gauss.common.transport.link;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.SecretKeySpec;

/**
 * Authenticates the messages of one direction of a connection that is not encrypted: HMAC-SHA-256
 * over the message's number, its header and its payload, cut to 16 bytes.
 *
 * <p>Messages are numbered from 0 in the order of {@link #sign}, and numbers are not sent: a
 * message that was repeated, left out or moved does not verify where it arrives. The key belongs to
 * one direction of one connection, so a message does not verify anywhere else either. Whoever reads
 * along still reads everything, and can cut the connection: only encryption hides the content.
 *
 * <p>HMAC and not a checksum with a secret start value: CRC32C is linear, so that whoever has seen
 * one message could change another one unnoticed. Confined to one thread.
 */
public final class FrameMac {
  /** Bytes of a message's authentication code. */
  static final int BYTES = 16;

  private static final String ALGORITHM = "HmacSHA256";
  private static final int FULL_BYTES = 32;
  private static final int NUMBER_BYTES = 8;

  /** Up to this size the payload is copied behind the header, so that it is hashed in one piece. */
  private static final int COPIED_PAYLOAD_BYTES = 512;

  private static final int PREFIX_BYTES =
      NUMBER_BYTES + MessageLayout.HEADER_BYTES - MessageLayout.VERSION;

  private final Mac mac;
  private final byte[] scratch = new byte[PREFIX_BYTES + COPIED_PAYLOAD_BYTES];
  private final byte[] code = new byte[FULL_BYTES];
  private long number;

  /**
   * @param key of one direction of one connection
   */
  FrameMac(byte[] key) {
    try {
      mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }

  /**
   * Writes the code of the next message.
   *
   * @param to has the header at {@code start}, and room for the code behind it
   * @param payload unchanged
   */
  void sign(ByteBuf to, int start, ByteBuf payload) {
    compute(to, start, payload, payload.readerIndex(), payload.readableBytes());
    to.setBytes(start + MessageLayout.MAC, code, 0, BYTES);
  }

  /** Whether the message of {@code length} bytes at {@code start} is the next one of the sender. */
  boolean verify(ByteBuf from, int start, int length) {
    int payload = start + MessageLayout.AUTHENTICATED_HEADER_BYTES;
    compute(from, start, from, payload, length - MessageLayout.AUTHENTICATED_HEADER_BYTES);
    int difference = 0; // no early end: the time must not tell how many bytes were right
    for (int i = 0; i < BYTES; i++) {
      difference |= code[i] ^ from.getByte(start + MessageLayout.MAC + i);
    }
    return difference == 0;
  }

  private void compute(ByteBuf header, int start, ByteBuf payload, int index, int bytes) {
    for (int i = 0; i < NUMBER_BYTES; i++) {
      scratch[i] = (byte) (number >>> (Byte.SIZE * i));
    }
    number++;
    int version = start + MessageLayout.VERSION;
    header.getBytes(version, scratch, NUMBER_BYTES, PREFIX_BYTES - NUMBER_BYTES);
    if (bytes <= COPIED_PAYLOAD_BYTES) {
      payload.getBytes(index, scratch, PREFIX_BYTES, bytes);
      mac.update(scratch, 0, PREFIX_BYTES + bytes);
    } else {
      mac.update(scratch, 0, PREFIX_BYTES);
      update(payload, index, bytes);
    }
    try {
      mac.doFinal(code, 0);
    } catch (ShortBufferException e) {
      throw new IllegalStateException(e);
    }
  }

  private void update(ByteBuf bytes, int index, int length) {
    // Not internalNioBuffer: slices of one buffer share it, and other threads may use those.
    if (bytes.nioBufferCount() == 1) {
      mac.update(bytes.nioBuffer(index, length));
    } else {
      for (ByteBuffer part : bytes.nioBuffers(index, length)) {
        mac.update(part);
      }
    }
  }
}
