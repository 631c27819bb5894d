package io.gauss.compute.session.wire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.state.SystemState.AdvisoryRow;
import io.gauss.compute.sql.state.SystemState.NotifyRow;
import io.gauss.compute.sql.state.SystemState.SessionRow;
import io.gauss.compute.sql.state.SystemState.TransactionRow;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.TransactionActivity;
import io.gauss.compute.txn.TransactionActivity.AdvisoryWait;
import io.gauss.compute.txn.TransactionActivity.HeldLock;
import io.gauss.compute.txn.TransactionActivity.RowWait;
import io.gauss.compute.txn.TransactionActivity.TableWait;
import io.gauss.compute.txn.TransactionActivity.Wait;
import io.gauss.compute.wait.CurrentWait;
import io.gauss.memory.lock.LockMode;
import io.gauss.memory.lock.LockName;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The sessions and open transactions of a node. The question is the version alone, two bytes.
 * Integers are little-endian; a text is its length in bytes, 0xFFFF for null, and UTF-8.
 *
 * <pre>
 * answer       version u16 = 3 | number of sessions u32 | sessions
 *              | number of transactions u32 | transactions
 *              | number of advisory locks that sessions have u32 | advisory locks
 *              | notifications
 * session      number u32 | user text | application text | client text | state text | query text
 *              | wait: cause text, and unless it is null: page u64, 0 = none | nanoseconds i64,
 *              below 0 = not known
 * transaction  number of its session u32, 0 = none | state text
 *              | began i64, the least number = not known | now i64 (both µs since 2000-01-01 UTC)
 *              | xid u64 | isolation u8: 0 = not known, or its place in the list from 1 on
 *              | LSN of its snapshot u64 | number of table locks u16 | locks | wait
 * lock         oid of the table u32 | mode u8, its place in the list
 * wait         u8: 0 = nothing, 1 = a row, 2 = a table, 3 = an advisory lock
 *              | row: xid u64; table: oid u32, mode u8; advisory lock: its name | nanoseconds i64
 * advisory     number of its session u32 | name
 * name         kind u8 | key u64 | mode u8: see LockLayout
 * notifications  listening sessions u32 | channels u32 | bytes in the queue u64 | size of the queue
 *              u64 | undecided transactions u32 | transactions that have notified u64
 *              | notifications delivered u64 | transactions refused u64
 * </pre>
 *
 * <p>At most 4,096 table locks of a transaction, as many advisory locks of the node and 1,024
 * characters of a statement's text are reported.
 */
public final class ActivityLayout {
  public static final int VERSION = 3;
  public static final int QUESTION_BYTES = 2;
  public static final int MOST_LOCKS = 4096;
  public static final int MOST_CHARACTERS = 1024;

  private static final int NULL_TEXT = 0xFFFF;
  private static final long NOT_KNOWN = Long.MIN_VALUE;
  private static final int NO_WAIT = 0;
  private static final int ROW_WAIT = 1;
  private static final int TABLE_WAIT = 2;
  private static final int ADVISORY_WAIT = 3;

  private ActivityLayout() {}

  /** A node's answer. */
  public record Activity(
      List<SessionRow> sessions,
      List<TransactionRow> transactions,
      List<AdvisoryRow> advisory,
      NotifyRow notifications) {}

  public static ByteBuf writeQuestion(ByteBuf to) {
    return to.writeShortLE(VERSION);
  }

  /**
   * @throws GaussException 08P01
   */
  public static void checkQuestion(ByteBuf question) {
    if (question.readableBytes() != QUESTION_BYTES
        || question.getUnsignedShortLE(question.readerIndex()) != VERSION) {
      throw broken();
    }
  }

  private static GaussException broken() {
    return new GaussException(
        SqlState.PROTOCOL_VIOLATION, "a message about a node's sessions that is none");
  }

  public static ByteBuf write(ByteBuf to, Activity activity) {
    to.writeShortLE(VERSION).writeIntLE(activity.sessions().size());
    activity.sessions().forEach(session -> write(to, session));
    to.writeIntLE(activity.transactions().size());
    activity.transactions().forEach(transaction -> write(to, transaction));
    int advisory = Math.min(activity.advisory().size(), MOST_LOCKS);
    to.writeIntLE(advisory);
    for (AdvisoryRow lock : activity.advisory().subList(0, advisory)) {
      write(to.writeIntLE(lock.pid()), lock.name(), lock.mode());
    }
    NotifyRow notifications = activity.notifications();
    return to.writeIntLE(notifications.sessions())
        .writeIntLE(notifications.channels())
        .writeLongLE(notifications.queueBytes())
        .writeLongLE(notifications.mostBytes())
        .writeIntLE(notifications.undecided())
        .writeLongLE(notifications.sent())
        .writeLongLE(notifications.delivered())
        .writeLongLE(notifications.refused());
  }

  private static void write(ByteBuf to, SessionRow session) {
    to.writeIntLE(session.pid());
    writeText(to, session.user());
    writeText(to, session.application());
    writeText(to, session.client());
    writeText(to, session.state());
    writeText(to, session.query());
    CurrentWait wait = session.waiting();
    writeText(to, wait == null ? null : wait.cause());
    if (wait != null) {
      to.writeLongLE(wait.page()).writeLongLE(wait.nanos());
    }
  }

