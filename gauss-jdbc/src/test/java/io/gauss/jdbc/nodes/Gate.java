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
 * A port through which a server is reached, and which can be shut, at a chosen moment of a
 * conversation if need be. Several of them before one database are like several nodes with the same
 * data. Thread-safe.
 */
final class Gate implements AutoCloseable {
  private final int target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final AtomicInteger accepted = new AtomicInteger();
  private final int port;
  private volatile ServerSocket listening;
  private volatile Thread acceptor;
  private volatile boolean isShut;
  private volatile Trap trap;

  /** The moment at which everything breaks. */
  enum Moment {
    /** The server never gets the text. */
    BEFORE_THE_SERVER_HAS_IT,
    /** The server has done what the text says, and has answered; the client never hears it. */
    AFTER_THE_SERVER_HAS_ANSWERED
  }

  /**
   * @param text in what a client sends
   */
  private record Trap(String text, Moment moment) {}

  /** The two sockets of a connection. */
  private static final class Pair {
    final Socket client;
    final Socket server;
    volatile boolean isLastAnswer; // what the server says next is not passed on

    Pair(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }
  }

  Gate(int target) throws IOException {
    this.target = target;
    this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    this.port = listening.getLocalPort();
    this.acceptor = serve(listening);
  }

  int port() {
    return port;
  }

  /** Connections so far. */
  int accepted() {
    return accepted.get();
  }

  private Thread serve(ServerSocket server) {
    return Thread.ofVirtual()
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
                  Pair pair = new Pair(client, behind);
                  Thread.ofVirtual().start(() -> pass(pair, true));
                  Thread.ofVirtual().start(() -> pass(pair, false));
                }
              } catch (IOException e) {
                close(server); // shut
              }
            });
  }

  private void pass(Pair pair, boolean isClient) {
    Socket from = isClient ? pair.client : pair.server;
    Socket to = isClient ? pair.server : pair.client;
    byte[] buffer = new byte[65_536];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        if (isClient ? mayPass(pair, buffer, n) : !pair.isLastAnswer) {
          out.write(buffer, 0, n);
        } else {
          shut();
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

  /** Whether the server is to have what a client has sent. */
  private boolean mayPass(Pair pair, byte[] sent, int length) {
    Trap set = trap;
    if (set == null
        || !new String(sent, 0, length, StandardCharsets.ISO_8859_1).contains(set.text())) {
      return true;
    }
    trap = null;
    pair.isLastAnswer = true; // before the server has it
    return set.moment() == Moment.AFTER_THE_SERVER_HAS_ANSWERED;
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
    awaitEnd(acceptor); // the port is open until it has noticed
    cut();
  }

  private static void awaitEnd(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** All connections break. */
  void cut() {
    sockets.forEach(Gate::close);
  }

  /** Breaks everything when a client sends this text: no answer to it gets through. */
  void shutAt(String text, Moment moment) {
    trap = new Trap(text, moment);
  }

  /** Takes connections again. */
  void open() throws IOException {
    ServerSocket again = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
    listening = again;
    isShut = false;
    acceptor = serve(again);
  }

  @Override
  public void close() {
    shut();
  }
}
