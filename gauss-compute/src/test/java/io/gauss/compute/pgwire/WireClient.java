package io.gauss.compute.pgwire;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * A client that sends any bytes it is told to, and tells each message of the server as a line. Not
 * thread-safe.
 */
final class WireClient implements AutoCloseable {
  /** What stands for the end of the connection. */
  static final String CLOSED = "closed";

  /** Past this a test fails rather than hangs. */
  private static final int PATIENCE_MS = 60_000;

  private final Socket socket;
  private final DataInputStream in;
  private final boolean[] binaryColumns = new boolean[1664];
  private int processId;
  private int secret;

  /** Connects and sends nothing. */
  WireClient(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(PATIENCE_MS);
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
  }

  /** Connects and starts a session. */
  static WireClient started(int port, String database) throws IOException {
    WireClient client = new WireClient(port);
    client.send(
        WireMessages.startup(PgProtocol.PROTOCOL_3_0, "user", "gauss", "database", database));
    client.readUntilReady();
    return client;
  }

  int processId() {
    return processId;
  }

  int secret() {
    return secret;
  }

  void send(byte[]... parts) throws IOException {
    socket.getOutputStream().write(WireMessages.join(parts));
  }

  void sendByteByByte(byte[]... parts) throws IOException {
    for (byte b : WireMessages.join(parts)) {
      socket.getOutputStream().write(b);
    }
  }

  /** Sends and reads to ReadyForQuery. */
  String ask(byte[]... parts) throws IOException {
    send(parts);
    return readUntilReady();
  }

  String query(String sql) throws IOException {
    return ask(WireMessages.query(sql));
  }

  /** One byte that is no message: the answer to a request for encryption. */
  char readByte() throws IOException {
    return (char) in.readUnsignedByte();
  }

