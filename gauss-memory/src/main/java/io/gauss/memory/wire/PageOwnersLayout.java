package io.gauss.memory.wire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.transport.MessageType;
import io.netty.buffer.ByteBuf;
import java.util.HashMap;
import java.util.Map;

/**
 * Holders of the pages of a memory node's buckets, by space, and the query for them. Integers are
 * little-endian; the transport's frame has the checksum.
 *
 * <pre>
 * question                          answer
 *  0  2  version, 1                  0  2  version, 1
 *  2  2  first bucket                2  2  zero
 *  4  2  number of buckets           4  4  number of counts
 *  6  2  zero                        8     counts:
 *                                          0  4  space; 0 = several
 *                                          4  1  slot of the compute node, 0 = none
 *                                          5  1  how it has them, see {@link Holding}
 *                                          6  2  zero
 *                                          8  8  number of pages
 * </pre>
 *
 * <p>Buckets of which the node is not the home, or not yet, are counted as empty.
 */
public final class PageOwnersLayout {
  public static final MessageType QUESTION = new MessageType(0x0405, "memory.owners");
  public static final int VERSION = 1;
  public static final int QUESTION_BYTES = 8;

  /** Most buckets that may be asked for at once. */
  public static final int MOST_BUCKETS = 256;

  private static final int ANSWER_HEADER_BYTES = 8;
  private static final int COUNT_BYTES = 16;

  private PageOwnersLayout() {}

  /** How pages are held. The numbers are part of the format. */
  public enum Holding {
    /** A compute node owns them. */
    OWNER(1),
    /** A compute node has copies that it got from the memory node. */
    READER(2),
    /** The memory node has their bytes. */
    MEMORY(3);

    private final int id;

    Holding(int id) {
      this.id = id;
    }

    private static Holding of(int id) {
      for (Holding holding : values()) {
        if (holding.id == id) {
          return holding;
        }
      }
      throw broken();
    }
  }

  /**
   * Key of a count.
   *
   * @param space number of the space; 0 = several
   * @param slot of the compute node; 0 = none
   */
  public record Key(int space, int slot, Holding holding) {}

  public static ByteBuf writeQuestion(ByteBuf to, int firstBucket, int buckets) {
    return to.writeShortLE(VERSION).writeShortLE(firstBucket).writeShortLE(buckets).writeShortLE(0);
  }

  /**
   * @throws GaussException 08P01
   */
  public static void checkQuestion(ByteBuf question, int bucketsInAll) {
    boolean isOne =
        question.readableBytes() == QUESTION_BYTES
            && question.getUnsignedShortLE(question.readerIndex()) == VERSION
            && buckets(question) <= MOST_BUCKETS
            && firstBucket(question) + buckets(question) <= bucketsInAll;
    if (!isOne) {
      throw broken();
    }
  }

  private static GaussException broken() {
    return new GaussException(
        SqlState.PROTOCOL_VIOLATION, "a message about pages' owners that this version knows not");
  }

  public static int firstBucket(ByteBuf question) {
    return question.getUnsignedShortLE(question.readerIndex() + 2);
  }

  public static int buckets(ByteBuf question) {
    return question.getUnsignedShortLE(question.readerIndex() + 4);
  }

  public static ByteBuf write(ByteBuf to, Map<Key, Long> counts) {
    to.writeShortLE(VERSION).writeShortLE(0).writeIntLE(counts.size());
    counts.forEach(
        (key, pages) ->
            to.writeIntLE(key.space())
                .writeByte(key.slot())
                .writeByte(key.holding().id)
                .writeShortLE(0)
                .writeLongLE(pages));
    return to;
  }

  /**
   * Reads an answer.
   *
   * @throws GaussException 08P01
   */
  public static Map<Key, Long> read(ByteBuf from) {
    if (from.readableBytes() < ANSWER_HEADER_BYTES || from.readUnsignedShortLE() != VERSION) {
      throw broken();
    }
    from.skipBytes(2);
    int count = from.readIntLE();
    if (count < 0 || from.readableBytes() != (long) count * COUNT_BYTES) {
      throw broken();
    }
    Map<Key, Long> counts = new HashMap<>();
    for (int i = 0; i < count; i++) {
      int space = from.readIntLE();
      int slot = from.readUnsignedByte();
      Holding holding = Holding.of(from.readUnsignedByte());
      from.skipBytes(2);
      counts.put(new Key(space, slot, holding), from.readLongLE());
    }
    return counts;
  }
}
