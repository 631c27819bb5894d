package io.gauss.compute.reference;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Asks {@link ReferencePostgres} by the wire protocol: no driver stands in between that splits or
 * rewrites statements, or reads values. Many statements are under way at a time, so that tens of
 * thousands take seconds. Each statement is a transaction of its own. Not thread-safe.
 */
public final class PostgresClient implements AutoCloseable {
  private static final int PROTOCOL_3_0 = 3 << 16;

  /** Past this a test fails rather than hangs. */
  private static final int PATIENCE_MS = 60_000;

  /**
   * Statements that are sent before the first answer is read. The server's receive buffer has to
   * hold them: it does not read on while nobody takes its answers.
   */
  private static final int MOST_BYTES_UNDER_WAY = 32 << 10;

  /**
   * What came back for one statement.
   *
   * @param rows values in text form, null for NULL; of the last result when there were several
   * @param error null when there was none
   */
  public record Answer(List<List<String>> rows, Failure error) {}

  /**
   * An error.
   *
   * @param state SQLSTATE
   * @param position of the character in the statement, from 1; empty when the server gave none
   */
  public record Failure(String state, String message, String position) {}

  private final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;
  private String version;

  /** Connects to a database as user gauss. */
  public PostgresClient(int port, String database) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(PATIENCE_MS);
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    out = socket.getOutputStream();
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    new DataOutputStream(body).writeInt(PROTOCOL_3_0);
    for (String word :
        List.of("user", "gauss", "database", database, "client_encoding", "UTF8", "")) {
      putText(body, word);
    }
    ByteArrayOutputStream message = new ByteArrayOutputStream();
    putBody(message, body);
    out.write(message.toByteArray());
    Answer started = read();
    if (started.error() != null) {
      throw new IOException(started.error().toString());
    }
  }

  /** The server's version, such as {@code 15.19}. */
  public String version() {
    return version;
  }

  /** Runs statements one after the other; an answer for each. */
  public List<Answer> query(List<String> statements) throws IOException {
    List<byte[]> messages = new ArrayList<>();
    for (String sql : statements) {
      ByteArrayOutputStream message = new ByteArrayOutputStream();
      putMessage(message, 'Q', sql);
      messages.add(message.toByteArray());
    }
    return ask(messages);
  }

  /** Has statements read and analysed, but not run; an answer without rows for each. */
  public List<Answer> parse(List<String> statements) throws IOException {
    List<byte[]> messages = new ArrayList<>();
    for (String sql : statements) {
      ByteArrayOutputStream message = new ByteArrayOutputStream();
      putMessage(message, 'P', "", sql, "\0"); // the third: no types of parameters
      putMessage(message, 'S');
      messages.add(message.toByteArray());
    }
    return ask(messages);
  }

  private List<Answer> ask(List<byte[]> messages) throws IOException {
    List<Answer> answers = new ArrayList<>();
    int sent = 0;
    while (sent < messages.size()) {
      ByteArrayOutputStream batch = new ByteArrayOutputStream();
      do {
        batch.writeBytes(messages.get(sent++));
      } while (sent < messages.size()
          && batch.size() + messages.get(sent).length <= MOST_BYTES_UNDER_WAY);
      out.write(batch.toByteArray());
      while (answers.size() < sent) {
        answers.add(read());
      }
    }
    return answers;
  }

  private static void putMessage(ByteArrayOutputStream message, char type, String... texts)
      throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (String text : texts) {
      putText(body, text);
    }
    message.write(type);
    putBody(message, body);
  }

  private static void putBody(ByteArrayOutputStream message, ByteArrayOutputStream body)
      throws IOException {
    new DataOutputStream(message).writeInt(body.size() + Integer.BYTES);
    body.writeTo(message);
  }

  private static void putText(ByteArrayOutputStream body, String text) {
    body.writeBytes(text.getBytes(StandardCharsets.UTF_8));
    body.write(0);
  }

  /** Everything up to ReadyForQuery. */
  private Answer read() throws IOException {
    List<List<String>> rows = new ArrayList<>();
    Failure error = null;
    while (true) {
      char type = (char) in.readUnsignedByte();
      byte[] body = new byte[in.readInt() - Integer.BYTES];
      in.readFully(body);
      switch (type) {
        case 'T' -> rows.clear();
        case 'D' -> rows.add(row(body));
        case 'E' -> error = failure(texts(body));
        case 'S' -> setting(texts(body));
        case 'Z' -> {
          return new Answer(rows, error);
        }
        case 'R', 'K', 'C', 'I', 'N', '1' -> {
          // authentication (trust), keys, tags, notices: nothing that answers are made of
        }
        default -> throw new IOException("unexpected message " + type);
      }
    }
  }

  private static List<String> row(byte[] body) throws IOException {
    DataInputStream fields = new DataInputStream(new java.io.ByteArrayInputStream(body));
    String[] values = new String[fields.readUnsignedShort()];
    for (int i = 0; i < values.length; i++) {
      int length = fields.readInt();
      values[i] = length < 0 ? null : new String(fields.readNBytes(length), StandardCharsets.UTF_8);
    }
    return Arrays.asList(values);
  }

  private static List<String> texts(byte[] body) {
    return List.of(new String(body, StandardCharsets.UTF_8).split("\0"));
  }

  private static Failure failure(List<String> fields) {
    String state = "";
    String message = "";
    String position = "";
    for (String field : fields) {
      switch (field.charAt(0)) {
        case 'C' -> state = field.substring(1);
        case 'M' -> message = field.substring(1);
        case 'P' -> position = field.substring(1);
        default -> {
          // severity, source file and the like
        }
      }
    }
    return new Failure(state, message, position);
  }

  private void setting(List<String> nameAndValue) {
    if (nameAndValue.getFirst().equals("server_version")) {
      version = nameAndValue.getLast();
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
