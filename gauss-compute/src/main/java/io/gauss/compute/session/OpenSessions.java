package io.gauss.compute.session;

import io.gauss.common.runtime.ArrivalSet;
import io.gauss.compute.routing.data.NodeLoad;
import java.util.Iterator;
import java.util.Set;
import java.util.stream.Stream;

/** The currently open sessions of a node. Thread-safe. */
public final class OpenSessions implements Iterable<Session> {
  private final Set<Session> sessions = new ArrivalSet<>();

  void add(Session session) {
    sessions.add(session);
  }

  /** Whether it was among them. */
  boolean remove(Session session) {
    return sessions.remove(session);
  }

  Stream<Session> stream() {
    return sessions.stream();
  }

  @Override
  public Iterator<Session> iterator() {
    return sessions.iterator();
  }

  /** The load of the node's sessions; processor load is not considered. */
  public NodeLoad load() {
    int open = 0;
    int active = 0;
    for (Session session : sessions) {
      open++;
      active += session.activity().isActive() ? 1 : 0;
    }
    return new NodeLoad(open, active, -1);
  }
}
