package io.gauss.storage.raft.rpc;

import io.gauss.common.transport.Peer;
import io.gauss.storage.wire.StorageMessages;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells followers that their leaders are there: one message to each node for all groups that this
 * node leads with it, except for those to which something else was sent just before.
 *
 * <p>Thread-safe; {@link #send} is for one thread at a time.
 */
final class Heartbeats {
  private static final Logger LOG = LoggerFactory.getLogger(Heartbeats.class);

  private final RaftLinks links;
  private final ByteBufAllocator allocator;
  private final long requestNanos;
  private final Map<RaftPeerId, List<PeerAppender>> followers = new ConcurrentHashMap<>();
  private volatile boolean closed;

  Heartbeats(RaftLinks links, ByteBufAllocator allocator, long requestNanos) {
    this.links = links;
    this.allocator = allocator;
    this.requestNanos = requestNanos;
  }

  /** From now on the follower of this appender gets heartbeats. */
  void add(PeerAppender appender) {
    followers
        .computeIfAbsent(appender.getFollowerId(), follower -> new CopyOnWriteArrayList<>())
        .add(appender);
  }

  void remove(PeerAppender appender) {
    List<PeerAppender> same = followers.get(appender.getFollowerId());
    if (same != null) {
      same.remove(appender);
    }
  }

  void close() {
    closed = true;
  }

  /** Sends all heartbeats that are due. */
  void send() {
    followers.forEach(
        (node, appenders) -> {
          if (!appenders.isEmpty() && !closed) {
            try {
              send(links.to(node), appenders);
            } catch (IOException | RuntimeException e) {
              LOG.debug("no heartbeats to {}", node, e);
            }
          }
        });
  }

  private void send(Peer peer, List<PeerAppender> appenders) {
    if (!peer.isConnected()) {
      return;
    }
    List<PeerAppender> senders = new ArrayList<>();
    List<AppendEntriesRequestProto> requests = new ArrayList<>();
    for (PeerAppender appender : appenders) {
      AppendEntriesRequestProto request = appender.heartbeatIfDue();
      if (request != null) {
        senders.add(appender);
        requests.add(request);
      }
    }
    if (!requests.isEmpty()) {
      peer.call(
              StorageMessages.RAFT_HEARTBEATS,
              RaftMessageLayout.write(allocator, requests),
              requestNanos)
          .whenComplete(
              (reply, failure) -> {
                if (failure == null) {
                  answered(senders, reply);
                } else {
                  LOG.debug("heartbeats to {} are not answered", peer, failure);
                }
              });
    }
  }

  private static void answered(List<PeerAppender> senders, ByteBuf reply) {
    List<AppendEntriesReplyProto> parts;
    try {
      parts = RaftMessageLayout.readParts(reply, AppendEntriesReplyProto.parser());
    } finally {
      reply.release();
    }
    for (int i = 0; i < parts.size() && i < senders.size(); i++) {
      if (parts.get(i) != null) {
        senders.get(i).heartbeatAnswered(parts.get(i));
      }
    }
  }
}
