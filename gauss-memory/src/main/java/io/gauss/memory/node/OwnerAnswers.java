package io.gauss.memory.node;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.transport.Request;
import io.gauss.common.transport.Transport;
import io.gauss.memory.wire.PageOwnersLayout;
import io.gauss.memory.wire.PageOwnersLayout.Key;
import io.gauss.storage.map.api.PageBuckets;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * Answers queries for the holders of the pages of some buckets, with counts from the event loops
 * that serve them.
 */
final class OwnerAnswers {
  private OwnerAnswers() {}

  /** Does not block: the answer is sent when the last loop has counted. */
  static void answer(Request request, List<BucketServer> servers, Transport transport) {
    ByteBuf question = request.payload();
    try {
      PageOwnersLayout.checkQuestion(question, PageBuckets.BUCKETS);
    } catch (GaussException e) {
      request.fail(e.state(), e.getMessage());
      return;
    }
    int first = PageOwnersLayout.firstBucket(question);
    int end = first + PageOwnersLayout.buckets(question);
    List<CompletableFuture<Map<Key, Long>>> parts = new ArrayList<>();
    for (int i = 0; i < servers.size(); i++) {
      int loop = i;
      int[] own =
          IntStream.range(first, end)
              .filter(bucket -> MapFollower.loopOf(bucket, servers.size()) == loop)
              .toArray();
      parts.add(servers.get(i).owners(own));
    }
    CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                request.fail(SqlState.INTERNAL_ERROR, failure.toString());
                return;
              }
              Map<Key, Long> all = new HashMap<>();
              parts.forEach(part -> part.join().forEach((k, n) -> all.merge(k, n, Long::sum)));
              request.reply(PageOwnersLayout.write(transport.allocator().buffer(), all));
            });
  }
}
