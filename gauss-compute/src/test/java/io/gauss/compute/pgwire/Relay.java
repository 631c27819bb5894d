package io.gauss.compute.pgwire;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A port in front of another one. Once it is told to be silent nothing passes any more, and nothing
 * is closed: as when a machine has lost its power. Thread-safe.
 */
final class Relay implements AutoCloseable {
  private final ServerSocket listener;
  private final int target;
  private final List<Socket> sockets = new ArrayList<>(); // guarded by itself
  private final List<Socket> callers = new ArrayList<>(); // guarded by itself
  private final AtomicLong swallowed = new AtomicLong();
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();
  private volatile boolean isSilent;
  private volatile boolean isMute;

  /**
   * @param target port; 0 = whoever connects is never answered
   */
  Relay(int target) throws IOException {
    this.target = target;
    this.isSilent = target == 0;
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  /** Connections so far. */
  int accepted() {
    return accepted.get();
  }

  /** Connections that the other port has closed. */
  int ended() {
    return ended.get();
  }

  /** Bytes that did not pass. */
  long swallowed() {
    return swallowed.get();
  }

  void silence() {
    isSilent = true;
  }

  /** Nothing comes back from the other port any more. */
  void mute() {
    isMute = true;
  }

  /** Ends the connections of those who have connected; the other port is not told. */
  void hangUp() throws IOException {
    isSilent = true;
    synchronized (callers) {
      for (Socket caller : callers) {
        caller.close();
      }
    }
  }

  private void accept() {
    try {
      while (true) {
        Socket from = keep(listener.accept());
        synchronized (callers) {
          callers.add(from);
        }
        accepted.incrementAndGet();
        if (target != 0) {
          Socket to = keep(new Socket(InetAddress.getLoopbackAddress(), target));
          Thread.ofVirtual().start(() -> pass(from, to, false));
          Thread.ofVirtual()
              .start(
                  () -> {
                    pass(to, from, true);
                    ended.incrementAndGet();
                  });
        }
      }
    } catch (IOException e) {
      closeAll();
    }
  }

  private Socket keep(Socket socket) {
    synchronized (sockets) {
      sockets.add(socket);
    }
    return socket;
  }

  private void pass(Socket from, Socket to, boolean isAnswer) {
    byte[] bytes = new byte[64 * 1024];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
        if (isSilent || isAnswer && isMute) {
          swallowed.addAndGet(count);
        } else {
          out.write(bytes, 0, count);
        }
      }
      if (!isSilent) {
        to.close();
      }
    } catch (IOException e) {
      closeAll(); // the end of the test, or of one of both
    }
  }

  private void closeAll() {
    if ((isSilent || isMute) && !listener.isClosed()) {
      return;
    }
    synchronized (sockets) {
      for (Socket socket : sockets) {
        try {
          socket.close();
        } catch (IOException e) {
          // It is closed, whatever it says.
        }
      }
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    closeAll();
  }
}
