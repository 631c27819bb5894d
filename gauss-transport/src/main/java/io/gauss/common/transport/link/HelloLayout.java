package io.gauss.common.transport.link;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;

/**
 * Payload of HELLO and, followed by the MAC, of CHALLENGE.
 *
 * <pre>
 * offset size
 *  0     8   magic "GAUSSNET"
 *  8     2   lowest protocol version spoken (in the challenge: the version chosen)
 * 10     2   highest protocol version spoken (in the challenge: the version chosen)
 * 12     1   role (NodeRole)
 * 13     1   challenge: 1 = the epoch of the hello's sender is dead, and the connection ends; else zero
 * 14     2   node number of the sender
 * 16     4   epoch of the sender
 * 20     2   node that the sender expects at the other end, 0 = any
 * 22     2   zero
 * 24     8   clock of the sender
 * 32    16   cluster id (two u64, high bits first)
 * 48    32   nonce
 * 80    32   challenge only: HMAC-SHA-256 of "gauss-accepting", hello, bytes 0 to 79, channel
 * </pre>
 *
 * PROOF is 32 bytes: HMAC-SHA-256 of "gauss-connecting", hello, bytes 0 to 79 of the challenge, and
 * the channel: {@link WireEnds#channel}, nothing on a connection that is not encrypted. Integers
 * are little-endian. The first 12 bytes are the same in every version.
 */
public final class HelloLayout {
  static final long MAGIC = 0x54_45_4E_53_53_55_41_47L; // "GAUSSNET"
  static final int LOWEST = 8;
  static final int HIGHEST = LOWEST + 2;
  static final int ROLE = HIGHEST + 2;
  static final int YOU_ARE_DEAD = ROLE + 1;
  static final int NODE = YOU_ARE_DEAD + 1;
  static final int EPOCH = NODE + 2;
  static final int EXPECTED = EPOCH + 4;
  static final int CLOCK = EXPECTED + 4;
  static final int CLUSTER = CLOCK + 8;
  static final int NONCE = CLUSTER + 16;
  static final int NONCE_BYTES = 32;
  static final int HELLO_BYTES = NONCE + NONCE_BYTES;
  static final int MAC_BYTES = 32;
  static final int CHALLENGE_BYTES = HELLO_BYTES + MAC_BYTES;

  /** The fields except the nonce and the MAC. */
  record Hello(
      int lowest,
      int highest,
      int role,
      boolean youAreDead,
      int node,
      int epoch,
      int expected,
      long clock,
      UUID cluster) {}

  private HelloLayout() {}

  static byte[] encode(Hello hello, byte[] nonce) {
    ByteBuffer to = ByteBuffer.allocate(HELLO_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    to.putLong(MAGIC);
    to.putShort((short) hello.lowest());
    to.putShort((short) hello.highest());
    to.put((byte) hello.role());
    to.put((byte) (hello.youAreDead() ? 1 : 0));
    to.putShort((short) hello.node());
    to.putInt(hello.epoch());
    to.putShort((short) hello.expected());
    to.putShort((short) 0);
    to.putLong(hello.clock());
    to.putLong(hello.cluster().getMostSignificantBits());
    to.putLong(hello.cluster().getLeastSignificantBits());
    to.put(nonce);
    return to.array();
  }

  static boolean hasMagic(byte[] bytes) {
    return bytes.length >= ROLE && buffer(bytes).getLong(0) == MAGIC;
  }

  static int lowest(byte[] bytes) {
    return Short.toUnsignedInt(buffer(bytes).getShort(LOWEST));
  }

  static int highest(byte[] bytes) {
    return Short.toUnsignedInt(buffer(bytes).getShort(HIGHEST));
  }

  static Hello decode(byte[] bytes) {
    ByteBuffer from = buffer(bytes);
    return new Hello(
        lowest(bytes),
        highest(bytes),
        from.get(ROLE),
        from.get(YOU_ARE_DEAD) != 0,
        Short.toUnsignedInt(from.getShort(NODE)),
        from.getInt(EPOCH),
        Short.toUnsignedInt(from.getShort(EXPECTED)),
        from.getLong(CLOCK),
        new UUID(from.getLong(CLUSTER), from.getLong(CLUSTER + 8)));
  }

  private static ByteBuffer buffer(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
