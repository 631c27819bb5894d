package io.gauss.memory.wire;

import io.gauss.common.error.SqlState;
import io.gauss.common.transport.MessageType;
import io.gauss.memory.lock.LockAction;
import io.gauss.memory.lock.LockMode;
import io.gauss.memory.lock.LockName;
import io.gauss.memory.lock.NodeLockTransitions.Message;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Messages about locks, in both directions: {@link LockHeader}, then items. Nodes are named by the
 * epochs of their sessions, so no item says whose it is. Integers are little-endian.
 *
 * <pre>
 *  0  8  id of the lock
 *  8  1  kind of the lock: 1 table, 2 other object, 3 advisory with one key, 4 with two
 *  9  1  kind of the item. To the home: 1 request, 2 withdraw, 3 release, 9 probed.
 *        To the node: 4 grant, 5 recall, 6 keep, 7 refused, 10 probe, 11 deny.
 *        To a new home: 8 report
 * 10  1  mode (1, 4, 8), else 0
 * 11  1  bits (1): 1 = ahead of those who wait, 2 = now or not at all; else 0
 * 12  4  set of modes (3, 5, 6); epoch of the node that requests (9, 10); of a refusal: length of
 *        its message in bytes, m; else 0
 * 16  8  request (1, 2, 4, 7, 9 to 11), else 0
 * 24  8  number of the lease (3, 4, 5, 8), else 0
 * 32  5  of a refusal: SQLSTATE
 *     m  of a refusal: message in UTF-8
 * </pre>
 */
public final class LockLayout {
  /** From a compute node to the home of a bucket. Sent in sessions only (rule 14). */
  public static final MessageType EVENTS = new MessageType(0x0403, "locks.events");

  /** From the home to a compute node. Sent in sessions only. */
  public static final MessageType ORDERS = new MessageType(0x0404, "locks.orders");

  private static final int REQUEST = 1;
  private static final int WITHDRAW = 2;
  private static final int RELEASE = 3;
  private static final int GRANT = 4;
  private static final int RECALL = 5;
  private static final int KEEP = 6;
  private static final int REFUSED = 7;
  private static final int REPORT = 8;
  private static final int PROBED = 9;
  private static final int PROBE = 10;
  private static final int DENY = 11;
  private static final int AHEAD = 1;
  private static final int NOW = 2;
  private static final int ITEM_BYTES = 32;
  private static final int STATE_BYTES = 5;

  private LockLayout() {}

  /** Receives the messages of a node, in order. */
  @FunctionalInterface
  public interface HomeReceiver {
    void message(LockName name, Message message);
  }

  /** Receives the orders of a home, in order. */
  public interface NodeReceiver {
    void order(LockName name, LockAction action);

    void refused(LockName name, long request, String sqlState, String message);
  }

  /** Begins a message; items are appended. */
  public static ByteBuf begin(ByteBuf buffer, int slot, int bucket) {
    return LockHeader.begin(buffer, slot, bucket);
  }

  /** Adds a message of a node to the home. */
  public static void add(ByteBuf buffer, LockName name, Message message) {
    switch (message) {
      case Message.Request r ->
          item(buffer, name, REQUEST, r.mode().id(), bits(r), 0, r.request(), 0);
      case Message.Withdraw w -> item(buffer, name, WITHDRAW, 0, 0, 0, w.request(), 0);
      case Message.Release r -> item(buffer, name, RELEASE, 0, 0, r.modes(), 0, r.upTo());
      case Message.Report r -> item(buffer, name, REPORT, r.mode().id(), 0, 0, 0, r.number());
      case Message.Probed p -> item(buffer, name, PROBED, 0, 0, p.asker(), p.request(), 0);
    }
  }

  private static int bits(Message.Request request) {
    return (request.ahead() ? AHEAD : 0) | (request.now() ? NOW : 0);
  }

  /** Adds a message of the home to a node. */
  public static void add(ByteBuf buffer, LockName name, LockAction action) {
    switch (action) {
      case LockAction.Grant g ->
          item(buffer, name, GRANT, g.mode().id(), 0, 0, g.request(), g.number());
      case LockAction.Recall r -> item(buffer, name, RECALL, 0, 0, r.modes(), 0, r.upTo());
      case LockAction.Keep k -> item(buffer, name, KEEP, 0, 0, k.modes(), 0, 0);
      case LockAction.Probe p -> item(buffer, name, PROBE, 0, 0, p.asker(), p.request(), 0);
      case LockAction.Deny d -> item(buffer, name, DENY, 0, 0, 0, d.request(), 0);
    }
  }

