package io.gauss.storage.raft.rpc;

import io.gauss.storage.wire.StorageMessages;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells followers of commits that no entry has told them a millisecond later: one message to each
 * node for all groups, without an answer. A lost one is made up for by the next heartbeat.
 *
 * <p>Thread-safe. One timer serves all groups, so that under load, when entries tell everything, a
 * group costs nothing.
 */
final class CommitNews {
  private static final Logger LOG = LoggerFactory.getLogger(CommitNews.class);
  private static final long DELAY_NANOS = 1_000_000;

  private final RaftLinks links;
  private final ByteBufAllocator allocator;
  private final ScheduledExecutorService timer;
  private final Queue<PeerAppender> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();

  CommitNews(RaftLinks links, ByteBufAllocator allocator, ScheduledExecutorService timer) {
    this.links = links;
    this.allocator = allocator;
    this.timer = timer;
  }

  /** Has a follower told. Once only until it is asked ({@link PeerAppender#commitUntold}). */
  void later(PeerAppender appender) {
    waiting.add(appender);
    if (scheduled.compareAndSet(false, true)) {
      try {
        timer.schedule(this::tell, DELAY_NANOS, TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException e) {
        LOG.debug("this node ends", e);
      }
    }
  }

  private void tell() {
    scheduled.set(false); // whoever is added from now on has another time set
    Map<RaftPeerId, List<AppendEntriesRequestProto>> news = new HashMap<>();
    for (PeerAppender next = waiting.poll(); next != null; next = waiting.poll()) {
      AppendEntriesRequestProto untold = next.commitUntold();
      if (untold != null) {
        news.computeIfAbsent(next.getFollowerId(), node -> new ArrayList<>()).add(untold);
      }
    }
    news.forEach(
        (node, requests) -> {
          try {
            links
                .to(node)
                .send(
                    StorageMessages.RAFT_HEARTBEATS, RaftMessageLayout.write(allocator, requests));
          } catch (IOException | RuntimeException e) {
            LOG.debug("{} hears of commits later", node, e);
          }
        });
  }
}
