package io.gauss.bench.micro;

import io.gauss.common.error.GaussException;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.session.message.ResponseWriter;
import io.gauss.compute.session.message.RowEncoder;
import io.gauss.compute.sql.copy.CopyInput;
import io.gauss.compute.sql.plan.ResultColumn;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import java.util.List;

/** Takes a session's answers: encodes rows as a connection does, and sends nothing. */
final class EncodedResponses implements ResponseWriter {
  private final ByteSink sink = new ByteSink(8192);
  private long rows;

  long rows() {
    return rows;
  }

  @Override
  public void dataRows(RowBatch batch, int from, int to, RowEncoder encoder) {
    sink.clear();
    for (int row = from; row < to; row++) {
      encoder.encode(batch, row, sink);
    }
    rows += to - from;
  }

  @Override
  public boolean flushIfLarge(boolean mayWait) {
    return true;
  }

  @Override
  public void notice(String severity, GaussException notice) {
    throw new IllegalStateException("a benchmark's statement gives no notices", notice);
  }

  @Override
  public CopyInput copyIn(boolean binary, int columns) {
    throw new IllegalStateException("a benchmark's statement reads no data");
  }

  @Override
  public void notification(int pid, String channel, String payload) {
    throw new IllegalStateException("a benchmark's session does not listen");
  }

  // The other answers of a connection cost next to nothing and are left out.

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
  public void commandComplete(String tag) {}

  @Override
  public void retractTag() {}

  @Override
  public void emptyQuery() {}

  @Override
  public void portalSuspended() {}

  @Override
  public void parameterStatus(String name, String value) {}

  @Override
  public void copyOutResponse(boolean binary, int columns) {}

  @Override
  public void copyData(ByteSink data) {
    rows++;
  }

  @Override
  public void copyDone() {}

  @Override
  public void requireVisible(long lsn) {}

  @Override
  public void requireDurable(long lsn) {}

  @Override
  public void mark() {}
}
