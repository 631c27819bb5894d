package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.session.StateTransfer;
import io.gauss.compute.session.message.ResponseWriter;
import io.gauss.compute.session.message.RowEncoder;
import io.gauss.compute.sql.copy.CopyInput;
import io.gauss.compute.sql.plan.ResultColumn;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.List;

/**
 * Backend messages of one connection, collected in one array until they may leave. Belongs to the
 * thread that runs the connection.
 *
 * <p>The part behind the {@linkplain #mark mark} belongs to the message that runs: it is dropped
 * when that message is run again or fails, and may end in the middle of a backend message.
 */
final class BackendWriter implements ResponseWriter {
  private static final int KEEP_BYTES = 4096;
  private static final int INITIAL_BYTES = 512;
  private static final int LARGE_BYTES = 128 * 1024;
  private static final int READY_BYTES = 6;

  private final PgConnection connection;
  private final ByteSink sink = new ByteSink(INITIAL_BYTES);
  private int mark;
  private long gate;
  private long gateAtMark;
  private long localGate;
  private long localGateAtMark;
  private boolean givenUp;
  private int messageStart;
  private int lastReady = -1;
  private int tagStart;

  BackendWriter(PgConnection connection) {
    this.connection = connection;
  }

  private void begin(byte type) {
    sink.ensure(64);
    sink.putByte(type);
    messageStart = sink.length;
    sink.putInt(0);
  }

  private void end() {
    sink.setInt(messageStart, sink.length - messageStart);
  }

  private void cstring(String text) {
    sink.putString(text);
    sink.putByte(0);
  }

  private void empty(byte type) {
    begin(type);
    end();
  }

  boolean isEmpty() {
    return sink.length == 0;
  }

  /** Whether it is time to send the collected messages. */
  boolean isLarge() {
    return sink.length >= LARGE_BYTES;
  }

  /** LSN up to which commits must be visible before this leaves. */
  long visibleGate() {
    return gate;
  }

  /** LSN up to which the log must be durable before this leaves. */
  long durableGate() {
    return localGate;
  }

  @Override
  public void mark() {
    mark = sink.length;
    gateAtMark = gate;
    localGateAtMark = localGate;
  }

  /** Whether a statement among these answers has waited for the cluster in vain. */
  boolean hasGivenUp() {
    return givenUp;
  }

  /** Drops the answers of the message that runs. */
  void resetToMark() {
    sink.length = mark;
    gate = gateAtMark;
    localGate = localGateAtMark;
  }

  /** Drops everything. */
  void discard() {
    sink.clear();
    lastReady = -1;
    gate = 0;
    localGate = 0;
    givenUp = false;
    mark();
  }

  /** Takes everything out as a buffer to send. */
  ByteBuf drain(ByteBufAllocator allocator) {
    ByteBuf buffer = allocator.directBuffer(sink.length);
    buffer.writeBytes(sink.array, 0, sink.length);
    discard();
    if (sink.array.length > KEEP_BYTES) {
      sink.array = new byte[INITIAL_BYTES];
    }
    return buffer;
  }

  void raw(int oneByte) {
    sink.putByte(oneByte);
  }

  void authenticationOk() {
    begin(PgProtocol.AUTHENTICATION);
    sink.putInt(0);
    end();
  }

  void authenticationSasl(List<String> mechanisms) {
    begin(PgProtocol.AUTHENTICATION);
    sink.putInt(10);
    mechanisms.forEach(this::cstring);
    sink.putByte(0);
    end();
  }

  void authenticationSaslContinue(String data) {
    sasl(11, data);
  }

  void authenticationSaslFinal(String data) {
    sasl(12, data);
  }

  private void sasl(int code, String data) {
    begin(PgProtocol.AUTHENTICATION);
    sink.putInt(code);
    sink.putString(data);
    end();
  }

  void backendKeyData(int processId, int secret) {
    begin(PgProtocol.BACKEND_KEY_DATA);
    sink.putInt(processId);
    sink.putInt(secret);
    end();
  }

  void negotiateProtocolVersion(List<String> unknownOptions) {
    begin(PgProtocol.NEGOTIATE_PROTOCOL_VERSION);
    sink.putInt(PgProtocol.PROTOCOL_3_0);
    sink.putInt(unknownOptions.size());
    unknownOptions.forEach(this::cstring);
    end();
  }

  void readyForQuery(char status) {
    lastReady = sink.length;
    begin(PgProtocol.READY_FOR_QUERY);
    sink.putByte(status);
    end();
  }

  /** Sends the changes of the session's state to the node to which its client is connected. */
  void forwardState(StateTransfer transfer) {
    begin(PgProtocol.PASS_STATE);
    transfer.writeEnd(sink);
    end();
  }

  /** Asks the node to which the session's client is connected to forward nothing more. */
  void refuseForwarding() {
    empty(PgProtocol.PASS_LEAVING);
    mark();
  }

  void closeComplete() {
    empty(PgProtocol.CLOSE_COMPLETE);
  }

  void error(String severity, GaussException error) {
    diagnostic(PgProtocol.ERROR_RESPONSE, severity, error);
    givenUp |= error.state() == SqlState.CANNOT_CONNECT_NOW;
  }

