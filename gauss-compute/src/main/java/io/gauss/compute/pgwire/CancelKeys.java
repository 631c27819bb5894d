package io.gauss.compute.pgwire;

import java.security.SecureRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Finds the connection that a CancelRequest names. Thread-safe. */
final class CancelKeys {
  private final ConcurrentHashMap<Integer, PgConnection> connections = new ConcurrentHashMap<>();
  private final AtomicInteger nextProcessId = new AtomicInteger();
  private final SecureRandom random = new SecureRandom();

  /** Registers a connection and returns its process id, unique among those that are open. */
  int register(PgConnection connection) {
    while (true) {
      int processId = nextProcessId.incrementAndGet() & 0x7FFF_FFFF;
      if (processId != 0 && connections.putIfAbsent(processId, connection) == null) {
        return processId;
      }
    }
  }

  void remove(int processId) {
    connections.remove(processId);
  }

  int newSecret() {
    return random.nextInt();
  }

  /**
   * Cancels what the connection runs; a request that names nobody, or with a wrong secret, is
   * ignored as in PostgreSQL.
   */
  void cancel(int processId, int secret) {
    PgConnection connection = connections.get(processId);
    if (connection != null && connection.secret() == secret) {
      connection.cancelStatement();
    }
  }

  Iterable<PgConnection> all() {
    return connections.values();
  }

  int size() {
    return connections.size();
  }
}
