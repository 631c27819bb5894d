package io.gauss.server;

import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.id.Xid;
import io.gauss.common.redo.MtrCursor;
import io.gauss.common.redo.RedoText;
import io.gauss.common.redo.RedoType;
import io.gauss.common.redo.TransactionOutcomes;
import io.gauss.storage.api.LogStream.LogReader;
import java.io.PrintWriter;
import java.util.Locale;

/** Prints records, one per line, from the first MTR on that ends at or above an LSN. */
final class LogPrinter {
  private static final String LINE = "%14s %-16s %-7s %-13s %-16s %-16s %6s  %s%n";

  private final PrintWriter out;
  private final long fromLsn;
  private long left;
  private boolean begun;
  private TransactionOutcomes outcomes;

  /**
   * @param limit ends after this many records
   */
  LogPrinter(PrintWriter out, long fromLsn, long limit) {
    this.out = out;
    this.fromLsn = fromLsn;
    this.left = limit;
  }

  void head() {
    begun = true;
    line("offset", "LSN", "in MTR", "type", "page", "page before", "bytes", "what");
  }

  boolean hasBegun() {
    return begun;
  }

  boolean isDone() {
    return left == 0;
  }

  /** Takes the batch that the reader is at. */
  void print(LogReader batch) {
    if (outcomes == null) {
      outcomes = new TransactionOutcomes(batch.firstLsn());
    }
    MtrCursor record = new MtrCursor(batch.bytes(), batch.offset());
    while (left > 0 && record.next()) {
      String outcome = outcomes.next(record).map(o -> text(o, record)).orElse(null);
      if (record.lastLsn() >= fromLsn) {
        print(record, outcome);
        left--;
      }
    }
  }

  private void print(MtrCursor record, String outcome) {
    line(
        record.recordOffset(),
        Lsn.toString(record.lsn()),
        record.index() + 1 + "/" + record.count(),
        RedoType.name(record.type()),
        PageId.toString(record.pageId()),
        record.previousPageLsn() == Lsn.NONE ? "-" : Lsn.toString(record.previousPageLsn()),
        record.length(),
        outcome == null ? RedoText.of(record.type(), record.payload()) : outcome);
  }

  private static String text(TransactionOutcomes.Outcome outcome, MtrCursor record) {
    String whose =
        outcome.xid() == Xid.NONE
            ? "of an xid that the records read so far do not tell"
            : "xid " + Xid.toString(outcome.xid());
    return outcome.committed()
        ? "COMMIT " + whose + ", CSN " + Lsn.toString(record.lsn())
        : "ROLLBACK " + whose;
  }

  private void line(Object... columns) {
    out.print(String.format(Locale.ROOT, LINE, columns));
  }
}
