package io.gauss.common.transport.tcp;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Bounds the connections that nobody has authenticated yet: everybody who reaches the port can open
 * them, and each takes memory and a file descriptor. Too many of them cost the oldest its place,
 * and not the newest: a node says its hello within milliseconds, so it is sooner done than those
 * that only hold a place are through. Thread-safe.
 */
final class StartingWires {
  private final int most;

  /** Oldest first; guarded by itself. */
  private final Set<TcpWire> wires = new LinkedHashSet<>();

  StartingWires(int most) {
    this.most = most;
  }

  void add(TcpWire wire) {
    TcpWire oldest = null;
    synchronized (wires) {
      wires.add(wire);
      if (wires.size() > most) {
        Iterator<TcpWire> first = wires.iterator();
        oldest = first.next();
        first.remove();
      }
    }
    if (oldest != null) {
      oldest.giveUpStart();
    }
  }

  /** It is authenticated, or closed. */
  void remove(TcpWire wire) {
    synchronized (wires) {
      wires.remove(wire);
    }
  }
}
