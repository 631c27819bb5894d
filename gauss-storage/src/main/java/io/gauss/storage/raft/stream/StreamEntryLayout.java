package io.gauss.storage.raft.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * A command to a stream, in the form of the Raft log. The client creates it, and it is not changed
 * on its way to the disks and from there to readers.
 *
 * <pre>
 * offset size
 *  0     4   magic "GSE1"
 *  4     1   format version: 1, but 2 for the commands from 5 on
 *  5     1   command: 1 append, 2 seal, 3 open, 4 trim, 5 subscribe, 6 raise, 7 unsubscribe
 *  6     2   zero
 *  8     4   stream
 * 12     4   epoch
 * 16     8   append: stream offset of the payload's first byte; trim, subscribe, raise: the offset;
 *            open: the opener's token; seal, unsubscribe: zero
 * 24     8   append: LSN of the first record; subscribe, raise, unsubscribe: tenure; else zero
 * 32     8   append: LSN of the last record; subscribe, raise, unsubscribe: storage node; else zero
 * 40     8   append: offset up to which the writer knew the stream to be durable, else zero. When an
 *            entry before it is damaged, this tells that it had been durable
 * 48     4   length of the payload in bytes; above 0 for an append, else 0
 * 52     4   CRC32C of bytes 0 to 51 and the payload
 * 56         payload: whole MTRs
 * </pre>
 *
 * Integers are little-endian. Each command is a record, see {@link StreamEntry}.
 */
public final class StreamEntryLayout {
  public static final int MAGIC_VALUE = 0x31455347; // "GSE1"
  public static final int VERSION_VALUE = 1;

  /** Of the commands about subscriptions, which a build that knows version 1 only refuses. */
  public static final int SUBSCRIPTIONS_VERSION = 2;

  private static final int MAGIC = 0;
  static final int VERSION = MAGIC + 4;
  private static final int COMMAND = VERSION + 1;
  private static final int RESERVED = COMMAND + 1;
  static final int STREAM = RESERVED + 2;
  static final int EPOCH = STREAM + 4;
  static final int OFFSET = EPOCH + 4;
  private static final int TOKEN = OFFSET;
  static final int FIRST_LSN = OFFSET + 8;
  static final int LAST_LSN = FIRST_LSN + 8;
  static final int DURABLE = LAST_LSN + 8;
  static final int LENGTH = DURABLE + 8;
  private static final int CHECKSUM = LENGTH + 4;
  static final int HEADER_BYTES = CHECKSUM + 4;

  private static final int APPEND = 1;
  private static final int SEAL = 2;
  private static final int OPEN = 3;
  private static final int TRIM = 4;
  private static final int SUBSCRIBE = 5;
  private static final int RAISE = 6;
  private static final int UNSUBSCRIBE = 7;

  private static final int TENURE = FIRST_LSN;
  private static final int NODE = LAST_LSN;

  private StreamEntryLayout() {}

  /** An entry that appends the remaining bytes of {@code payload}, whose position stays. */
  public static byte[] append(
      int stream,
      int epoch,
      long offset,
      long firstLsn,
      long lastLsn,
      long durable,
      ByteBuffer payload) {
    byte[] entry = new byte[HEADER_BYTES + payload.remaining()];
    payload.get(payload.position(), entry, HEADER_BYTES, payload.remaining());
    ByteBuffer.wrap(entry).order(ByteOrder.LITTLE_ENDIAN).putLong(DURABLE, durable);
    return finish(entry, APPEND, stream, epoch, offset, firstLsn, lastLsn);
  }

  /** The entry of a command without payload. */
  public static byte[] command(StreamEntry.Command command) {
    long offset =
        switch (command) {
          case StreamEntry.Seal seal -> 0;
          case StreamEntry.Open open -> open.token();
          case StreamEntry.Trim trim -> trim.offset();
          case StreamEntry.Subscribe subscribe -> subscribe.offset();
          case StreamEntry.Raise raise -> raise.offset();
          case StreamEntry.Unsubscribe unsubscribe -> 0;
        };
    long tenure = command instanceof StreamEntry.AboutNode about ? about.tenure() : 0;
    long node = command instanceof StreamEntry.AboutNode about ? about.node() : 0;
    byte[] entry = new byte[HEADER_BYTES];
    return finish(entry, id(command), command.stream(), command.epoch(), offset, tenure, node);
  }

