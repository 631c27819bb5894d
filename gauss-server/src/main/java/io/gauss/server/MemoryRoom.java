package io.gauss.server;

import io.gauss.common.error.GaussException;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Transport;
import io.gauss.memory.wire.MemoryStatus;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * Checks whether the page directories of the remaining memory nodes have room for the entries of
 * one that is to leave. For one thread.
 */
final class MemoryRoom {
  private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Buckets are not all alike, and neither are a node's event loops. */
  private static final int USABLE_PERCENT = 90;

  private final MapAccess cluster;

  MemoryRoom(MapAccess cluster) {
    this.cluster = cluster;
  }

  /**
   * Asks all memory nodes.
   *
   * @throws RefusedException when there is not enough room, or no other memory node remains
   * @throws IllegalStateException when a memory node does not answer
   */
  void check(int leaving) {
    long needed = 0;
    long room = 0;
    boolean someoneStays = false;
    for (MapNode node : cluster.known().live(Role.MEMORY)) {
      MemoryStatus status = ask(node);
      if (node.id() == leaving || node.state() == NodeState.DRAINING) {
        needed += status.held();
      } else {
        someoneStays = true;
        room += Math.max(0, status.capacity() * USABLE_PERCENT / 100 - status.held());
      }
    }
    if (!someoneStays) {
      throw new RefusedException("no other memory node stays to take over from node " + leaving);
    }
    if (needed > room) {
      throw new RefusedException(
          ("the other memory nodes have room for %d pages in their directories, and compute nodes"
                  + " have %d of which node %d is the home; raise directory.entries, or add a"
                  + " memory node")
              .formatted(room, needed, leaving));
    }
  }

  private MemoryStatus ask(MapNode node) {
    Endpoint at =
        node.endpoint(Endpoint.Purpose.PEER)
            .orElseThrow(() -> new IllegalStateException("node " + node.id() + " has no address"));
    Transport transport = cluster.transport();
    try (Peer peer = transport.connect(new NodeAddress(at.host(), at.port()), node.id())) {
      ByteBuf question = MemoryStatus.writeRequest(transport.allocator().buffer());
      ByteBuf reply = peer.call(MemoryStatus.QUESTION, question, ANSWER_NANOS).join();
      try {
        return MemoryStatus.read(reply);
      } finally {
        reply.release();
      }
    } catch (CompletionException | GaussException e) {
      throw new IllegalStateException("memory node " + node.id() + " does not tell its room", e);
    }
  }
}
