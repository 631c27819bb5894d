package io.gauss.storage.raft.rpc;

import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Transport;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntFunction;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;

/**
 * Connections to the other members, one for all groups, made when first needed. A member that is
 * known by another address from now on is reached there.
 *
 * <p>All groups share what a connection carries. While 16 MB are under way to a member, which may
 * be slow or far behind in many groups, no group sends more than one request at a time. So the
 * memory of this node does not fill with what others do not take, and their heartbeats are not
 * refused with the rest. Thread-safe.
 */
final class RaftLinks {
  static final long MOST_BYTES = 16 << 20;

  private final Transport transport;
  private final ToIntFunction<RaftPeerId> numbers;
  private final Map<RaftPeerId, AtomicLong> underWay = new ConcurrentHashMap<>();
  private final Map<RaftPeerId, Link> links = new HashMap<>(); // guarded by this
  private boolean closed;

  private static final class Link {
    private final NodeAddress address;
    private Peer peer;

    Link(NodeAddress address) {
      this.address = address;
    }
  }

  /**
   * @param numbers of members as nodes of the transport
   */
  RaftLinks(Transport transport, ToIntFunction<RaftPeerId> numbers) {
    this.transport = transport;
    this.numbers = numbers;
  }

  synchronized void know(Iterable<RaftPeer> members) {
    for (RaftPeer member : members) {
      NodeAddress address = address(member.getAddress());
      Link known = links.get(member.getId());
      if (address != null && (known == null || !known.address.equals(address))) {
        links.put(member.getId(), new Link(address));
        if (known != null && known.peer != null) {
          known.peer.close();
        }
      }
    }
  }

  /** Null when there is none. */
  private static NodeAddress address(String text) {
    int colon = text == null ? -1 : text.lastIndexOf(':');
    return colon <= 0
        ? null
        : new NodeAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
  }

  /**
   * @throws IOException when the member is not known, or this node ends
   */
  synchronized Peer to(RaftPeerId member) throws IOException {
    Link link = links.get(member);
    if (link == null || closed) {
      throw new IOException("member " + member + (closed ? ": this one ends" : " is not known"));
    }
    if (link.peer == null) {
      link.peer = transport.connect(link.address, numbers.applyAsInt(member));
    }
    return link.peer;
  }

  /** Bytes of the requests with entries that are under way to a member, to be kept by senders. */
  AtomicLong underWay(RaftPeerId member) {
    return underWay.computeIfAbsent(member, m -> new AtomicLong());
  }

  /** The transport closes the connections. */
  synchronized void close() {
    closed = true;
  }
}
