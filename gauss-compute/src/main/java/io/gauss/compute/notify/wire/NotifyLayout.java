package io.gauss.compute.notify.wire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.transport.MessageType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A {@link NotifyMessage} as bytes. Integers are little-endian; texts are UTF-8 behind their length
 * in bytes.
 *
 * <pre>
 * message   version u16 = 1 | kind u8 | the rest by kind
 * 1 ask     nothing
 * 2 listens number u64 | 16 times 64 bits u64: the classes of channels
 * 3 heard   number u64
 * 4 tell    ticket u64 | xid u64 | pid u32 | bits u8: 1 first part, 2 last part
 *           | number of items u16 | items: length u8, channel, length u16, payload
 * 5 taken   ticket u64 | bytes of the part u32 | bits u8: 2 last part, 4 full
 *           | percent u8 | pid u32, 0 = none
 * 6 decided ticket u64 | csn u64, 0 = not committed
 * </pre>
 */
public final class NotifyLayout {
  /** Number given out in docs/protocols/transport.md. */
  public static final MessageType NOTIFY = new MessageType(0x0704, "session.notify");

  public static final int VERSION = 1;

  /** Classes of channels: a node tells to which it listens, instead of all their names. */
  public static final int CLASSES = 1024;

  private static final int ASK = 1;
  private static final int LISTENS = 2;
  private static final int HEARD = 3;
  private static final int TELL = 4;
  private static final int TAKEN = 5;
  private static final int DECIDED = 6;

  private static final int FIRST = 1;
  private static final int LAST = 2;
  private static final int FULL = 4;

  private NotifyLayout() {}

  /** A notification without its sender. */
  public record Item(String channel, String payload) {}

  /** The class of a channel, the same on all nodes. */
  public static int classOf(String channel) {
    int hash = channel.hashCode() * 0x9E3779B9;
    return hash >>> Integer.SIZE - Integer.numberOfTrailingZeros(CLASSES);
  }

  public static ByteBuf write(ByteBuf to, NotifyMessage message) {
    to.writeShortLE(VERSION);
    switch (message) {
      case NotifyMessage.Ask ask -> to.writeByte(ASK);
      case NotifyMessage.Listens listens -> {
        to.writeByte(LISTENS).writeLongLE(listens.number());
        for (long bits : listens.classes()) {
          to.writeLongLE(bits);
        }
      }
      case NotifyMessage.Heard heard -> to.writeByte(HEARD).writeLongLE(heard.number());
      case NotifyMessage.Tell tell -> {
        to.writeByte(TELL)
            .writeLongLE(tell.ticket())
            .writeLongLE(tell.xid())
            .writeIntLE(tell.pid())
            .writeByte((tell.isFirst() ? FIRST : 0) | (tell.isLast() ? LAST : 0))
            .writeShortLE(tell.items().size());
        for (Item item : tell.items()) {
          to.writeByte(ByteBufUtil.utf8Bytes(item.channel()));
          ByteBufUtil.writeUtf8(to, item.channel());
          to.writeShortLE(ByteBufUtil.utf8Bytes(item.payload()));
          ByteBufUtil.writeUtf8(to, item.payload());
        }
      }
      case NotifyMessage.Taken taken ->
          to.writeByte(TAKEN)
              .writeLongLE(taken.ticket())
              .writeIntLE(taken.bytes())
              .writeByte((taken.isLast() ? LAST : 0) | (taken.isFull() ? FULL : 0))
              .writeByte(taken.percent())
              .writeIntLE(taken.slowest());
      case NotifyMessage.Decided decided ->
          to.writeByte(DECIDED).writeLongLE(decided.ticket()).writeLongLE(decided.csn());
    }
    return to;
  }

  /**
   * Reads a message to its end.
   *
   * @throws GaussException 08P01 when it is malformed
   */
  public static NotifyMessage read(ByteBuf from) {
    try {
      if (from.readUnsignedShortLE() != VERSION) {
        throw broken();
      }
      NotifyMessage message = read(from.readUnsignedByte(), from);
      if (from.isReadable()) {
        throw broken();
      }
      return message;
    } catch (IndexOutOfBoundsException e) {
      throw broken();
    }
  }

  private static NotifyMessage read(int kind, ByteBuf from) {
    return switch (kind) {
      case ASK -> new NotifyMessage.Ask();
      case LISTENS -> {
        long number = from.readLongLE();
        long[] classes = new long[CLASSES / Long.SIZE];
        for (int i = 0; i < classes.length; i++) {
          classes[i] = from.readLongLE();
        }
        yield new NotifyMessage.Listens(number, classes);
      }
      case HEARD -> new NotifyMessage.Heard(from.readLongLE());
      case TELL -> {
        long ticket = from.readLongLE();
        long xid = from.readLongLE();
        int pid = from.readIntLE();
        int bits = from.readUnsignedByte();
        List<Item> items = new ArrayList<>();
        for (int left = from.readUnsignedShortLE(); left > 0; left--) {
          String channel = text(from, from.readUnsignedByte());
          items.add(new Item(channel, text(from, from.readUnsignedShortLE())));
        }
        yield new NotifyMessage.Tell(
            ticket, xid, pid, (bits & FIRST) != 0, (bits & LAST) != 0, items);
      }
      case TAKEN -> {
        long ticket = from.readLongLE();
        int bytes = from.readIntLE();
        int bits = from.readUnsignedByte();
        yield new NotifyMessage.Taken(
            ticket,
            bytes,
            (bits & LAST) != 0,
            (bits & FULL) != 0,
            from.readUnsignedByte(),
            from.readIntLE());
      }
      case DECIDED -> new NotifyMessage.Decided(from.readLongLE(), from.readLongLE());
      default -> throw broken();
    };
  }

  private static String text(ByteBuf from, int bytes) {
    return from.readCharSequence(bytes, StandardCharsets.UTF_8).toString();
  }

  private static GaussException broken() {
    return new GaussException(
        SqlState.PROTOCOL_VIOLATION, "a message about notifications that is none");
  }
}
