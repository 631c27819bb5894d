package io.gauss.jdbc.nodes;

import io.gauss.common.task.FreePorts;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A port through which a server is reached, and which can be shut, at a chosen moment of a
 * conversation if need be. Several of them before one database are like several nodes with the same
 * data. Thread-safe.
 */
final class Gate implements AutoCloseable {
  private final int target;
  private final ReentrantLock lock = new ReentrantLock(); // of opening and shutting
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final int port;
  private volatile ServerSocket listening;
  private volatile Thread acceptor;
  private volatile boolean isShut;
  private volatile boolean isFull;
  private volatile Trap trap;

  /** The moment at which everything breaks. */
  enum Moment {
    /** The server never gets the text. */
    BEFORE_THE_SERVER_HAS_IT,
    /** The server has done what the text says, and has answered; the client never hears it. */
    AFTER_THE_SERVER_HAS_ANSWERED,
    /** Only this connection breaks, before the server has the text. */
    OF_ONE_CONNECTION
  }

  /** What a server with too many connections answers. */
  private static final byte[] FULL = full();

  /**
   * @param text in what a client sends
   */
  private record Trap(String text, Moment moment) {}

  /** The two sockets of a connection. */
  private static final class Pair {
    final Socket client;
    final Socket server;
    volatile boolean isLastAnswer; // what the server says next is not passed on
    volatile boolean isLast; // this connection breaks, and no other

    Pair(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }
  }

  Gate(int target) throws IOException {
    this.target = target;
    this.port = FreePorts.one(); // nobody else takes it while the gate is shut
    this.listening = listen();
    this.acceptor = serve(listening);
  }

  private ServerSocket listen() throws IOException {
    return new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
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
                  if (isFull) {
                    refuse(client);
                    continue;
                  }
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

  private static byte[] full() {
    byte[] fields =
        "SFATAL\0VFATAL\0C53300\0Mtoo many connections\0\0".getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(5 + fields.length)
        .put((byte) 'E')
        .putInt(4 + fields.length)
        .put(fields)
        .array();
  }

  /** Reads a client's first message, and answers that there is no room. */
  private void refuse(Socket client) throws IOException {
    try (client) {
      DataInputStream in = new DataInputStream(client.getInputStream());
      in.skipNBytes(in.readInt() - 4L);
      client.getOutputStream().write(FULL);
      refused.incrementAndGet();
    }
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
        } else if (pair.isLast) {
          return;
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
    pair.isLast = set.moment() == Moment.OF_ONE_CONNECTION;
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

  /** From now on new connections are refused with 53300; those that there are work. */
  void full(boolean on) {
    isFull = on;
  }

  /** Connections that were refused with 53300. */
  int refused() {
    return refused.get();
  }

  /** All connections break, and no new ones are taken. */
  void shut() {
    lock.lock(); // who hears that its connection is broken may open it again at once
    try {
      isShut = true;
      close(listening);
      awaitEnd(acceptor); // the port is open until it has noticed
      cut();
    } finally {
      lock.unlock();
    }
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
    lock.lock();
    try {
      listening = listen();
      isShut = false;
      acceptor = serve(listening);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    shut();
  }
}
