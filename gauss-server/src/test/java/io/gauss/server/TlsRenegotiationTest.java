package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.storage.disk.PrivateFiles;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A handshake costs the server much more than the client: a stranger who repeated it on one
 * connection would keep an event loop busy without ever being counted.
 */
class TlsRenegotiationTest {
  private static final int SSL_REQUEST = 80877103;
  private static final int PROTOCOL_3_0 = 3 << 16;

  private static final X509TrustManager ANYBODY =
      new X509TrustManager() {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
          return new X509Certificate[0];
        }
      };

  @Test
  void clientsCannotRepeatTheHandshake(@TempDir Path directory) throws Exception {
    Path data = PrivateFiles.createDirectory(directory.resolve("data"));
    Path settings = data.resolve("gauss.properties");
    Files.createFile(
        settings,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(settings, "tls = generate\n");
    List<String> options = LauncherOptions.of(directory.resolve("launcher"), "256m");
    try (ServerProcess server = new ServerProcess(data, options, List.of("io.gauss.server.Main"))) {
      server.start();
      try (SSLSocket socket = encrypted(server.port())) {
        socket.startHandshake();
        assertThrows(IOException.class, () -> again(socket));
      }
    }
  }

  /** Whether it has been refused is heard when something is sent and answered. */
  private static void again(SSLSocket socket) throws IOException {
    socket.startHandshake();
    byte[] parameters = "user\0gauss\0\0".getBytes(StandardCharsets.US_ASCII);
    ByteBuffer packet = ByteBuffer.allocate(2 * Integer.BYTES + parameters.length);
    packet.putInt(packet.capacity()).putInt(PROTOCOL_3_0).put(parameters);
    socket.getOutputStream().write(packet.array());
    if (socket.getInputStream().read() < 0) {
      throw new EOFException();
    }
  }

  private static SSLSocket encrypted(int port) throws IOException, GeneralSecurityException {
    Socket plain = new Socket("127.0.0.1", port);
    DataOutputStream out = new DataOutputStream(plain.getOutputStream());
    out.writeInt(2 * Integer.BYTES);
    out.writeInt(SSL_REQUEST);
    assertEquals('S', plain.getInputStream().read());
    SSLContext context = SSLContext.getInstance("TLSv1.2");
    context.init(null, new TrustManager[] {ANYBODY}, new SecureRandom());
    SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket(plain, "127.0.0.1", port, true);
    socket.setEnabledProtocols(new String[] {"TLSv1.2"});
    return socket;
  }
}
