package io.gauss.storage.wire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.InOrder;
import io.netty.buffer.ByteBuf;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * A query to a storage node about a Raft group, and its answer. Integers are little-endian; the
 * transport's frame has the checksum.
 *
 * <pre>
 * question                      answer
 * offset size                   offset size
 *  0     2   format version      0     2   format version
 *  2     6   zero                2     1   1 = has a member of the group; 2 = that leads; 4 = what it
 *  8    16   the group's UUID,             knows of the members is committed and final; 8 = the
 *            high half first               node is fit to lead it
 *                                3     1   zero
 *                                4     4   number of members
 *                                8     4n  their storage nodes
 * </pre>
 */
public final class GroupLayout {
  public static final int VERSION_VALUE = 1;
  public static final int QUESTION_BYTES = 24;

  private static final int HAS = 1;
  private static final int LEADS = 2;
  private static final int SETTLED = 4;
  private static final int MAY_LEAD = 8;
  private static final int HEADER_BYTES = 8;

  private GroupLayout() {}

  /**
   * Status of a node's member of a group.
   *
   * @param has whether there is one
   * @param leads whether it leads
   * @param settled whether no change of members is under way
   * @param mayLead whether the node is fit to lead the group: it has room, and can read its log
   * @param members storage nodes that are members, including those of a change under way
   */
  public record Standing(
      boolean has, boolean leads, boolean settled, boolean mayLead, Set<Integer> members) {
    public static final Standing NONE = new Standing(false, false, false, false, Set.of());

    public Standing {
      members = InOrder.copyOf(members);
    }
  }

  public static ByteBuf write(ByteBuf buffer, UUID group) {
    return buffer
        .writeShortLE(VERSION_VALUE)
        .writeZero(6)
        .writeLongLE(group.getMostSignificantBits())
        .writeLongLE(group.getLeastSignificantBits());
  }

  /**
   * The queried group.
   *
   * @throws GaussException 08P01 when this is not a valid query, or of another version
   */
  public static UUID readQuestion(ByteBuf question) {
    require(question.readableBytes() == QUESTION_BYTES, question);
    int at = question.readerIndex();
    return new UUID(question.getLongLE(at + 8), question.getLongLE(at + 16));
  }

  public static int bytes(Standing standing) {
    return HEADER_BYTES + standing.members().size() * Integer.BYTES;
  }

  public static ByteBuf write(ByteBuf buffer, Standing standing) {
    int flags =
        (standing.has() ? HAS : 0)
            | (standing.leads() ? LEADS : 0)
            | (standing.settled() ? SETTLED : 0)
            | (standing.mayLead() ? MAY_LEAD : 0);
    buffer
        .writeShortLE(VERSION_VALUE)
        .writeByte(flags)
        .writeByte(0)
        .writeIntLE(standing.members().size());
    new TreeSet<>(standing.members()).forEach(buffer::writeIntLE);
    return buffer;
  }

  /**
   * Reads an answer.
   *
   * @throws GaussException 08P01 when it is none, or of another version
   */
  public static Standing read(ByteBuf answer) {
    int at = answer.readerIndex();
    int bytes = answer.readableBytes();
    require(
        bytes >= HEADER_BYTES
            && bytes - HEADER_BYTES == (long) Integer.BYTES * answer.getIntLE(at + 4),
        answer);
    int flags = answer.getUnsignedByte(at + 2);
    Set<Integer> members = new TreeSet<>();
    for (int member = HEADER_BYTES; member < bytes; member += Integer.BYTES) {
      members.add(answer.getIntLE(at + member));
    }
    return new Standing(
        (flags & HAS) != 0,
        (flags & LEADS) != 0,
        (flags & SETTLED) != 0,
        (flags & MAY_LEAD) != 0,
        members);
  }

  private static void require(boolean shape, ByteBuf message) {
    if (!shape || message.getUnsignedShortLE(message.readerIndex()) != VERSION_VALUE) {
      throw new GaussException(
          SqlState.PROTOCOL_VIOLATION, "not a message about a group that this version knows");
    }
  }
}
