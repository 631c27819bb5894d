package io.gauss.server.join;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * The conversation in which a machine joins: one line of JSON in each direction, over TLS, which
 * guards it against changes. What the other side may send is bounded, and so is the time for it.
 */
final class JoinWire {
  /** An answer has two certificates, and the addresses of a few storage nodes. */
  private static final int MAX_BYTES = 64 << 10;

  /** Fields that a later version adds are left alone: the version tells whether they matter. */
  private static final ObjectMapper JSON =
      new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  private JoinWire() {}

  static void write(Socket socket, Object message) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write((JSON.writeValueAsString(message) + "\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  /**
   * @param millis in which all of it has to come
   * @throws IOException when it does not, or is none
   */
  static <T> T read(Socket socket, Class<T> type, long millis) throws IOException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    InputStream in = socket.getInputStream();
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    byte[] part = new byte[4096];
    while (true) {
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (left <= 0) {
        throw new SocketTimeoutException("no whole message in " + millis + " ms");
      }
      socket.setSoTimeout((int) left);
      int count = in.read(part);
      if (count < 0) {
        throw new IOException("the other side ended the connection");
      }
      for (int i = 0; i < count; i++) {
        if (part[i] == '\n') {
          line.write(part, 0, i);
          return parsed(line.toString(StandardCharsets.UTF_8), type);
        }
      }
      line.write(part, 0, count);
      if (line.size() > MAX_BYTES) {
        throw new IOException("a message of more than " + MAX_BYTES + " bytes");
      }
    }
  }

  private static <T> T parsed(String line, Class<T> type) throws IOException {
    try {
      T message = JSON.readValue(line, type);
      if (message == null) {
        throw new IOException("an empty message");
      }
      return message;
    } catch (JsonProcessingException e) {
      throw new IOException("what came is no " + type.getSimpleName(), e); // it may have secrets
    }
  }
}
