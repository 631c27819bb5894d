package io.gauss.compute.txn.wire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * The messages between nodes with waits and the deadlock detector. All of them travel in sessions,
 * so they arrive once and in order. Integers are little-endian; texts are UTF-8 behind their
 * length.
 *
 * <pre>
 * all           0  2  version, 1
 *               2  2  what the message has many of, or a flag; else zero
 *               4  4  zero
 *               8  8  waiter: wait number of the transaction
 *              16  8  number of its wait; in STANDS zero
 * WAIT_REPORT   2  2  number of holders
 *              24  8  age: clock value at which the transaction began
 *              32     wait numbers of the holders, 8 bytes each
 *                     who and what, two texts (length u16)
 * WAIT_OVER           nothing more
 * WAIT_ASK     24  8  number of the question
 * WAIT_STANDS   2  2  1 = the wait stands
 *              24  8  number of the question
 * WAIT_KILL    24     detail, a text (length u16)
 * </pre>
 */
public final class DeadlockLayout {
  public static final int VERSION = 1;

  public static final int OVER_BYTES = 24;
  public static final int ASK_BYTES = 32;
  public static final int STANDS_BYTES = 32;
  private static final int REPORT_BYTES = 32;
  private static final int KILL_BYTES = 24;

  private static final int COUNT = 2;
  private static final int WAITER = 8;
  private static final int WAIT = 16;
  private static final int QUESTION = 24;
  private static final int MAX_COUNT = 0xFFFF;

  /** A wait that stands; see {@code DeadlockTable.report}. */
  @SuppressWarnings("ArrayRecordComponent") // is not compared
  public record Report(
      long waiter, long waitId, long age, long[] holders, String who, String what) {}

  /** A wait whose transaction is the victim. */
  public record Kill(long waiter, long waitId, String detail) {}

  private DeadlockLayout() {}

  private static ByteBuf header(ByteBuf to, int count, long waiter, long wait) {
    return to.writeShortLE(VERSION)
        .writeShortLE(count)
        .writeIntLE(0)
        .writeLongLE(waiter)
        .writeLongLE(wait);
  }

  /** If there are more holders than the format has room for, the first ones count. */
  public static ByteBuf report(ByteBuf to, Report report) {
    int count = Math.min(report.holders.length, MAX_COUNT);
    header(to, count, report.waiter, report.waitId).writeLongLE(report.age);
    for (int i = 0; i < count; i++) {
      to.writeLongLE(report.holders[i]);
    }
    text(to, report.who);
    text(to, report.what);
    return to;
  }

  public static ByteBuf over(ByteBuf to, long waiter, long wait) {
    return header(to, 0, waiter, wait);
  }

  public static ByteBuf ask(ByteBuf to, long question, long waiter, long wait) {
    return header(to, 0, waiter, wait).writeLongLE(question);
  }

  public static ByteBuf stands(ByteBuf to, long question, long waiter, boolean stands) {
    return header(to, stands ? 1 : 0, waiter, 0).writeLongLE(question);
  }

  public static ByteBuf kill(ByteBuf to, long waiter, long wait, String detail) {
    header(to, 0, waiter, wait);
    text(to, detail);
    return to;
  }

  private static void text(ByteBuf to, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(bytes.length, MAX_COUNT);
    to.writeShortLE(length).writeBytes(bytes, 0, length);
  }

  /**
   * Checks version and length.
   *
   * @throws GaussException 08P01
   */
  public static void check(ByteBuf message, int bytes) {
    require(message.readableBytes() == bytes && version(message) == VERSION);
  }

  public static Report readReport(ByteBuf message) {
    require(message.readableBytes() >= REPORT_BYTES && version(message) == VERSION);
    int start = message.readerIndex();
    long[] holders = new long[message.getUnsignedShortLE(start + COUNT)];
    long age = message.getLongLE(start + QUESTION);
    long waiter = waiter(message);
    long wait = wait(message);
    message.skipBytes(REPORT_BYTES);
    require(message.readableBytes() >= 8 * holders.length);
    for (int i = 0; i < holders.length; i++) {
      holders[i] = message.readLongLE();
    }
    return new Report(waiter, wait, age, holders, readText(message), readText(message));
  }

  public static Kill readKill(ByteBuf message) {
    require(message.readableBytes() >= KILL_BYTES && version(message) == VERSION);
    long waiter = waiter(message);
    long wait = wait(message);
    message.skipBytes(KILL_BYTES);
    return new Kill(waiter, wait, readText(message));
  }

  private static String readText(ByteBuf message) {
    require(message.readableBytes() >= 2);
    int length = message.readUnsignedShortLE();
    require(message.readableBytes() >= length);
    String text = message.toString(message.readerIndex(), length, StandardCharsets.UTF_8);
    message.skipBytes(length);
    return text;
  }

  public static long waiter(ByteBuf message) {
    return message.getLongLE(message.readerIndex() + WAITER);
  }

  public static long wait(ByteBuf message) {
    return message.getLongLE(message.readerIndex() + WAIT);
  }

  public static long question(ByteBuf message) {
    return message.getLongLE(message.readerIndex() + QUESTION);
  }

  public static boolean stands(ByteBuf message) {
    return message.getUnsignedShortLE(message.readerIndex() + COUNT) == 1;
  }

  private static int version(ByteBuf message) {
    return message.getUnsignedShortLE(message.readerIndex());
  }

  private static void require(boolean holds) {
    if (!holds) {
      throw new GaussException(
          SqlState.PROTOCOL_VIOLATION, "a message about a wait has another version or length");
    }
  }
}
