package io.gauss.jdbc.nodes;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A way to a server that breaks after any number of bytes in either direction. One connection, the
 * one that has sent {@link #MARK} last, is counted and broken; others pass. Thread-safe.
 */
final class ByteCut implements AutoCloseable {
  /** In a text of the connection that is meant. */
  static final String MARK = "the one that breaks";

  private final int target;
  private final ServerSocket listening;
  private volatile Way marked;

  /** A connection. */
  private static final class Way {
    final Socket client;
    final Socket server;
    final Direction toServer = new Direction();
    final Direction toClient = new Direction();

    Way(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }
  }

  /** What has passed since it was marked, and how much may. */
  private static final class Direction {
    private long passed;
    private long most = Long.MAX_VALUE;
    private boolean isCut;

    /** Of so many bytes that have come, how many pass. Counted before the other side has them. */
    synchronized int pass(int bytes) {
      int pass = (int) Math.min(bytes, most - passed);
      passed += pass;
      isCut |= pass < bytes;
      return pass;
    }

    synchronized void begin(long mostBytes) {
      passed = 0;
      most = mostBytes;
      isCut = false;
    }

    synchronized boolean isCut() {
      return isCut;
    }

    synchronized long passed() {
      return passed;
    }
  }

  ByteCut(int target) throws IOException {
    this.target = target;
    this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return listening.getLocalPort();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listening.accept();
        client.setTcpNoDelay(true);
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        server.setTcpNoDelay(true);
        Way way = new Way(client, server);
        Thread.ofVirtual().start(() -> pass(way, true));
        Thread.ofVirtual().start(() -> pass(way, false));
      }
    } catch (IOException e) {
      close(listening); // the test is over
    }
  }

  private void pass(Way way, boolean isClient) {
    byte[] buffer = new byte[65_536];
    Direction direction = isClient ? way.toServer : way.toClient;
    try {
      InputStream in = (isClient ? way.client : way.server).getInputStream();
      OutputStream out = (isClient ? way.server : way.client).getOutputStream();
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        if (isClient && new String(buffer, 0, n, StandardCharsets.ISO_8859_1).contains(MARK)) {
          marked = way;
        }
        int pass = direction.pass(n);
        out.write(buffer, 0, pass);
        if (pass < n) {
          return;
        }
      }
    } catch (IOException e) {
      close(way.client); // the other side shall see it, too
    } finally {
      close(way.client);
      close(way.server);
    }
  }

  private static void close(AutoCloseable closeable) {
    try {
      closeable.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Bytes since the last {@link #cutAfter}. */
  long passed(boolean toServer) {
    return (toServer ? marked.toServer : marked.toClient).passed();
  }

  /** Whether the marked connection broke since the last {@link #cutAfter}. */
  boolean isCut() {
    return marked.toServer.isCut() || marked.toClient.isCut();
  }

  /** The marked connection, which is idle, breaks instead of passing the byte after these. */
  void cutAfter(boolean toServer, long bytes) {
    marked.toServer.begin(toServer ? bytes : Long.MAX_VALUE);
    marked.toClient.begin(toServer ? Long.MAX_VALUE : bytes);
  }

  @Override
  public void close() {
    close(listening);
  }
}