  private static void write(ByteBuf to, TransactionRow transaction) {
    TransactionActivity activity = transaction.activity();
    to.writeIntLE(transaction.pid() == null ? 0 : transaction.pid());
    writeText(to, transaction.state());
    to.writeLongLE(transaction.startedMicros() == null ? NOT_KNOWN : transaction.startedMicros());
    to.writeLongLE(transaction.nowMicros());
    to.writeLongLE(activity.xid());
    to.writeByte(activity.isolation() == null ? 0 : 1 + activity.isolation().ordinal());
    to.writeLongLE(activity.snapshotLsn());
    int locks = Math.min(activity.locks().size(), MOST_LOCKS);
    to.writeShortLE(locks);
    for (HeldLock lock : activity.locks().subList(0, locks)) {
      to.writeIntLE(lock.tableOid()).writeByte(lock.mode().ordinal());
    }
    write(to, activity.waiting());
  }

  private static void write(ByteBuf to, Wait wait) {
    switch (wait) {
      case null -> to.writeByte(NO_WAIT);
      case RowWait row -> to.writeByte(ROW_WAIT).writeLongLE(row.xid()).writeLongLE(row.nanos());
      case TableWait table ->
          to.writeByte(TABLE_WAIT)
              .writeIntLE(table.tableOid())
              .writeByte(table.mode().ordinal())
              .writeLongLE(table.nanos());
      case AdvisoryWait advisory -> {
        write(to.writeByte(ADVISORY_WAIT), advisory.name(), advisory.mode());
        to.writeLongLE(advisory.nanos());
      }
    }
  }

  private static void write(ByteBuf to, LockName name, LockMode mode) {
    to.writeByte(name.kind().id()).writeLongLE(name.id()).writeByte(mode.id());
  }

  private static void writeText(ByteBuf to, String text) {
    if (text == null) {
      to.writeShortLE(NULL_TEXT);
      return;
    }
    String cut = text.length() <= MOST_CHARACTERS ? text : text.substring(0, MOST_CHARACTERS);
    to.writeShortLE(ByteBufUtil.utf8Bytes(cut));
    ByteBufUtil.writeUtf8(to, cut);
  }

  /**
   * Reads a node's answer.
   *
   * @throws GaussException 08P01 when it is malformed
   */
  public static Activity read(ByteBuf from) {
    try {
      if (from.readUnsignedShortLE() != VERSION) {
        throw broken();
      }
      List<SessionRow> sessions = new ArrayList<>();
      for (int left = from.readIntLE(); left > 0; left--) {
        sessions.add(readSession(from));
      }
      List<TransactionRow> transactions = new ArrayList<>();
      for (int left = from.readIntLE(); left > 0; left--) {
        transactions.add(readTransaction(from));
      }
      List<AdvisoryRow> advisory = new ArrayList<>();
      for (int left = from.readIntLE(); left > 0; left--) {
        advisory.add(new AdvisoryRow(from.readIntLE(), readName(from), readMode(from)));
      }
      return new Activity(sessions, transactions, advisory, readNotifications(from));
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      throw broken();
    }
  }

  private static NotifyRow readNotifications(ByteBuf from) {
    return new NotifyRow(
        from.readIntLE(),
        from.readIntLE(),
        from.readLongLE(),
        from.readLongLE(),
        from.readIntLE(),
        from.readLongLE(),
        from.readLongLE(),
        from.readLongLE());
  }

  private static SessionRow readSession(ByteBuf from) {
    return new SessionRow(
        from.readIntLE(),
        readText(from),
        readText(from),
        readText(from),
        readText(from),
        readText(from),
        readCurrentWait(from));
  }

  private static CurrentWait readCurrentWait(ByteBuf from) {
    String cause = readText(from);
    return cause == null ? null : new CurrentWait(cause, from.readLongLE(), from.readLongLE());
  }

  private static TransactionRow readTransaction(ByteBuf from) {
    int session = from.readIntLE();
    String state = readText(from);
    long began = from.readLongLE();
    long now = from.readLongLE();
    long xid = from.readLongLE();
    int isolation = from.readUnsignedByte();
    long snapshot = from.readLongLE();
    List<HeldLock> locks = new ArrayList<>();
    for (int left = from.readUnsignedShortLE(); left > 0; left--) {
      locks.add(new HeldLock(from.readIntLE(), mode(from)));
    }
    return new TransactionRow(
        session == 0 ? null : session,
        state,
        began == NOT_KNOWN ? null : began,
        now,
        new TransactionActivity(
            xid,
            isolation == 0 ? null : IsolationLevel.values()[isolation - 1],
            snapshot,
            locks,
            readWait(from)));
  }

  private static TableLockMode mode(ByteBuf from) {
    return TableLockMode.values()[from.readUnsignedByte()];
  }

  private static Wait readWait(ByteBuf from) {
    return switch (from.readUnsignedByte()) {
      case NO_WAIT -> null;
      case ROW_WAIT -> new RowWait(from.readLongLE(), from.readLongLE());
      case TABLE_WAIT -> new TableWait(from.readIntLE(), mode(from), from.readLongLE());
      case ADVISORY_WAIT -> new AdvisoryWait(readName(from), readMode(from), from.readLongLE());
      default -> throw broken();
    };
  }

  private static LockName readName(ByteBuf from) {
    return new LockName(LockName.Kind.of(from.readUnsignedByte()), from.readLongLE());
  }

  private static LockMode readMode(ByteBuf from) {
    return LockMode.of(from.readUnsignedByte());
  }

  private static String readText(ByteBuf from) {
    int bytes = from.readUnsignedShortLE();
    return bytes == NULL_TEXT
        ? null
        : from.readCharSequence(bytes, StandardCharsets.UTF_8).toString();
  }
}
