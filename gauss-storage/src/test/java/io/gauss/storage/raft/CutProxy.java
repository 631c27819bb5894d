package io.gauss.storage.raft;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Passes connections on to a port of this machine, and cuts them: both sides see an end, in the
 * middle of whatever was on its way. New connections are passed on again. It can also swallow bytes
 * in the middle, which neither side sees.
 */
final class CutProxy implements AutoCloseable {
  private final ServerSocket listens;
  private final int target;
  private final List<Socket> open = new CopyOnWriteArrayList<>();
  private final AtomicInteger swallowing = new AtomicInteger();

  CutProxy(int target) {
    this.target = target;
    try {
      listens = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofVirtual().name("cut-proxy").start(this::accept);
  }

  int port() {
    return listens.getLocalPort();
  }

  private void accept() {
    while (!listens.isClosed()) {
      try {
        Socket from = listens.accept();
        Socket to = new Socket(InetAddress.getLoopbackAddress(), target);
        open.add(from);
        open.add(to);
        Thread.ofVirtual().start(() -> pass(from, to));
        Thread.ofVirtual().start(() -> pass(to, from));
      } catch (IOException e) {
        // The target does not run now, or this proxy is closed.
      }
    }
  }

  private void pass(Socket from, Socket to) {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] bytes = new byte[1 << 16];
      int next;
      while ((next = in.read(bytes)) >= 0) {
        int read = next;
        int lost = Math.min(read, swallowing.getAndUpdate(left -> Math.max(0, left - read)));
        out.write(bytes, lost, read - lost);
      }
    } catch (IOException e) {
      // cut
    } finally {
      open.remove(from);
      open.remove(to);
    }
  }

  /** Loses the next bytes that come, in whatever direction. */
  void swallow(int bytes) {
    swallowing.addAndGet(bytes);
  }

  /** Cuts all connections. */
  void cut() {
    for (Socket socket : open) {
      try {
        socket.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public void close() {
    try {
      listens.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    cut();
  }
}
