package io.gauss.common.transport.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.transport.EpochGuard;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.TestNodes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** What an attacker between two nodes can do with messages that it has seen. */
class FrameMacTest {
  private final CRC32C crc = new CRC32C();

  private record Sides(FrameKeys connecting, FrameKeys accepting) {}

  /** The keys of both sides after a hello. */
  private static Sides connected() {
    Handshake accepting =
        Handshake.accepting(
            TestNodes.config(1, NodeRole.STORAGE).self(),
            TestNodes.KEY,
            EpochGuard.NONE,
            2,
            2,
            () -> Wire.NO_CHANNEL);
    Handshake connecting =
        Handshake.connecting(
            TestNodes.config(2, NodeRole.COMPUTE).self(),
            TestNodes.KEY,
            EpochGuard.NONE,
            2,
            2,
            1,
            () -> Wire.NO_CHANNEL);
    byte[] challenge = sent(accepting.onMessage(MessageKind.HELLO, connecting.hello()));
    byte[] proof = sent(connecting.onMessage(MessageKind.CHALLENGE, challenge));
    byte[] accept = sent(accepting.onMessage(MessageKind.PROOF, proof));
    assertInstanceOf(Handshake.Done.class, connecting.onMessage(MessageKind.ACCEPT, accept));
    return new Sides(connecting.frameKeys(), accepting.frameKeys());
  }

  private static byte[] sent(Handshake.Step step) {
    return assertInstanceOf(Handshake.Send.class, step).payload();
  }

  private ByteBuf message(FrameMac mac, int payloadBytes) {
    MessageHeader header = new MessageHeader().set(MessageKind.REQUEST, 0x0201, 9);
    header.version = MessageLayout.HIGHEST_VERSION;
    ByteBuf payload = Unpooled.wrappedBuffer(TestNodes.array(payloadBytes, 3));
    ByteBuf message = Unpooled.buffer();
    MessageLayout.encode(header, message, payload, crc, mac);
    return message.writeBytes(payload);
  }

  private static boolean authentic(ByteBuf message, FrameMac mac) {
    return MessageLayout.authentic(message, 0, message.readableBytes(), mac);
  }

  @Test
  void messagesOfAllSizesAreAuthenticInTheirOrderInBothDirections() {
    Sides sides = connected();
    for (int bytes : List.of(0, 1, 511, 512, 513, 8192, 65_536)) {
      assertTrue(
          authentic(message(sides.connecting().sent(), bytes), sides.accepting().received()));
      assertTrue(
          authentic(message(sides.accepting().sent(), bytes), sides.connecting().received()));
    }
  }

  @Test
  void aPayloadInPiecesHasTheCodeOfTheWhole() {
    byte[] key = new byte[32];
    byte[] bytes = TestNodes.array(8192, 3);
    ByteBuf pieces =
        Unpooled.wrappedBuffer(
            ByteBuffer.wrap(bytes, 0, 5000).slice(), ByteBuffer.wrap(bytes, 5000, 3192).slice());
    MessageHeader header = new MessageHeader().set(MessageKind.REQUEST, 0x0201, 9);
    header.version = MessageLayout.HIGHEST_VERSION;
    ByteBuf message = Unpooled.buffer();
    MessageLayout.encode(header, message, pieces, crc, new FrameMac(key));
    message.writeBytes(bytes);
    assertEquals(message(new FrameMac(key), 8192), message);
  }

  @Test
  void aChangeOfAnyByteIsNoticed() {
    byte[] key = new byte[32];
    ByteBuf message = message(new FrameMac(key), 5);
    for (int i = MessageLayout.VERSION; i < message.readableBytes(); i++) {
      message.setByte(i, message.getByte(i) ^ 0x10);
      assertFalse(authentic(message, new FrameMac(key)), "byte " + i);
      message.setByte(i, message.getByte(i) ^ 0x10);
    }
    assertTrue(authentic(message, new FrameMac(key)));
  }

  @Test
  void aRepeatedMessageIsNoticed() {
    Sides sides = connected();
    ByteBuf message = message(sides.connecting().sent(), 5);
    assertTrue(authentic(message, sides.accepting().received()));
    assertFalse(authentic(message, sides.accepting().received()));
  }

  @Test
  void aMissingMessageIsNoticed() {
    Sides sides = connected();
    message(sides.connecting().sent(), 5);
    assertFalse(authentic(message(sides.connecting().sent(), 5), sides.accepting().received()));
  }

  @Test
  void aMessageSentBackToItsAuthorIsNoticed() {
    Sides sides = connected();
    ByteBuf message = message(sides.connecting().sent(), 5);
    assertFalse(authentic(message, sides.connecting().received()));
  }

  @Test
  void aMessageOfAnotherConnectionOfTheSameNodesIsNoticed() {
    ByteBuf message = message(connected().connecting().sent(), 5);
    assertFalse(authentic(message, connected().accepting().received()));
  }

  @Test
  void aMessageWithoutACodeIsTakenOnlyWhereNoneIsExpected() {
    assertTrue(authentic(message(null, 5), null));
    assertFalse(authentic(message(null, 100), connected().accepting().received()));
    assertFalse(authentic(message(connected().connecting().sent(), 5), null));
  }
}
