package io.gauss.compute.cluster.memory;

import io.gauss.common.runtime.Environment;
import io.gauss.common.transport.TransportException;
import io.gauss.common.transport.session.SessionLink;
import io.gauss.memory.wire.PageOwnersLayout;
import io.gauss.memory.wire.PageOwnersLayout.Key;
import io.gauss.storage.map.api.PageBuckets;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the memory nodes which nodes hold which pages: all memory nodes at once, each for a few
 * buckets at a time, so that either side has to keep only counts by space. Thread-safe; nothing
 * blocks.
 */
public final class PageOwners {
  private static final Logger LOG = LoggerFactory.getLogger(PageOwners.class);

  /** For all of a node's buckets. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final MemoryLinks links;

  public PageOwners(MemoryLinks links) {
    this.links = links;
  }

  /**
   * The answers of the memory nodes.
   *
   * @param counts pages
   * @param silent numbers of memory nodes that have not answered in time
   */
  public record Answer(Map<Key, Long> counts, List<Integer> silent) {}

  /** Asks all memory nodes; their answers are of different moments. Never fails. */
  public CompletableFuture<Answer> ask() {
    Map<Integer, CompletableFuture<Map<Key, Long>>> parts = new HashMap<>();
    links.sessions().forEach((node, session) -> parts.put(node, new Asking(session).from(0)));
    return CompletableFuture.allOf(parts.values().toArray(CompletableFuture[]::new))
        .handle((done, failure) -> gather(parts));
  }

  private static Answer gather(Map<Integer, CompletableFuture<Map<Key, Long>>> parts) {
    Map<Key, Long> counts = new HashMap<>();
    List<Integer> silent = new ArrayList<>();
    parts.forEach(
        (node, part) -> {
          if (part.isCompletedExceptionally()) {
            Throwable why = part.exceptionNow();
            if (!(why instanceof TransportException)) {
              LOG.error("what memory node {} says of pages' owners cannot be read", node, why);
            }
            silent.add(node);
          } else {
            part.join().forEach((key, pages) -> counts.merge(key, pages, Long::sum));
          }
        });
    return new Answer(counts, silent);
  }

  /** Questions to one memory node; one at a time is under way. */
  private final class Asking {
    private final SessionLink session;
    private final long deadline = Environment.nanoTime() + PATIENCE_NANOS;
    private final Map<Key, Long> counts = new HashMap<>();

    Asking(SessionLink session) {
      this.session = session;
    }

    CompletableFuture<Map<Key, Long>> from(int bucket) {
      if (bucket >= PageBuckets.BUCKETS) {
        return CompletableFuture.completedFuture(counts);
      }
      ByteBuf question =
          PageOwnersLayout.writeQuestion(
              links.allocator().buffer(PageOwnersLayout.QUESTION_BYTES),
              bucket,
              PageOwnersLayout.MOST_BUCKETS);
      long left = Math.max(1, deadline - Environment.nanoTime());
      return session
          .call(PageOwnersLayout.QUESTION, question, left)
          .thenCompose(
              answer -> {
                add(answer);
                return from(bucket + PageOwnersLayout.MOST_BUCKETS);
              });
    }

    private void add(ByteBuf answer) {
      try {
        PageOwnersLayout.read(answer).forEach((key, pages) -> counts.merge(key, pages, Long::sum));
      } finally {
        answer.release();
      }
    }
  }
}
