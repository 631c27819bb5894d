package io.gauss.common.task;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for nodes that are started later, or again: nobody holds these meanwhile. Of a range that
 * neither systems give to outgoing connections and to those who ask for any port, nor {@code up}
 * and {@code add} take for the nodes that they start. Tests of several JVMs run at once: each takes
 * one port after the other, from a place of its own. Thread-safe.
 */
public final class FreePorts {
  private static final int FIRST = 30_000;
  private static final int END = 32_768;
  private static int next = ThreadLocalRandom.current().nextInt(FIRST, END);

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
    try {
      for (int i = 0; i < count; i++) {
        held.add(new ServerSocket(first + i));
      }
      return true;
    } catch (BindException e) {
      return false;
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
    }
  }
}
