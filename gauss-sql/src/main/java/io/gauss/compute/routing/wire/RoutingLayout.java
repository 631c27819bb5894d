package io.gauss.compute.routing.wire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.routing.data.AccessSample;
import io.gauss.compute.routing.data.GroupOwners;
import io.gauss.compute.routing.data.NodeLoad;
import io.gauss.compute.routing.data.PublishedRouting;
import io.gauss.compute.routing.data.RoutingMode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Question: a node's load and samples. Answer: the latest publication. Integers are little-endian;
 * a text is its length in bytes u16, and UTF-8.
 *
 * <pre>
 * question  version u16 = 4 | slot of the sender u16 | highest version of a publication that it
 *           knows i64 | sessions u32 | active ones u32 | processors' share i16 (thousandths, -1 =
 *           not known) | number of samples u16 | samples
 * sample    ended i64 (µs since 2000-01-01 UTC) | how the client chose the node u8, its place in
 *           the list | flags u8: 1 = committed, 2 = complete | text | number of values u16 | values
 *           | role u32 | number of tables u16 | tables u32 | number of groups u16 | groups i64 | number of written groups u16 | groups i64
 *           | number of groups with moved pages u16 | groups i64 | transactions that it stands for
 *           f32 | accesses u32 | pages u32 | transfers u32
 * value     0 = null | 1, i64 | 2, f64 | 3, text (each after its u8)
 * answer    version u16 = 4 | 0 u8: nothing newer
 *           version u16 = 4 | 1 u8 | version of the publication i64 | published i64 (µs since
 *           2000-01-01 UTC) | model | table | whose values they have, each a length in bytes
 *           i32, -1 = none, and the bytes
 *           | number of page groups u32 | each group i64 | slot of the node that is to own it u16
 *           | its unit u16 | how much it is used f32
 * </pre>
 */
public final class RoutingLayout {
  public static final int VERSION = 4;

  private static final int THOUSAND = 1000;
  private static final float MOST_WEIGHT = 1e6f;
  private static final int COMMITTED = 1;
  private static final int COMPLETE = 2;
  private static final int NULL = 0;
  private static final int LONG = 1;
  private static final int DOUBLE = 2;
  private static final int TEXT = 3;

  private RoutingLayout() {}

  /**
   * The message of a node.
   *
   * @param node slot of the sender
   * @param known version of the publication that it has
   */
  public record Question(int node, long known, NodeLoad load, List<AccessSample> samples) {}

  private static GaussException broken() {
    return new GaussException(SqlState.PROTOCOL_VIOLATION, "a message about routing that is none");
  }

  // ---------------------------------------------------------------- question

  public static ByteBuf writeQuestion(ByteBuf to, Question question) {
    NodeLoad load = question.load();
    to.writeShortLE(VERSION).writeShortLE(question.node()).writeLongLE(question.known());
    to.writeIntLE(load.sessions()).writeIntLE(load.active());
    to.writeShortLE(load.cpu() < 0 ? -1 : (int) Math.round(load.cpu() * THOUSAND));
    to.writeShortLE(question.samples().size());
    question.samples().forEach(sample -> write(to, sample));
    return to;
  }

  private static void write(ByteBuf to, AccessSample sample) {
    to.writeLongLE(sample.endedMicros()).writeByte(sample.routing().ordinal());
    to.writeByte((sample.isCommitted() ? COMMITTED : 0) | (sample.isComplete() ? COMPLETE : 0));
    writeText(to, sample.text());
    to.writeShortLE(sample.values().size());
    sample.values().forEach(value -> writeValue(to, value));
    to.writeIntLE(sample.role()).writeShortLE(sample.tables().length);
    for (int table : sample.tables()) {
      to.writeIntLE(table);
    }
    writeGroups(to, sample.groups());
    writeGroups(to, sample.written());
    writeGroups(to, sample.moved());
    to.writeFloatLE((float) Math.clamp(sample.weight(), 1, MOST_WEIGHT));
    to.writeIntLE((int) Math.min(sample.accesses(), Integer.MAX_VALUE));
    to.writeIntLE(sample.pages());
    to.writeIntLE((int) Math.min(sample.transfers(), Integer.MAX_VALUE));
  }

  private static void writeText(ByteBuf to, String text) {
    to.writeShortLE(ByteBufUtil.utf8Bytes(text));
    ByteBufUtil.writeUtf8(to, text);
  }

  private static void writeValue(ByteBuf to, Object value) {
    switch (value) {
      case null -> to.writeByte(NULL);
      case Long number -> to.writeByte(LONG).writeLongLE(number);
      case Double number -> to.writeByte(DOUBLE).writeDoubleLE(number);
      case String text -> writeText(to.writeByte(TEXT), text);
      default -> throw new IllegalArgumentException("a sample with a " + value.getClass());
    }
  }

  private static void writeGroups(ByteBuf to, long[] groups) {
    to.writeShortLE(groups.length);
    for (long group : groups) {
      to.writeLongLE(group);
    }
  }