  @Override
  public void notice(String severity, GaussException notice) {
    diagnostic(PgProtocol.NOTICE_RESPONSE, severity, notice);
  }

  @Override
  public void notification(int pid, String channel, String payload) {
    begin(PgProtocol.NOTIFICATION_RESPONSE);
    sink.putInt(pid);
    cstring(channel);
    cstring(payload);
    end();
  }

  /**
   * Whether the last message says that the session is outside a transaction and waits for its
   * client; then it is taken away, to be written again behind others.
   */
  boolean takeReady() {
    int start = sink.length - READY_BYTES;
    boolean isReady =
        start >= 0
            && sink.array[start] == PgProtocol.READY_FOR_QUERY
            && sink.array[start + READY_BYTES - 1] == 'I'
            && lastReady == start;
    if (isReady) {
      sink.length = start;
    }
    return isReady;
  }

  private void diagnostic(byte type, String severity, GaussException e) {
    begin(type);
    field('S', severity);
    field('V', severity);
    field('C', e.state().code());
    field('M', e.getMessage() == null ? e.state().name() : e.getMessage());
    field('D', e.detail());
    field('H', e.hint());
    field('P', e.position() > 0 ? Integer.toString(e.position()) : null);
    field('W', e.context());
    field('s', e.schema());
    field('t', e.table());
    field('c', e.column());
    field('d', e.dataType());
    field('n', e.constraint());
    sink.putByte(0);
    end();
  }

  private void field(char code, String value) {
    if (value != null) {
      sink.putByte(code);
      cstring(value);
    }
  }

  @Override
  public void parameterStatus(String name, String value) {
    begin(PgProtocol.PARAMETER_STATUS);
    cstring(name);
    cstring(value);
    end();
  }

  @Override
  public void parseComplete() {
    empty(PgProtocol.PARSE_COMPLETE);
  }

  @Override
  public void bindComplete() {
    empty(PgProtocol.BIND_COMPLETE);
  }

  @Override
  public void parameterDescription(PgType[] types) {
    begin(PgProtocol.PARAMETER_DESCRIPTION);
    sink.putShort(types.length);
    for (PgType type : types) {
      sink.putInt(type.declaredOid());
    }
    end();
  }

  @Override
  public void rowDescription(List<ResultColumn> columns, short[] formats) {
    begin(PgProtocol.ROW_DESCRIPTION);
    sink.putShort(columns.size());
    for (int i = 0; i < columns.size(); i++) {
      ResultColumn column = columns.get(i);
      cstring(column.name());
      sink.putInt(column.tableOid());
      sink.putShort(column.columnNumber());
      sink.putInt(column.type().baseType().declaredOid()); // as PostgreSQL: not that of a domain
      sink.putShort(column.type().typlen());
      sink.putInt(column.type().typmod());
      sink.putShort(formats[i]);
    }
    end();
  }

  @Override
  public void noData() {
    empty(PgProtocol.NO_DATA);
  }

  @Override
  public void dataRows(RowBatch batch, int from, int to, RowEncoder encoder) {
    for (int row = from; row < to; row++) {
      begin(PgProtocol.DATA_ROW);
      int start = messageStart;
      encoder.encode(batch, row, sink);
      messageStart = start;
      end();
    }
  }

  @Override
  public void commandComplete(String tag) {
    tagStart = sink.length;
    begin(PgProtocol.COMMAND_COMPLETE);
    cstring(tag);
    end();
  }

  @Override
  public void retractTag() {
    sink.length = tagStart;
    mark();
  }

  @Override
  public void emptyQuery() {
    empty(PgProtocol.EMPTY_QUERY_RESPONSE);
  }

  @Override
  public void portalSuspended() {
    empty(PgProtocol.PORTAL_SUSPENDED);
  }

  @Override
  public void copyOutResponse(boolean binary, int columns) {
    copyResponse(PgProtocol.COPY_OUT_RESPONSE, binary, columns);
  }

  private void copyResponse(byte type, boolean binary, int columns) {
    begin(type);
    int format = binary ? 1 : 0;
    sink.putByte(format);
    sink.putShort(columns);
    for (int i = 0; i < columns; i++) {
      sink.putShort(format);
    }
    end();
  }

  @Override
  public void copyData(ByteSink data) {
    begin(PgProtocol.COPY_DATA);
    sink.putBytes(data.array, 0, data.length);
    end();
  }

  @Override
  public void copyDone() {
    empty(PgProtocol.COPY_DONE);
  }

  /**
   * Sends the CopyInResponse with all earlier answers: from here on the statement cannot be run
   * again from its start.
   */
  @Override
  public CopyInput copyIn(boolean binary, int columns) {
    copyResponse(PgProtocol.COPY_IN_RESPONSE, binary, columns);
    connection.answers().sendNow();
    return connection.messages().copyMessages();
  }

  @Override
  public void requireVisible(long lsn) {
    gate = Math.max(gate, lsn);
  }

  @Override
  public void requireDurable(long lsn) {
    localGate = Math.max(localGate, lsn);
  }

  @Override
  public boolean flushIfLarge(boolean mayWait) {
    if (!isLarge()) {
      return true;
    }
    if (!mayWait) {
      return false;
    }
    connection.answers().sendNow();
    return true;
  }
}
