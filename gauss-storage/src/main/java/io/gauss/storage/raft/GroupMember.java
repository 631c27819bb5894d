package io.gauss.storage.raft;

import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;

/**
 * A storage node as a member of a group.
 *
 * @param node the storage node's number
 * @param host of its Raft port
 * @param port its Raft port
 * @param priority among members with equal logs, the one with the highest priority leads;
 *     leadership returns to it when it is back
 */
public record GroupMember(int node, String host, int port, int priority) {

  public GroupMember {
    if (node < 0 || priority < 0) {
      throw new IllegalArgumentException("node " + node + " with priority " + priority);
    }
  }

  RaftPeer ratis() {
    return RaftPeer.newBuilder()
        .setId(peerId(node))
        .setAddress(host + ":" + port)
        .setPriority(priority)
        .build();
  }

  static RaftPeerId peerId(int node) {
    return RaftPeerId.valueOf("s" + node);
  }

  /** The storage node of a peer id. */
  static int node(RaftPeerId id) {
    return Integer.parseInt(id.toString().substring(1));
  }
}
