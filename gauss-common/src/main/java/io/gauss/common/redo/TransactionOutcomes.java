package io.gauss.common.redo;

import io.gauss.common.id.PageId;
import io.gauss.common.id.Xid;
import io.gauss.common.page.PageType;
import io.gauss.common.page.UndoRecordLayout;
import io.gauss.common.page.UndoSpaces;
import io.gauss.common.page.UndoTableLayout;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Finds commits and rollbacks among the records of a stream, with their transactions.
 *
 * <p>A commit is the record that writes its own LSN, the CSN, into an entry of a transaction table.
 * The record names page and entry; the page determines which transaction that is. So this class
 * follows the stream and remembers formatted tables, the values written into their heads, and each
 * undo segment's latest transaction, from its undo records. A segment has one transaction at a
 * time. So a transaction that commits on a page that has changed since reading began has written
 * all of its undo since then. If exactly one latest transaction has that entry, it is that one, and
 * the table is known from then on. Otherwise the xid is left open rather than guessed.
 *
 * <p>Not thread-safe.
 */
public final class TransactionOutcomes {
  private static final int TABLE_END = UndoTableLayout.FIRST_ENTRY + 8 * UndoTableLayout.ENTRIES;

  /** A transaction table's page: outcomes of a thousand sequences of a segment. */
  private record Table(int segment, long chunk) {}

  /**
   * How a transaction ended.
   *
   * @param xid {@link Xid#NONE} when the records read so far do not determine it
   * @param committed true for committed, false for rolled back
   */
  public record Outcome(long xid, boolean committed) {}

  private final long firstLsn;
  private final Map<Long, Table> tables = new HashMap<>();
  private final Map<Integer, Long> latest = new HashMap<>();

  /**
   * @param firstLsn of the first record that will be passed in
   */
  public TransactionOutcomes(long firstLsn) {
    this.firstLsn = firstLsn;
  }

  /** Takes the next record; empty when it ends no transaction. */
  public Optional<Outcome> next(MtrCursor record) {
    ByteBuffer payload = record.payload();
    switch (record.type()) {
      case RedoType.FORMAT -> format(record.pageId(), payload);
      case RedoType.UNDO_APPEND -> {
        if (payload.capacity() >= UndoRecordLayout.CONTENT) {
          long xid = payload.getLong(UndoRecordLayout.XID);
          latest.put(Xid.segment(xid), xid);
        }
      }
      case RedoType.WRITE -> {
        return write(record, payload);
      }
      default -> {
        // neither undo nor a transaction table
      }
    }
    return Optional.empty();
  }

  private void format(long page, ByteBuffer payload) {
    boolean table =
        payload.capacity() > RedoPayload.FORMAT_TYPE
            && payload.get(RedoPayload.FORMAT_TYPE) == PageType.UNDO_TABLE
            && UndoSpaces.contains(PageId.space(page));
    if (table) {
      tables.put(page, new Table(0, 0));
    } else {
      tables.remove(page);
    }
  }

  private Optional<Outcome> write(MtrCursor record, ByteBuffer payload) {
    int bytes = payload.capacity() - RedoPayload.WRITE_BYTES;
    if (bytes != Short.BYTES && bytes != Long.BYTES) {
      return Optional.empty();
    }
    int offset = Short.toUnsignedInt(payload.getShort(RedoPayload.WRITE_OFFSET));
    Table table = tables.get(record.pageId());
    if (bytes == Short.BYTES) {
      if (table != null && offset == UndoTableLayout.SEGMENT) {
        int index = Short.toUnsignedInt(payload.getShort(RedoPayload.WRITE_BYTES));
        int segment = Xid.segment(UndoSpaces.slot(PageId.space(record.pageId())), index);
        tables.put(record.pageId(), new Table(segment, table.chunk()));
      }
      return Optional.empty();
    }
    long value = payload.getLong(RedoPayload.WRITE_BYTES);
    if (table != null && offset == UndoTableLayout.CHUNK) {
      tables.put(record.pageId(), new Table(table.segment(), value));
      return Optional.empty();
    }
    boolean entry =
        offset >= UndoTableLayout.FIRST_ENTRY
            && offset < TABLE_END
            && (offset - UndoTableLayout.FIRST_ENTRY) % 8 == 0;
    if (!entry) {
      return Optional.empty();
    }
    int index = (offset - UndoTableLayout.FIRST_ENTRY) / 8;
    if (value == record.lsn()) {
      return Optional.of(new Outcome(committer(record, table, index), true));
    }
    return table != null && value == UndoTableLayout.ENTRY_ABORTED
        ? Optional.of(new Outcome(xid(table, index), false))
        : Optional.empty();
  }

  private static long xid(Table table, int index) {
    return Xid.of(table.segment(), table.chunk() * UndoTableLayout.ENTRIES + index);
  }

  private long committer(MtrCursor record, Table table, int index) {
    if (table != null) {
      return xid(table, index);
    }
    if (record.previousPageLsn() < firstLsn) {
      return Xid.NONE;
    }
    long found = Xid.NONE;
    for (long xid : latest.values()) {
      if (Xid.sequence(xid) % UndoTableLayout.ENTRIES == index) {
        if (found != Xid.NONE) {
          return Xid.NONE;
        }
        found = xid;
      }
    }
    if (found != Xid.NONE) {
      tables.put(
          record.pageId(),
          new Table(Xid.segment(found), Xid.sequence(found) / UndoTableLayout.ENTRIES));
    }
    return found;
  }
}
