package io.gauss.compute.pgwire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInstance;

/**
 * What the tests of the protocol have in common. Each suite runs against Gauss and, so that its
 * expectations are true, against PostgreSQL.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class WireContract {
  private final List<WireClient> clients = new ArrayList<>();

  abstract WireServer server();

  int port() {
    return server().port();
  }

  String database() {
    return server().database();
  }

  /** Sessions that wait for a lock now. */
  int waiting() {
    return server().waiting();
  }

  boolean isGauss() {
    return server().isGauss();
  }

  /** A connection that has not said anything. */
  WireClient connect() throws IOException {
    WireClient client = new WireClient(port());
    clients.add(client);
    return client;
  }

  /** A session. */
  WireClient start() throws IOException {
    WireClient client = WireClient.started(port(), database());
    clients.add(client);
    return client;
  }

  byte[] startup(int protocol, String... more) {
    String[] pairs = new String[4 + more.length];
    pairs[0] = "user";
    pairs[1] = "gauss";
    pairs[2] = "database";
    pairs[3] = database();
    System.arraycopy(more, 0, pairs, 4, more.length);
    return WireMessages.startup(protocol, pairs);
  }

  void awaitWaiting(int sessions) {
    while (waiting() != sessions) {
      Thread.onSpinWait();
    }
  }

  /** Compares, line by line; the expectation is a text block. */
  static void assertAnswer(String expected, String actual) {
    assertEquals(expected.strip(), actual);
  }

  @AfterEach
  void closeClients() throws IOException {
    for (WireClient client : clients) {
      client.close();
    }
    clients.clear();
  }
}
