package io.gauss.jdbc.nodes;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A port through which a server is reached, and which can be shut: several of them before one
 * database are like several nodes with the same data, each of which can be lost. Thread-safe.
 */
final class Gate implements AutoCloseable {
  private final int target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final AtomicInteger accepted = new AtomicInteger();
  private final int port;
  private volatile ServerSocket listening;
  private volatile boolean isShut;
  private volatile String cutAfter = ""; // a text in what clients send

  Gate(int target) throws IOException {
    this.target = target;
    this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    this.port = listening.getLocalPort();
    serve(listening);
  }

  int port() {
    return port;
  }

  /** Connections so far. */
  int accepted() {
    return accepted.get();
  }

  private void serve(ServerSocket server) {
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                while (true) {
                  Socket client = server.accept();
                  if (isShut) {
                    client.close(); // it got in while the port was being closed
                    return;
                  }
                  accepted.incrementAndGet();
                  Socket behind = new Socket(InetAddress.getLoopbackAddress(), target);
                  sockets.add(client);
                  sockets.add(behind);
                  Thread.ofVirtual().start(() -> pass(client, behind, true));
                  Thread.ofVirtual().start(() -> pass(behind, client, false));
                }
              } catch (IOException e) {
                close(server); // shut
              }
            });
  }

  private void pass(Socket from, Socket to, boolean isClient) {
    byte[] buffer = new byte[65_536];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        if (isClient && isToCut(new String(buffer, 0, n, StandardCharsets.ISO_8859_1))) {
          isShut = true; // before the server has it: its answer must not get through
          out.write(buffer, 0, n);
          shut();
        } else if (isClient || !isShut) {
          out.write(buffer, 0, n);
        }
      }
    } catch (IOException e) {
      close(to); // the other side shall see it, too
    } finally {
      close(from);
      close(to);
      sockets.remove(from);
      sockets.remove(to);
    }
  }

  private boolean isToCut(String sent) {
    boolean isMeant = !cutAfter.isEmpty() && sent.contains(cutAfter);
    if (isMeant) {
      cutAfter = "";
    }
    return isMeant;
  }

  private static void close(AutoCloseable closeable) {
    try {
      closeable.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** All connections break, and no new ones are taken. */
  void shut() {
    isShut = true;
    close(listening);
    cut();
  }

  /** All connections break. */
  void cut() {
    sockets.forEach(Gate::close);
  }

  /** Breaks everything as soon as a client has sent this text, which still gets to the server. */
  void shutAfter(String text) {
    cutAfter = text;
  }

  /** Takes connections again. */
  void open() throws IOException {
    ServerSocket again = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
    listening = again;
    isShut = false;
    serve(again);
  }

  @Override
  public void close() {
    shut();
  }
}