  /**
   * @throws GaussException 08P01 when it is malformed
   */
  public static Question readQuestion(ByteBuf from) {
    try {
      if (from.readUnsignedShortLE() != VERSION) {
        throw broken();
      }
      int node = from.readUnsignedShortLE();
      long known = from.readLongLE();
      int sessions = from.readIntLE();
      int active = from.readIntLE();
      int cpu = from.readShortLE();
      NodeLoad load = new NodeLoad(sessions, active, cpu < 0 ? -1 : (double) cpu / THOUSAND);
      List<AccessSample> samples = new ArrayList<>();
      for (int left = from.readUnsignedShortLE(); left > 0; left--) {
        samples.add(readSample(node, from));
      }
      return new Question(node, known, load, samples);
    } catch (IndexOutOfBoundsException e) {
      throw broken();
    }
  }

  private static AccessSample readSample(int node, ByteBuf from) {
    long ended = from.readLongLE();
    RoutingMode routing = RoutingMode.values()[from.readUnsignedByte()];
    int flags = from.readUnsignedByte();
    String text = readText(from);
    List<Object> values = new ArrayList<>();
    for (int left = from.readUnsignedShortLE(); left > 0; left--) {
      values.add(readValue(from));
    }
    int role = from.readIntLE();
    int[] tables = new int[from.readUnsignedShortLE()];
    for (int i = 0; i < tables.length; i++) {
      tables[i] = from.readIntLE();
    }
    return new AccessSample(
        node,
        ended,
        routing,
        (flags & COMMITTED) != 0,
        text,
        Collections.unmodifiableList(values),
        readGroups(from),
        readGroups(from),
        readGroups(from),
        readWeight(from),
        from.readUnsignedIntLE(),
        from.readIntLE(),
        from.readUnsignedIntLE(),
        (flags & COMPLETE) != 0,
        role,
        tables);
  }

  /** One sample must not outweigh all others, whatever a node sends. */
  private static double readWeight(ByteBuf from) {
    float weight = from.readFloatLE();
    if (!(weight >= 1 && weight <= MOST_WEIGHT)) {
      throw broken();
    }
    return weight;
  }

  private static String readText(ByteBuf from) {
    int bytes = from.readUnsignedShortLE();
    return from.readCharSequence(bytes, StandardCharsets.UTF_8).toString();
  }

  private static Object readValue(ByteBuf from) {
    return switch (from.readUnsignedByte()) {
      case NULL -> null;
      case LONG -> from.readLongLE();
      case DOUBLE -> from.readDoubleLE();
      case TEXT -> readText(from);
      default -> throw broken();
    };
  }

  private static long[] readGroups(ByteBuf from) {
    long[] groups = new long[from.readUnsignedShortLE()];
    for (int i = 0; i < groups.length; i++) {
      groups[i] = from.readLongLE();
    }
    return groups;
  }

  // ---------------------------------------------------------------- answer

  /**
   * @param newer null when the other node has the latest publication
   */
  public static ByteBuf writeAnswer(ByteBuf to, PublishedRouting newer) {
    to.writeShortLE(VERSION).writeByte(newer == null ? 0 : 1);
    if (newer != null) {
      to.writeLongLE(newer.version()).writeLongLE(newer.publishedMicros());
      writeBytes(to, newer.model());
      writeBytes(to, newer.table());
      writeBytes(to, newer.sources());
      writeOwners(to, newer.owners());
    }
    return to;
  }

  private static void writeOwners(ByteBuf to, GroupOwners owners) {
    to.writeIntLE(owners.size());
    for (int i = 0; i < owners.size(); i++) {
      GroupOwners.Place place = owners.place(i);
      to.writeLongLE(owners.group(i)).writeShortLE(place.slot());
      to.writeShortLE(place.unit()).writeFloatLE(place.weight());
    }
  }

  private static GroupOwners readOwners(ByteBuf from) {
    long size = from.readUnsignedIntLE();
    if (size > GroupOwners.MOST) {
      throw broken();
    }
    Map<Long, GroupOwners.Place> places = new HashMap<>();
    for (long i = 0; i < size; i++) {
      places.put(
          from.readLongLE(),
          new GroupOwners.Place(
              from.readUnsignedShortLE(), from.readUnsignedShortLE(), from.readFloatLE()));
    }
    return GroupOwners.of(places);
  }

  private static void writeBytes(ByteBuf to, byte[] bytes) {
    if (bytes == null) {
      to.writeIntLE(-1);
    } else {
      to.writeIntLE(bytes.length).writeBytes(bytes);
    }
  }

  /**
   * @return null when there is nothing newer
   * @throws GaussException 08P01 when it is malformed
   */
  public static PublishedRouting readAnswer(ByteBuf from) {
    try {
      if (from.readUnsignedShortLE() != VERSION) {
        throw broken();
      }
      return from.readUnsignedByte() == 0
          ? null
          : new PublishedRouting(
              from.readLongLE(),
              from.readLongLE(),
              readBytes(from),
              readBytes(from),
              readBytes(from),
              readOwners(from));
    } catch (IndexOutOfBoundsException e) {
      throw broken();
    }
  }

  private static byte[] readBytes(ByteBuf from) {
    int length = from.readIntLE();
    if (length < 0) {
      return null;
    }
    if (length > PublishedRouting.MOST_BYTES) {
      throw broken();
    }
    byte[] bytes = new byte[length];
    from.readBytes(bytes);
    return bytes;
  }
}
