package io.gauss.compute.node;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A session whose key is known, so that a client's request to cancel can be sent anywhere. */
final class RawSession implements AutoCloseable {
  private static final int PROTOCOL_3 = 196608;
  private static final int CANCEL_REQUEST = 80877102;

  private final Socket socket;
  final DataInputStream in;
  private final DataOutputStream out;
  final int pid;
  final int secret;

  RawSession(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    in = new DataInputStream(socket.getInputStream());
    out = new DataOutputStream(socket.getOutputStream());
    byte[] parameters = "user\0gauss\0database\0gauss\0\0".getBytes(StandardCharsets.UTF_8);
    out.writeInt(8 + parameters.length);
    out.writeInt(PROTOCOL_3);
    out.write(parameters);
    byte[] key = bytes('K');
    DataInputStream numbers = new DataInputStream(new ByteArrayInputStream(key));
    pid = numbers.readInt();
    secret = numbers.readInt();
    bytes('Z');
  }

  static void cancel(int port, int pid, int secret) throws IOException {
    try (Socket request = new Socket(InetAddress.getLoopbackAddress(), port)) {
      DataOutputStream out = new DataOutputStream(request.getOutputStream());
      out.writeInt(16);
      out.writeInt(CANCEL_REQUEST);
      out.writeInt(pid);
      out.writeInt(secret);
      request.getInputStream().read(); // the server closes when it has read it
    }
  }

  void send(char type, String text) throws IOException {
    byte[] bytes = (text + '\0').getBytes(StandardCharsets.UTF_8);
    out.writeByte(type);
    out.writeInt(4 + bytes.length);
    out.write(bytes);
  }

  String read(char type) throws IOException {
    return new String(bytes(type), StandardCharsets.UTF_8);
  }

  /** Content of the next message of a type. */
  private byte[] bytes(char type) throws IOException {
    while (true) {
      int found = in.readByte();
      byte[] content = new byte[in.readInt() - 4];
      in.readFully(content);
      if (found == type) {
        return content;
      }
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