  /** The next {@code count} messages. */
  String read(int count) throws IOException {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      lines.add(readMessage());
    }
    return String.join("\n", lines);
  }

  /** Messages up to ReadyForQuery or the end of the connection. */
  String readUntilReady() throws IOException {
    return readUntilReady(line -> true);
  }

  /** Messages up to ReadyForQuery or the end of the connection, of which not all are kept. */
  String readUntilReady(Predicate<String> keep) throws IOException {
    List<String> lines = new ArrayList<>();
    String line;
    do {
      line = readMessage();
      if (keep.test(line)) {
        lines.add(line);
      }
    } while (!line.startsWith("ReadyForQuery") && !line.equals(CLOSED));
    return String.join("\n", lines);
  }

  /** Messages up to the end of the connection. */
  String readUntilClosed() throws IOException {
    List<String> lines = new ArrayList<>();
    String line;
    do {
      line = readMessage();
      lines.add(line);
    } while (!line.equals(CLOSED));
    return String.join("\n", lines);
  }

  private String readMessage() throws IOException {
    while (true) {
      byte type;
      byte[] body;
      try {
        type = in.readByte();
        body = new byte[in.readInt() - 4];
        in.readFully(body);
      } catch (EOFException e) {
        return CLOSED;
      } catch (SocketException e) {
        // The server closed while there was input that it had not read.
        return CLOSED;
      }
      ByteBuffer buffer = ByteBuffer.wrap(body);
      if (type == PgProtocol.PARAMETER_STATUS) {
        continue;
      }
      if (type == PgProtocol.BACKEND_KEY_DATA) {
        processId = buffer.getInt();
        secret = buffer.getInt();
        continue;
      }
      return describe(type, buffer);
    }
  }

  private String describe(byte type, ByteBuffer body) {
    return switch (type) {
      case PgProtocol.AUTHENTICATION -> "Authentication " + body.getInt();
      case PgProtocol.READY_FOR_QUERY -> "ReadyForQuery " + (char) body.get();
      case PgProtocol.COMMAND_COMPLETE -> "CommandComplete " + cstring(body);
      case PgProtocol.ROW_DESCRIPTION -> rowDescription(body);
      case PgProtocol.DATA_ROW -> dataRow(body);
      case PgProtocol.ERROR_RESPONSE, PgProtocol.NOTICE_RESPONSE -> diagnostic(body);
      case PgProtocol.NOTIFICATION_RESPONSE -> notification(body);
      case PgProtocol.PARAMETER_DESCRIPTION -> parameterDescription(body);
      case PgProtocol.NEGOTIATE_PROTOCOL_VERSION -> negotiation(body);
      case PgProtocol.COPY_IN_RESPONSE -> "CopyInResponse " + formats(body);
      case PgProtocol.COPY_OUT_RESPONSE -> "CopyOutResponse " + formats(body);
      case PgProtocol.COPY_DATA -> "CopyData " + copyData(body);
      case PgProtocol.COPY_DONE -> "CopyDone";
      case PgProtocol.PARSE_COMPLETE -> "ParseComplete";
      case PgProtocol.BIND_COMPLETE -> "BindComplete";
      case PgProtocol.CLOSE_COMPLETE -> "CloseComplete";
      case PgProtocol.NO_DATA -> "NoData";
      case PgProtocol.PORTAL_SUSPENDED -> "PortalSuspended";
      case PgProtocol.EMPTY_QUERY_RESPONSE -> "EmptyQueryResponse";
      default -> "unknown message " + (char) type;
    };
  }

  private String rowDescription(ByteBuffer body) {
    StringBuilder text = new StringBuilder("RowDescription");
    int columns = body.getShort();
    for (int i = 0; i < columns; i++) {
      text.append(' ').append(cstring(body));
      body.getInt();
      body.getShort();
      text.append(':').append(body.getInt());
      body.getShort();
      body.getInt();
      binaryColumns[i] = body.getShort() == 1;
      text.append(binaryColumns[i] ? ":binary" : "");
    }
    return text.toString();
  }

  private String dataRow(ByteBuffer body) {
    List<String> values = new ArrayList<>();
    int columns = body.getShort();
    for (int i = 0; i < columns; i++) {
      int length = body.getInt();
      if (length < 0) {
        values.add("NULL");
        continue;
      }
      byte[] value = new byte[length];
      body.get(value);
      values.add(
          binaryColumns[i]
              ? HexFormat.of().formatHex(value)
              : new String(value, StandardCharsets.UTF_8));
    }
    return "DataRow " + String.join("|", values);
  }

  private String notification(ByteBuffer body) {
    int pid = body.getInt();
    String sender = pid == processId ? "itself" : Integer.toString(pid);
    return "NotificationResponse " + cstring(body) + " by " + sender + ": " + cstring(body);
  }

  private static String parameterDescription(ByteBuffer body) {
    StringBuilder text = new StringBuilder("ParameterDescription");
    int count = body.getShort();
    for (int i = 0; i < count; i++) {
      text.append(' ').append(body.getInt());
    }
    return text.toString();
  }

  private static String negotiation(ByteBuffer body) {
    StringBuilder text = new StringBuilder("NegotiateProtocolVersion ").append(body.getInt());
    int count = body.getInt();
    for (int i = 0; i < count; i++) {
      text.append(' ').append(cstring(body));
    }
    return text.toString();
  }

  private static String diagnostic(ByteBuffer body) {
    Map<Character, String> fields = new TreeMap<>();
    for (char code = (char) body.get(); code != 0; code = (char) body.get()) {
      fields.put(code, cstring(body));
    }
    String position = fields.containsKey('P') ? " at " + fields.get('P') : "";
    String context = fields.getOrDefault('W', "");
    return "%s %s %s%s%s"
        .formatted(
            fields.get('V'),
            fields.get('C'),
            fields.get('M'),
            position,
            context.startsWith("COPY ") ? " (" + context + ")" : "");
  }

  /** Format of the whole and of each column. */
  private static String formats(ByteBuffer body) {
    StringBuilder text = new StringBuilder().append(body.get());
    int columns = body.getShort();
    for (int i = 0; i < columns; i++) {
      text.append(' ').append(body.getShort());
    }
    return text.toString();
  }

  /** Text with its control characters written out; binary as hex. */
  private static String copyData(ByteBuffer body) {
    byte[] data = new byte[body.remaining()];
    body.get(data);
    for (byte b : data) {
      if (b == 0 || b == (byte) 0xFF) {
        return HexFormat.of().formatHex(data);
      }
    }
    return new String(data, StandardCharsets.UTF_8)
        .replace("\n", "<LF>")
        .replace("\r", "<CR>")
        .replace("\t", "<TAB>");
  }

  private static String cstring(ByteBuffer body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (byte b = body.get(); b != 0; b = body.get()) {
      bytes.write(b);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  /** Bytes that have come and were not read. */
  int unread() throws IOException {
    return socket.getInputStream().available();
  }

  /** Tells the server that nothing more comes; answers can still be read. */
  void endOfInput() throws IOException {
    socket.shutdownOutput();
  }

  /** Reads whatever comes until the server closes the connection. */
  void drain() throws IOException {
    byte[] chunk = new byte[8192];
    try {
      while (in.read(chunk) >= 0) {
        // Not looked at.
      }
    } catch (SocketException e) {
      // The server closed while there was input that it had not read.
      return;
    }
  }

  /** Ends the connection without a word. */
  @Override
  public void close() throws IOException {
    socket.close();
  }
}
