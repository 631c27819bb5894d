package io.gauss.common.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ChosenPortsTest {
  private static final int MANY = 50;

  @Test
  void nodesCanListenThereAndNobodyElseChoosesTheSame() throws IOException {
    Set<Integer> chosen = new HashSet<>();
    for (int i = 0; i < MANY; i++) {
      int port = ChosenPorts.one();
      chosen.add(port);
      new ServerSocket(port).close();
      // As another process would mark it.
      assertThrows(
          BindException.class, () -> new DatagramSocket(port, InetAddress.getLoopbackAddress()));
    }
    assertEquals(MANY, chosen.size());
  }
}
