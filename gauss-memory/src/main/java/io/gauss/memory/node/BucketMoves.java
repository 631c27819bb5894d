package io.gauss.memory.node;

import io.gauss.common.task.Later;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the progress of bucket moves to the cluster map: that this node has given a bucket up, or
 * serves one that it received. Each report is repeated until the map contains it. Thread-safe;
 * nothing blocks.
 */
final class BucketMoves {
  private static final Logger LOG = LoggerFactory.getLogger(BucketMoves.class);

  private static final long AGAIN_MILLIS = 200;

  private final int self;
  private final Function<MapCommand, CompletableFuture<MapResult>> proposals;

  /** Reports for which the present map waits and that are under way or sent already. */
  private final Set<MapCommand> said = new HashSet<>();

  /**
   * @param self this node's number
   * @param proposals proposes a change of the map
   */
  BucketMoves(int self, Function<MapCommand, CompletableFuture<MapResult>> proposals) {
    this.self = self;
    this.proposals = proposals;
  }

  /** Whether the bucket is on its way from this node to another one. */
  boolean leaves(ClusterMap map, int bucket) {
    Integer to = map.buckets().moves().get(bucket);
    return to != null && to != self && map.buckets().home(bucket) == self;
  }

  /**
   * Follows moves that begin or end here, after the node has begun to act on the map.
   *
   * @param epoch of this node
   * @param given completes when the bucket is no longer served here
   * @param open completes when it is served here
   * @param again follows the newest map once more
   */
  void follow(
      ClusterMap map,
      int epoch,
      IntFunction<CompletableFuture<Void>> given,
      IntFunction<CompletableFuture<Void>> open,
      Runnable again) {
    Map<MapCommand, CompletableFuture<Void>> wanted = new HashMap<>();
    map.buckets()
        .moves()
        .forEach(
            (bucket, to) -> {
              if (leaves(map, bucket)) {
                wanted.put(new MapCommand.GiveBucket(self, epoch, bucket), given.apply(bucket));
              } else if (to == self && map.buckets().home(bucket) == self) {
                wanted.put(
                    new MapCommand.FinishBucketMove(self, epoch, bucket), open.apply(bucket));
              }
            });
    synchronized (said) {
      said.retainAll(wanted.keySet());
      wanted.keySet().removeIf(command -> !said.add(command));
    }
    wanted.forEach((command, ready) -> ready.thenRun(() -> propose(command, again)));
  }

  private void propose(MapCommand command, Runnable again) {
    proposals
        .apply(command)
        .whenComplete(
            (result, failure) -> {
              if (failure != null || result instanceof MapResult.Refused) {
                LOG.debug("{} is not taken: {}", command, result, failure);
                Later.run(AGAIN_MILLIS, TimeUnit.MILLISECONDS, () -> sayAgain(command, again));
              }
            });
  }

  private void sayAgain(MapCommand command, Runnable again) {
    synchronized (said) {
      said.remove(command);
    }
    again.run();
  }
}