  /** Number of the command. */
  public static int id(StreamEntry entry) {
    return switch (entry) {
      case StreamEntry.Append append -> APPEND;
      case StreamEntry.Seal seal -> SEAL;
      case StreamEntry.Open open -> OPEN;
      case StreamEntry.Trim trim -> TRIM;
      case StreamEntry.Subscribe subscribe -> SUBSCRIBE;
      case StreamEntry.Raise raise -> RAISE;
      case StreamEntry.Unsubscribe unsubscribe -> UNSUBSCRIBE;
    };
  }

  /**
   * Reads an entry in which there is no {@link #flaw}.
   *
   * @throws IllegalStateException when the command is not known
   */
  public static StreamEntry read(ByteBuffer entry) {
    ByteBuffer from = entry.slice().order(ByteOrder.LITTLE_ENDIAN);
    int stream = from.getInt(STREAM);
    int epoch = from.getInt(EPOCH);
    int command = from.get(COMMAND);
    return switch (command) {
      case APPEND -> new StreamEntry.Append(from);
      case SEAL -> new StreamEntry.Seal(stream, epoch);
      case OPEN -> new StreamEntry.Open(stream, epoch, from.getLong(TOKEN));
      case TRIM -> new StreamEntry.Trim(stream, epoch, from.getLong(OFFSET));
      case SUBSCRIBE ->
          new StreamEntry.Subscribe(
              stream, (int) from.getLong(NODE), from.getLong(TENURE), from.getLong(OFFSET));
      case RAISE ->
          new StreamEntry.Raise(
              stream, (int) from.getLong(NODE), from.getLong(TENURE), from.getLong(OFFSET));
      case UNSUBSCRIBE ->
          new StreamEntry.Unsubscribe(stream, (int) from.getLong(NODE), from.getLong(TENURE));
      default -> throw new IllegalStateException("stream command " + command);
    };
  }

  /** Reads an entry in which there is no {@link #flaw}, if it is an append; else null. */
  static StreamEntry.Append appendOrNull(ByteBuffer entry) {
    ByteBuffer from = entry.slice();
    return from.get(COMMAND) == APPEND ? new StreamEntry.Append(from) : null;
  }

  private static byte[] finish(
      byte[] entry, int command, int stream, int epoch, long offset, long first, long last) {
    ByteBuffer to = ByteBuffer.wrap(entry).order(ByteOrder.LITTLE_ENDIAN);
    to.putInt(MAGIC, MAGIC_VALUE);
    to.put(VERSION, (byte) version(command));
    to.put(COMMAND, (byte) command);
    to.putInt(STREAM, stream);
    to.putInt(EPOCH, epoch);
    to.putLong(OFFSET, offset);
    to.putLong(FIRST_LSN, first);
    to.putLong(LAST_LSN, last);
    to.putInt(LENGTH, entry.length - HEADER_BYTES);
    to.putInt(CHECKSUM, checksum(to));
    return entry;
  }

  /** The format version of a command. */
  private static int version(int command) {
    return command >= SUBSCRIBE ? SUBSCRIPTIONS_VERSION : VERSION_VALUE;
  }

  private static int checksum(ByteBuffer entry) {
    CRC32C crc = new CRC32C();
    crc.update(entry.duplicate().position(0).limit(CHECKSUM));
    crc.update(entry.duplicate().position(HEADER_BYTES));
    return (int) crc.getValue();
  }

  /**
   * The defect of an entry; null when it is valid.
   *
   * @param entry from position 0, little-endian
   */
  static String flaw(ByteBuffer entry) {
    if (entry.limit() < HEADER_BYTES) {
      return "is cut off after " + entry.limit() + " bytes";
    }
    if (entry.getInt(MAGIC) != MAGIC_VALUE) {
      return "is no stream entry";
    }
    if (entry.get(VERSION) != version(entry.get(COMMAND))) {
      return "has format version " + (entry.get(VERSION) & 0xFF) + ", which is not known here";
    }
    if (entry.getInt(LENGTH) != entry.limit() - HEADER_BYTES) {
      return "names a length of " + entry.getInt(LENGTH) + ", not " + entry.limit();
    }
    if (entry.getInt(CHECKSUM) != checksum(entry)) {
      return "does not match its checksum";
    }
    return null;
  }
}
