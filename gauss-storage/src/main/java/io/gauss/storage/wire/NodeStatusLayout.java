package io.gauss.storage.wire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.health.Problem;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The query for a storage node's status, and its answer. Integers are little-endian; the
 * transport's frame has the checksum.
 *
 * <pre>
 * request                     reply
 * offset size                 offset size
 *  0     2   format version    0     2   format version
 *  2     2   zero              2     2   node
 *                              4     2   number of replicas
 *                              6     2   number of problems
 *                              8     8   bytes of records in memory that are not folded yet
 *                             16     8   free bytes on disk
 *                             24         replicas, then problems
 *
 * replica                                          problem
 *  0     4   stream                                 2   length of what, bytes
 *  4     2   leader, 0 = none is known                  what, UTF-8
 *  6     1   flags: 1 alive, 2 leads                2   length of why, bytes
 *  7     1   number of members M                        why, UTF-8
 *  8     4   epoch
 * 12     2   number of holds H
 * 14     2   zero
 * 16     8   Raft term
 * 24     8   start of the stream
 * 32     8   lowest offset kept here
 * 40     8   end of the log here
 * 48     8   durable offset
 * 56     8   last LSN
 * 64     8   offset applied
 * 72     8   offset of the last checkpoint
 * 80     8   lag in ns
 * 88     2M  members
 *       36H  holds: storage node (4), tenure (8), offset (8), bytes (8), ns (8)
 * </pre>
 */
public final class NodeStatusLayout {
  public static final int VERSION_VALUE = 2;
  private static final int ALIVE = 1;
  private static final int LEADS = 2;

  /** Longer texts are truncated: a cause may contain its whole chain of causes. */
  private static final int MOST_TEXT_BYTES = 4096;

  private NodeStatusLayout() {}

  public static ByteBuf writeRequest(ByteBuf buffer) {
    return buffer.writeShortLE(VERSION_VALUE).writeShortLE(0);
  }

  /**
   * @throws GaussException 08P01 when it is none, or of another version
   */
  public static void checkRequest(ByteBuf request) {
    if (request.readableBytes() != 4
        || request.getUnsignedShortLE(request.readerIndex()) != VERSION_VALUE) {
      throw unknown();
    }
  }

  public static ByteBuf write(ByteBuf buffer, NodeStatus status) {
    buffer.writeShortLE(VERSION_VALUE);
    buffer.writeShortLE(status.node());
    buffer.writeShortLE(status.replicas().size());
    buffer.writeShortLE(status.problems().size());
    buffer.writeLongLE(status.pendingBytes());
    buffer.writeLongLE(status.freeBytes());
    status.replicas().forEach(replica -> write(buffer, replica));
    for (Problem problem : status.problems()) {
      writeText(buffer, problem.what());
      writeText(buffer, problem.why());
    }
    return buffer;
  }

  private static void write(ByteBuf buffer, NodeStatus.Replica replica) {
    buffer.writeIntLE(replica.stream());
    buffer.writeShortLE(replica.leader());
    buffer.writeByte((replica.alive() ? ALIVE : 0) | (replica.leads() ? LEADS : 0));
    buffer.writeByte(replica.members().size());
    buffer.writeIntLE(replica.epoch());
    buffer.writeShortLE(replica.holds().size()).writeShortLE(0);
    buffer.writeLongLE(replica.term());
    buffer.writeLongLE(replica.start());
    buffer.writeLongLE(replica.readableFrom());
    buffer.writeLongLE(replica.logEnd());
    buffer.writeLongLE(replica.durable());
    buffer.writeLongLE(replica.lastLsn());
    buffer.writeLongLE(replica.applied());
    buffer.writeLongLE(replica.checkpointed());
    buffer.writeLongLE(replica.lagNanos());
    replica.members().forEach(buffer::writeShortLE);
    for (LogHold hold : replica.holds()) {
      buffer.writeIntLE(hold.node()).writeLongLE(hold.tenure()).writeLongLE(hold.from());
      buffer.writeLongLE(hold.bytes()).writeLongLE(hold.nanos());
    }
  }

  private static void writeText(ByteBuf buffer, String text) {
    int chars = text.length();
    while (ByteBufUtil.utf8Bytes(text, 0, chars) > MOST_TEXT_BYTES) {
      chars /= 2;
    }
    if (chars > 0 && Character.isHighSurrogate(text.charAt(chars - 1))) {
      chars--;
    }
    buffer.writeShortLE(ByteBufUtil.utf8Bytes(text, 0, chars));
    ByteBufUtil.writeUtf8(buffer, text, 0, chars);
  }

  /**
   * Reads a reply; the buffer's indices are left as they are.
   *
   * @throws GaussException 08P01 when it is none, or of another version
   */
  public static NodeStatus read(ByteBuf reply) {
    ByteBuf from = reply.duplicate();
    try {
      if (from.readUnsignedShortLE() != VERSION_VALUE) {
        throw unknown();
      }
      int node = from.readUnsignedShortLE();
      int replicaCount = from.readUnsignedShortLE();
      int problemCount = from.readUnsignedShortLE();
      long pending = from.readLongLE();
      long free = from.readLongLE();
      List<NodeStatus.Replica> replicas = new ArrayList<>();
      for (int i = 0; i < replicaCount; i++) {
        replicas.add(readReplica(from));
      }
      List<Problem> problems = new ArrayList<>();
      for (int i = 0; i < problemCount; i++) {
        problems.add(new Problem(readText(from), readText(from)));
      }
      if (from.isReadable()) {
        throw unknown();
      }
      return new NodeStatus(node, pending, free, replicas, problems);
    } catch (IndexOutOfBoundsException e) {
      throw new GaussException(
          SqlState.PROTOCOL_VIOLATION, "a message of a node's status is cut off", e);
    }
  }

  private static NodeStatus.Replica readReplica(ByteBuf from) {
    int stream = from.readIntLE();
    int leader = from.readUnsignedShortLE();
    int flags = from.readUnsignedByte();
    int memberCount = from.readUnsignedByte();
    int epoch = from.readIntLE();
    int holdCount = from.readUnsignedShortLE();
    from.skipBytes(2);
    long term = from.readLongLE();
    long start = from.readLongLE();
    long readableFrom = from.readLongLE();
    long logEnd = from.readLongLE();
    long durable = from.readLongLE();
    long lastLsn = from.readLongLE();
    long applied = from.readLongLE();
    long checkpointed = from.readLongLE();
    long lagNanos = from.readLongLE();
    List<Integer> members = new ArrayList<>();
    for (int i = 0; i < memberCount; i++) {
      members.add(from.readUnsignedShortLE());
    }
    List<LogHold> holds = new ArrayList<>();
    for (int i = 0; i < holdCount; i++) {
      holds.add(
          new LogHold(
              from.readIntLE(),
              from.readLongLE(),
              from.readLongLE(),
              from.readLongLE(),
              from.readLongLE()));
    }
    return new NodeStatus.Replica(
        stream,
        leader,
        (flags & ALIVE) != 0,
        (flags & LEADS) != 0,
        members,
        term,
        epoch,
        start,
        readableFrom,
        logEnd,
        durable,
        lastLsn,
        applied,
        checkpointed,
        lagNanos,
        holds);
  }

  private static String readText(ByteBuf from) {
    int bytes = from.readUnsignedShortLE();
    return from.readCharSequence(bytes, StandardCharsets.UTF_8).toString();
  }

  private static GaussException unknown() {
    return new GaussException(
        SqlState.PROTOCOL_VIOLATION, "not a message of a node's status that this version knows");
  }
}
