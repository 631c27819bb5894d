package io.gauss.compute.session.message;

import io.gauss.common.error.GaussException;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.copy.CopyInput;
import io.gauss.compute.sql.plan.ResultColumn;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import java.util.List;

/**
 * Takes a session's answers, in order. They are sent to the client later, once everything they
 * report is durable. Used by the thread that runs the session.
 */
public interface ResponseWriter {
  /** A session has told those who listen to the channel. */
  void notification(int pid, String channel, String payload);

  void parseComplete();

  void bindComplete();

  void parameterDescription(PgType[] types);

  /**
   * @param formats 0 text, 1 binary; by column
   */
  void rowDescription(List<ResultColumn> columns, short[] formats);

  void noData();

  /** Writes rows [from, to) of a batch. */
  void dataRows(RowBatch batch, int from, int to, RowEncoder encoder);

  void commandComplete(String tag);

  /** Takes the last {@link #commandComplete} back, and keeps the rows before it. */
  void retractTag();

  void emptyQuery();

  void portalSuspended();

  void notice(String severity, GaussException notice);

  void parameterStatus(String name, String value);

  /** The message before the rows of COPY TO; all columns have one format. */
  void copyOutResponse(boolean binary, int columns);

  /** One CopyData message. */
  void copyData(ByteSink data);

  void copyDone();

  /**
   * Asks the client immediately for the data of COPY FROM; only where waiting is allowed.
   *
   * @return the data that it sends
   */
  CopyInput copyIn(boolean binary, int columns);

  /** Nothing written up to now is sent before commits up to this LSN are visible. */
  void requireVisible(long lsn);

  /** Nothing written up to now is sent before the log is durable up to this LSN. */
  void requireDurable(long lsn);

  /** Keeps everything written so far, even when the message is run again. */
  void mark();

  /**
   * Sends the written answers when they have grown large, and waits while the client is slow; only
   * where waiting is allowed.
   *
   * @return false when there is too much to keep and waiting is not allowed
   */
  boolean flushIfLarge(boolean mayWait);
}
