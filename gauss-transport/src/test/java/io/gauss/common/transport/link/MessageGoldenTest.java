package io.gauss.common.transport.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.SqlState;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** The bytes of docs/formats.md: a change here is a change of the protocol. */
class MessageGoldenTest {
  private static final String REQUEST =
      "35000000"
          + "734a675e"
          + "02"
          + "10"
          + "0102"
          + "0000"
          + "0300"
          + "07000000"
          + "40420f00"
          + "0900000000000000"
          + "0205000000000000"
          + "00000000"
          + "00000000"
          + "68656c6c6f";

  /** The same as the first message of a connection whose key is zero. */
  private static final String AUTHENTICATED =
      "45000000"
          + "36847ff1"
          + "02"
          + "10"
          + "0102"
          + "0100"
          + "0300"
          + "07000000"
          + "40420f00"
          + "0900000000000000"
          + "0205000000000000"
          + "00000000"
          + "00000000"
          + "b619132c9d6aff4682c0ce99eae67343"
          + "68656c6c6f";

  @Test
  void aRequestHasTheseBytes() {
    ByteBuf message = request(null);

    String bytes = ByteBufUtil.hexDump(message);
    message.release(); // tests that look for leaks run in the same JVM
    assertEquals(REQUEST, bytes);
    assertEquals(48, MessageLayout.HEADER_BYTES);
  }

  @Test
  void anAuthenticatedRequestHasTheseBytes() {
    ByteBuf message = request(new FrameMac(new byte[32]));

    String bytes = ByteBufUtil.hexDump(message);
    message.release();
    assertEquals(AUTHENTICATED, bytes);
    assertEquals(64, MessageLayout.AUTHENTICATED_HEADER_BYTES);
  }

  private static ByteBuf request(FrameMac mac) {
    MessageHeader header = new MessageHeader().set(MessageKind.REQUEST, 0x0201, 9);
    header.version = 2;
    header.node = 3;
    header.epoch = 7;
    header.remainingMicros = 1_000_000;
    header.clock = 0x502;
    ByteBuf payload = Unpooled.wrappedBuffer("hello".getBytes(StandardCharsets.UTF_8));
    ByteBuf message = Unpooled.buffer();

    MessageLayout.encode(header, message, payload, new CRC32C(), mac);
    return message.writeBytes(payload);
  }

  @Test
  void theBytesOfARequestAreReadBack() {
    ByteBuf message = Unpooled.wrappedBuffer(HexFormat.of().parseHex(REQUEST));
    MessageHeader header = new MessageHeader();

    assertTrue(MessageLayout.verify(message, 0, message.readableBytes(), new CRC32C()));
    MessageLayout.decode(message, 0, header);

    assertEquals(2, header.version);
    assertEquals(MessageKind.REQUEST, header.kind);
    assertEquals(0x0201, header.type);
    assertEquals(3, header.node);
    assertEquals(7, header.epoch);
    assertEquals(1_000_000, header.remainingMicros);
    assertEquals(9, header.requestId);
    assertEquals(0x502, header.clock);
  }

  @Test
  void aChangeOfAnyByteBehindTheChecksumIsNoticed() {
    byte[] bytes = HexFormat.of().parseHex(REQUEST);
    for (int i = MessageLayout.VERSION; i < bytes.length; i++) {
      bytes[i] ^= 0x10;
      int at = i;
      assertFalse(
          MessageLayout.verify(Unpooled.wrappedBuffer(bytes), 0, bytes.length, new CRC32C()),
          () -> "byte " + at);
      bytes[i] ^= 0x10;
    }
  }

  @Test
  void aHelloHasTheseBytes() {
    byte[] nonce = new byte[HelloLayout.NONCE_BYTES];
    nonce[0] = (byte) 0xAA;
    byte[] hello =
        HelloLayout.encode(
            new HelloLayout.Hello(1, 2, 3, false, 4, 5, 6, 0x701, new UUID(0x0102, 0x0304)), nonce);
    assertEquals(
        "47415553534e4554"
            + "0100"
            + "0200"
            + "03"
            + "00"
            + "0400"
            + "05000000"
            + "0600"
            + "0000"
            + "0107000000000000"
            + "0201000000000000"
            + "0403000000000000"
            + "aa"
            + "00".repeat(31),
        HexFormat.of().formatHex(hello));
  }

  @Test
  void aFailureHasTheseBytesAndItsTextBecomesOneLine() {
    assertEquals(
        "35333130306e6f20726f6f6d",
        HexFormat.of().formatHex(FailureLayout.encode(SqlState.DISK_FULL, "no room")));
    FailureLayout.Failure failure =
        FailureLayout.decode(
            Unpooled.wrappedBuffer(FailureLayout.encode(SqlState.DISK_FULL, "a\nb")));
    assertEquals(SqlState.DISK_FULL, failure.state());
    assertEquals("a b", failure.message());
  }
}
