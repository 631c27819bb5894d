package io.gauss.common.task;

import io.gauss.common.runtime.Environment;
import java.io.IOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/**
 * Ports for nodes on this machine that are started later, each by a process of its own. A port is
 * free when it is chosen, and nobody else who chooses here takes it as long as this process runs,
 * although its node may not listen yet: a socket for datagrams of the same number, which nothing
 * else uses, marks it. Below the range for outgoing connections: a node that starts connects to
 * others, and might otherwise get the port of one that has not started yet. Thread-safe.
 */
public final class ChosenPorts {
  private static final int FIRST = 20_000;
  private static final int END = 30_000;
  private static final int TRIES = 1_000;

  /** They end with the process. */
  private static final List<DatagramSocket> marks = new ArrayList<>();

  private ChosenPorts() {}

  /**
   * One that nobody has.
   *
   * @throws IOException when none is found
   */
  public static synchronized int one() throws IOException {
    for (int tries = 1; ; tries++) {
      int port = Environment.random().nextInt(FIRST, END);
      DatagramSocket mark = null;
      try {
        mark = new DatagramSocket(port, InetAddress.getLoopbackAddress());
        new ServerSocket(port).close();
        marks.add(mark);
        return port;
      } catch (BindException e) {
        if (mark != null) {
          mark.close();
        }
        if (tries == TRIES) {
          throw e;
        }
      }
    }
  }
}
