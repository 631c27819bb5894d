package io.gauss.compute.pgwire;

import io.gauss.compute.routing.RerouteCounts;
import io.gauss.compute.session.Session;
import io.netty.channel.Channel;
import java.util.HashMap;
import java.util.Map;

/**
 * The connections of one client's session to the sessions that serve it on other nodes. Belongs to
 * the event loop of the client's connection.
 */
final class ForwardLinks {
  private final Rerouting owner;
  private final Reroutes reroutes;
  private final Session session;
  private final Map<Integer, ForwardLink> links = new HashMap<>(2);

  ForwardLinks(Rerouting owner, Reroutes reroutes, Session session) {
    this.owner = owner;
    this.reroutes = reroutes;
    this.session = session;
  }

  /**
   * A connection that can take a transaction now; null when there is none. If it may be, one is
   * being made, for later transactions.
   *
   * @param isPinned whether the transaction cannot go anywhere else, be the node leaving or not
   * @param now monotonic clock, ns
   */
  ForwardLink ready(int slot, boolean isPinned, long now, Channel client) {
    ForwardLink link = links.get(slot);
    // Ask even when there is a link: a node that leaves ends sessions that are idle.
    boolean mayGo = link != null && isPinned;
    String host = mayGo ? null : reroutes.host(slot, now);
    if (link != null && link.isOpen() && (mayGo || host != null)) {
      return link;
    }
    boolean isOpening = link == null ? host != null && open(slot, host, client) : !link.isOpen();
    reroutes
        .counts()
        .countStayed(isOpening ? RerouteCounts.Reason.OPENING : RerouteCounts.Reason.UNREACHABLE);
    return null;
  }

  /** Begins to make a connection to a node, unless it is left alone now. */
  private boolean open(int slot, String host, Channel client) {
    if (!reroutes.mayOpen(slot)) {
      return false;
    }
    ForwardLink link = new ForwardLink(owner, reroutes, slot, session);
    links.put(slot, link);
    link.open(session, host, client);
    return true;
  }

  /**
   * Has the session at a node end that has something of the client's which ends with it. That side
   * may not know for long that the connection is lost.
   */
  void endOther(int slot) {
    ForwardLink link = links.get(slot);
    if (link != null) {
      link.endOther(isGone -> {});
    }
  }

  /** It is closed. */
  void remove(ForwardLink link) {
    links.remove(link.slot(), link);
  }

  /** The client is gone: so are the sessions that serve it. */
  void close() {
    links.values().forEach(ForwardLink::close);
    links.clear();
  }
}
