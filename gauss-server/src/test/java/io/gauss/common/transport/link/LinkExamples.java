package io.gauss.common.transport.link;

import io.gauss.common.error.SqlState;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.UUID;
import java.util.zip.CRC32C;

/** Bytes of the transport itself, for the registry of formats. */
public final class LinkExamples {
  private LinkExamples() {}

  /** Whether messages of this kind belong to the hello. */
  public static boolean isHello(int kind) {
    return MessageKind.isHello(kind);
  }

  /** A message of this kind with two bytes of payload, as it is sent over TLS, or in the hello. */
  public static ByteBuf message(int kind) {
    return message(kind, null);
  }

  /** The same as the first message of a connection that is not encrypted. */
  public static ByteBuf authenticated(int kind) {
    return message(kind, new FrameMac(new byte[32]));
  }

  private static ByteBuf message(int kind, FrameMac mac) {
    MessageHeader header = new MessageHeader().set(kind, 0x0201, 9);
    header.version = isHello(kind) ? MessageLayout.HELLO_VERSION : MessageLayout.HIGHEST_VERSION;
    header.node = 3;
    header.epoch = 7;
    header.remainingMicros = 1_000_000;
    header.clock = 0x502;
    ByteBuf payload = Unpooled.wrappedBuffer(new byte[] {1, 2});
    ByteBuf message = Unpooled.buffer();
    MessageLayout.encode(header, message, payload, new CRC32C(), mac);
    return message.writeBytes(payload);
  }

  public static byte[] hello() {
    byte[] nonce = new byte[HelloLayout.NONCE_BYTES];
    nonce[0] = (byte) 0xAA;
    return HelloLayout.encode(
        new HelloLayout.Hello(1, 2, 3, false, 4, 5, 6, 0x701, new UUID(0x0102, 0x0304)), nonce);
  }

  public static byte[] failure() {
    return FailureLayout.encode(SqlState.DISK_FULL, "no room");
  }
}
