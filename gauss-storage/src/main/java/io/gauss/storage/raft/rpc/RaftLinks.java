package io.gauss.storage.raft.rpc;

import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Transport;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;

/**
 * Connections to the other members, one for all groups, made when first needed. A member that is
 * known by another address from now on is reached there. Thread-safe.
 */
final class RaftLinks {
  private final Transport transport;
  private final ToIntFunction<RaftPeerId> numbers;
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

  /** The transport closes the connections. */
  synchronized void close() {
    closed = true;
  }
}
