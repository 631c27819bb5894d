package io.gauss.simulation.cluster;

import io.gauss.common.error.GaussException;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.session.message.ResponseWriter;
import io.gauss.compute.session.message.RowEncoder;
import io.gauss.compute.sql.copy.CopyInput;
import io.gauss.compute.sql.plan.ResultColumn;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Takes the answers of a session to a query: rows as text, and what they have to wait for. */
final class RowCollector implements ResponseWriter {
  private final ByteSink sink = new ByteSink(1024);
  private final List<String> rows = new ArrayList<>();
  private final List<String> told = new ArrayList<>();
  private long visible;
  private long durable;
  private String tag;

  void clear() {
    rows.clear();
    tag = null;
    visible = 0;
    durable = 0;
  }

  List<String> rows() {
    return rows;
  }

  /** Payloads of notifications since the last call. */
  List<String> takeTold() {
    List<String> taken = List.copyOf(told);
    told.clear();
    return taken;
  }

  /** Of the last command that was complete; null when none was. */
  String tag() {
    return tag;
  }

  /** Commits up to this LSN must be visible before the answers leave; 0 = none. */
  long visibleGate() {
    return visible;
  }

  /** The log must be durable up to this LSN before the answers leave; 0 = none. */
  long durableGate() {
    return durable;
  }

  @Override
  public void notification(int pid, String channel, String payload) {
    told.add(payload);
  }

  @Override
  public void dataRows(RowBatch batch, int from, int to, RowEncoder encoder) {
    for (int row = from; row < to; row++) {
      sink.clear();
      encoder.encode(batch, row, sink);
      rows.add(text());
    }
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    int at = Short.BYTES;
    for (int i = ByteSink.getUnsignedShort(sink.array, 0); i > 0; i--) {
      int length = ByteSink.getInt(sink.array, at);
      at += Integer.BYTES;
      text.append(text.isEmpty() ? "" : "|");
      if (length < 0) {
        text.append("null");
      } else {
        text.append(new String(sink.array, at, length, StandardCharsets.UTF_8));
        at += length;
      }
    }
    return text.toString();
  }

  @Override
  public void requireVisible(long lsn) {
    visible = Math.max(visible, lsn);
  }

  @Override
  public void requireDurable(long lsn) {
    durable = Math.max(durable, lsn);
  }

  @Override
  public void commandComplete(String now) {
    tag = now;
  }

  @Override
  public void retractTag() {
    tag = null;
  }

  @Override
  public boolean flushIfLarge(boolean mayWait) {
    return true;
  }

  @Override
  public CopyInput copyIn(boolean binary, int columns) {
    throw new UnsupportedOperationException("COPY FROM STDIN");
  }

  // What a client of a simulation does not look at.

  @Override
  public void parseComplete() {}

  @Override
  public void bindComplete() {}

  @Override
  public void parameterDescription(PgType[] types) {}

  @Override
  public void rowDescription(List<ResultColumn> columns, short[] formats) {}

  @Override
  public void noData() {}

  @Override
  public void emptyQuery() {}

  @Override
  public void portalSuspended() {}

  @Override
  public void notice(String severity, GaussException notice) {}

  @Override
  public void parameterStatus(String name, String value) {}

  @Override
  public void copyOutResponse(boolean binary, int columns) {}

  @Override
  public void copyData(ByteSink data) {}

  @Override
  public void copyDone() {}

  @Override
  public void mark() {}
}
