package io.gauss.common.task;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for nodes that are started later, or again: nobody holds these meanwhile. Of a range that
 * neither systems give to outgoing connections and to those who ask for any port, nor {@code up}
 * and {@code add} take for the nodes that they start. Tests of several JVMs run at once: each takes
 * one port after the other, from a place of its own, and marks it by a socket for datagrams of the
 * same number, which nothing else uses: otherwise another JVM could take a port while its node is
 * not started yet, or stopped. Thread-safe.
 */
public final class FreePorts {
  private static final int FIRST = 30_000;
  private static final int END = 32_768;
  private static int next = ThreadLocalRandom.current().nextInt(FIRST, END);

  /** More than one test uses. */
  private static final int MARKED = 200;

  /** The oldest first; they end with the JVM. */
  private static final Deque<DatagramSocket> marks = new ArrayDeque<>();

  private FreePorts() {}

  /** One that is free now. */
  public static int one() {
    return consecutive(1);
  }

  /** So many that are free now, in no order. */
  public static int[] several(int count) {
    int[] ports = new int[count];
    for (int i = 0; i < count; i++) {
      ports[i] = one();
    }
    return ports;
  }

  /** The first of so many that follow each other and are free now. */
  public static synchronized int consecutive(int count) {
    for (int tries = FIRST; tries < END; tries++) {
      if (next + count > END) {
        next = FIRST;
      }
      int first = next++;
      if (areFree(first, count)) {
        next = first + count;
        return first;
      }
    }
    throw new IllegalStateException("no " + count + " ports are free");
  }

  private static boolean areFree(int first, int count) {
    List<ServerSocket> held = new ArrayList<>();
    List<DatagramSocket> marked = new ArrayList<>();
    boolean areFree = false;
    try {
      for (int i = 0; i < count; i++) {
        marked.add(new DatagramSocket(first + i, InetAddress.getLoopbackAddress()));
        held.add(new ServerSocket(first + i));
      }
      areFree = true;
    } catch (BindException e) {
      areFree = false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      for (ServerSocket socket : held) {
        try {
          socket.close();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
      if (areFree) {
        marks.addAll(marked);
      } else {
        marked.forEach(DatagramSocket::close);
      }
    }
    while (marks.size() > MARKED) {
      marks.remove().close();
    }
    return areFree;
  }
}