  /** Adds a refusal. */
  public static void addRefusal(
      ByteBuf buffer, LockName name, long request, SqlState state, String why) {
    byte[] text = why.getBytes(StandardCharsets.UTF_8);
    item(buffer, name, REFUSED, 0, 0, text.length, request, 0);
    buffer.writeCharSequence(state.code(), StandardCharsets.US_ASCII);
    buffer.writeBytes(text);
  }

  private static void item(
      ByteBuf buffer,
      LockName name,
      int kind,
      int mode,
      int bits,
      int modes,
      long request,
      long number) {
    buffer
        .writeLongLE(name.id())
        .writeByte(name.kind().id())
        .writeByte(kind)
        .writeByte(mode)
        .writeByte(bits)
        .writeIntLE(modes)
        .writeLongLE(request)
        .writeLongLE(number);
    LockHeader.counted(buffer, buffer.readerIndex());
  }

  private record Item(
      LockName name, int kind, int mode, int bits, int modes, long request, long number) {
    static Item read(ByteBuf buffer) {
      long id = buffer.readLongLE();
      LockName name = new LockName(LockName.Kind.of(buffer.readUnsignedByte()), id);
      return new Item(
          name,
          buffer.readUnsignedByte(),
          buffer.readUnsignedByte(),
          buffer.readUnsignedByte(),
          buffer.readIntLE(),
          buffer.readLongLE(),
          buffer.readLongLE());
    }
  }

  /**
   * Reads the messages of a node. One that makes no sense costs no other: the error is thrown when
   * all others have been handed out.
   *
   * @throws IllegalArgumentException when it cannot be understood
   * @throws IndexOutOfBoundsException when it is too short
   */
  public static void readAtHome(ByteBuf buffer, HomeReceiver receiver) {
    LockHeader header = LockHeader.read(buffer);
    IllegalArgumentException first = null;
    for (int i = 0; i < header.count(); i++) {
      int next = buffer.readerIndex() + ITEM_BYTES;
      try {
        Item item = Item.read(buffer);
        receiver.message(item.name(), message(item));
      } catch (IllegalArgumentException e) {
        first = first == null ? e : first;
        buffer.readerIndex(next);
      }
    }
    if (first != null) {
      throw first;
    }
  }

  private static Message message(Item item) {
    return switch (item.kind()) {
      case REQUEST ->
          new Message.Request(
              item.request(),
              LockMode.of(item.mode()),
              (item.bits() & AHEAD) != 0,
              (item.bits() & NOW) != 0);
      case WITHDRAW -> new Message.Withdraw(item.request());
      case RELEASE -> new Message.Release(item.modes(), item.number());
      case REPORT -> new Message.Report(LockMode.of(item.mode()), item.number());
      case PROBED -> new Message.Probed(item.modes(), item.request());
      default -> throw new IllegalArgumentException("kind " + item.kind() + " to a home");
    };
  }

  /**
   * Reads the orders of a home.
   *
   * @param epoch of this node
   * @throws IllegalArgumentException when it cannot be understood
   * @throws IndexOutOfBoundsException when it is too short
   */
  public static void readAtNode(ByteBuf buffer, int epoch, NodeReceiver receiver) {
    LockHeader header = LockHeader.read(buffer);
    for (int i = 0; i < header.count(); i++) {
      Item item = Item.read(buffer);
      switch (item.kind()) {
        case GRANT ->
            receiver.order(
                item.name(),
                new LockAction.Grant(
                    epoch, item.request(), LockMode.of(item.mode()), item.number()));
        case RECALL ->
            receiver.order(item.name(), new LockAction.Recall(epoch, item.modes(), item.number()));
        case KEEP -> receiver.order(item.name(), new LockAction.Keep(epoch, item.modes()));
        case PROBE ->
            receiver.order(item.name(), new LockAction.Probe(epoch, item.modes(), item.request()));
        case DENY -> receiver.order(item.name(), new LockAction.Deny(epoch, item.request()));
        case REFUSED -> {
          String state = buffer.readCharSequence(STATE_BYTES, StandardCharsets.US_ASCII).toString();
          String why = buffer.readCharSequence(item.modes(), StandardCharsets.UTF_8).toString();
          receiver.refused(item.name(), item.request(), state, why);
        }
        default -> throw new IllegalArgumentException("kind " + item.kind() + " to a node");
      }
    }
  }
}
