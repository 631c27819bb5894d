package io.gauss.common.redo;

import io.gauss.common.id.Xid;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.page.UndoContentLayout;
import io.gauss.common.page.UndoRecordLayout;
import io.gauss.common.page.VersionHeader;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.StringJoiner;

/** Short display text of a redo record. Values of columns are not shown. */
public final class RedoText {
  private static final int MOST_HEX_BYTES = 16;
  private static final int MOST_SLOTS = 8;

  private RedoText() {}

  /**
   * The payload of a record; "malformed" when it does not match its type.
   *
   * @param payload little-endian
   */
  public static String of(int type, ByteBuffer payload) {
    try {
      return switch (type) {
        case RedoType.FORMAT -> format(payload);
        case RedoType.IMAGE ->
            "all but the hole from %d to %d"
                .formatted(
                    u16(payload, RedoPayload.IMAGE_HOLE_START),
                    u16(payload, RedoPayload.IMAGE_HOLE_END));
        case RedoType.INSERT ->
            "slot %d: %d bytes"
                .formatted(
                    u16(payload, RedoPayload.INSERT_SLOT), rest(payload, RedoPayload.INSERT_BYTES));
        case RedoType.SPLICE ->
            "slot %d at %d: %d bytes become %d"
                .formatted(
                    u16(payload, RedoPayload.SPLICE_SLOT),
                    u16(payload, RedoPayload.SPLICE_AT),
                    u16(payload, RedoPayload.SPLICE_REMOVE),
                    rest(payload, RedoPayload.SPLICE_BYTES));
        case RedoType.REMOVE ->
            "slot %d, %d of them"
                .formatted(
                    u16(payload, RedoPayload.REMOVE_SLOT), u16(payload, RedoPayload.REMOVE_COUNT));
        case RedoType.REMOVE_MANY -> slots(payload);
        case RedoType.WRITE -> write(payload);
        case RedoType.REFENCE -> refence(payload);
        case RedoType.VERSION -> version(payload);
        case RedoType.UNDO_APPEND -> undo(payload);
        case RedoType.INSERT_MANY -> insertMany(payload);
        default -> payload.capacity() + " bytes";
      };
    } catch (IndexOutOfBoundsException e) {
      return "malformed: " + payload.capacity() + " bytes";
    }
  }

  private static String format(ByteBuffer payload) {
    return "%s, level %d, generation %d, right %d, %s"
        .formatted(
            PageType.name(u8(payload, RedoPayload.FORMAT_TYPE)),
            u8(payload, RedoPayload.FORMAT_LEVEL),
            payload.getInt(RedoPayload.FORMAT_GENERATION),
            payload.getInt(RedoPayload.FORMAT_RIGHT),
            fences(payload, RedoPayload.FORMAT_LOW_LENGTH, RedoPayload.FORMAT_HIGH_LENGTH));
  }

  private static String fences(ByteBuffer payload, int low, int high) {
    int highLength = u16(payload, high);
    return "low key %d bytes, high key %s"
        .formatted(
            u16(payload, low),
            highLength == PageLayout.NO_HIGH_KEY ? "none" : highLength + " bytes");
  }

  private static String slots(ByteBuffer payload) {
    int count = payload.capacity() / 2;
    StringJoiner slots =
        new StringJoiner(", ", "slots ", count > MOST_SLOTS ? ", ... (" + count + ")" : "");
    for (int i = 0; i < Math.min(count, MOST_SLOTS); i++) {
      slots.add("" + u16(payload, 2 * i));
    }
    return slots.toString();
  }

  private static String write(ByteBuffer payload) {
    int bytes = rest(payload, RedoPayload.WRITE_BYTES);
    byte[] shown = new byte[Math.min(bytes, MOST_HEX_BYTES)];
    payload.get(RedoPayload.WRITE_BYTES, shown);
    return "at %d: %s%s"
        .formatted(
            u16(payload, RedoPayload.WRITE_OFFSET),
            HexFormat.of().formatHex(shown),
            bytes > MOST_HEX_BYTES ? "... (" + bytes + " bytes)" : "");
  }

  private static String refence(ByteBuffer payload) {
    return "records from slot %d on go, right %d, %s"
        .formatted(
            u16(payload, RedoPayload.REFENCE_KEEP),
            payload.getInt(RedoPayload.REFENCE_RIGHT),
            fences(payload, RedoPayload.REFENCE_LOW_LENGTH, RedoPayload.REFENCE_HIGH_LENGTH));
  }

  private static String version(ByteBuffer payload) {
    int added = rest(payload, RedoPayload.VERSION_BYTES);
    int removed = u16(payload, RedoPayload.VERSION_REMOVE);
    String change =
        added == 0 && removed == 0
            ? ""
            : " at %d: %d bytes become %d"
                .formatted(u16(payload, RedoPayload.VERSION_AT), removed, added);
    return "slot %d%s, %s"
        .formatted(
            u16(payload, RedoPayload.VERSION_SLOT),
            change,
            VersionHeader.text(payload, RedoPayload.VERSION_HEADER));
  }

  private static String undo(ByteBuffer payload) {
    int kind = u8(payload, UndoContentLayout.KIND);
    String what =
        switch (kind) {
          case UndoContentLayout.KIND_INSERT -> "INSERT";
          case UndoContentLayout.KIND_UPDATE -> "UPDATE";
          case UndoContentLayout.KIND_DELETE -> "DELETE";
          case UndoContentLayout.KIND_LOCK -> "LOCK";
          case UndoContentLayout.KIND_INSERT_RUN -> "INSERT_RUN";
          case UndoContentLayout.KIND_INSERT_LISTED -> "INSERT_LISTED";
          case UndoContentLayout.KIND_OVERFLOW -> "OVERFLOW";
          case UndoContentLayout.KIND_MOVE -> "MOVE";
          default -> "kind " + kind;
        };
    return "xid %s, %s in space %s, key %d bytes"
        .formatted(
            Xid.toString(payload.getLong(UndoRecordLayout.XID)),
            what,
            Integer.toUnsignedString(payload.getInt(UndoContentLayout.SPACE)),
            u16(payload, UndoContentLayout.KEY_LENGTH));
  }

  private static String insertMany(ByteBuffer payload) {
    int rows = 0;
    int at = RedoPayload.MANY_ROWS;
    while (at < payload.capacity()) {
      at +=
          RedoPayload.MANY_BYTES
              + u16(payload, at + RedoPayload.MANY_SUFFIX_LENGTH)
              + u16(payload, at + RedoPayload.MANY_ROW_LENGTH);
      rows++;
    }
    return rows + " rows, " + VersionHeader.text(payload, RedoPayload.MANY_VERSION);
  }

  private static int rest(ByteBuffer payload, int from) {
    if (from > payload.capacity()) {
      throw new IndexOutOfBoundsException(from);
    }
    return payload.capacity() - from;
  }

  private static int u8(ByteBuffer payload, int at) {
    return Byte.toUnsignedInt(payload.get(at));
  }

  private static int u16(ByteBuffer payload, int at) {
    return Short.toUnsignedInt(payload.getShort(at));
  }
}
