package io.gauss.memory.node;

import io.gauss.common.task.Later;
import io.gauss.storage.map.api.BucketMap.Move;
import io.gauss.storage.map.api.BucketSet;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the progress of bucket moves to the cluster map: that this node has given buckets up, or
 * serves some that it received. What comes while a report is under way goes with the next one. Each
 * report is repeated until the map contains it. Thread-safe; nothing blocks.
 */
final class BucketMoves {
  private static final Logger LOG = LoggerFactory.getLogger(BucketMoves.class);

  private static final long AGAIN_MILLIS = 200;

  private final int self;
  private final Reports given;
  private final Reports served;

  /** A bucket's move. A later one of the same bucket is another one. */
  private record BucketMove(int bucket, Move move) implements Comparable<BucketMove> {
    private static final Comparator<BucketMove> ORDER =
        Comparator.comparingInt(BucketMove::bucket).thenComparingLong(one -> one.move.since());

    @Override
    public int compareTo(BucketMove other) {
      return ORDER.compare(this, other);
    }
  }

  /** Makes a command of this node, its epoch, the version of the map that it knows, and buckets. */
  private interface Maker {
    MapCommand make(int node, int epoch, long known, BucketSet buckets);
  }

  /**
   * @param self this node's number
   * @param proposals proposes a change of the map
   */
  BucketMoves(int self, Function<MapCommand, CompletableFuture<MapResult>> proposals) {
    this.self = self;
    this.given = new Reports(self, MapCommand.GiveBuckets::new, proposals);
    this.served = new Reports(self, MapCommand.FinishBucketMoves::new, proposals);
  }

  /** Whether the bucket is on its way from this node to another one. */
  boolean leaves(ClusterMap map, int bucket) {
    Move move = map.buckets().moves().get(bucket);
    return move != null && move.to() != self && map.buckets().home(bucket) == self;
  }

  /**
   * Follows moves that begin or end here, after the node has begun to act on the map.
   *
   * @param epoch of this node
   * @param gone completes when these buckets are no longer served here
   * @param open completes when the bucket is served here
   * @param again follows the newest map once more
   */
  void follow(
      ClusterMap map,
      int epoch,
      Function<BucketSet, CompletableFuture<Void>> gone,
      IntFunction<CompletableFuture<Void>> open,
      Runnable again) {
    List<BucketMove> leaving = new ArrayList<>();
    List<BucketMove> coming = new ArrayList<>();
    map.buckets()
        .moves()
        .forEach(
            (bucket, move) -> {
              if (leaves(map, bucket)) {
                leaving.add(new BucketMove(bucket, move));
              } else if (move.to() == self && map.buckets().home(bucket) == self) {
                coming.add(new BucketMove(bucket, move));
              }
            });
    Set<BucketMove> newlyLeaving = given.follow(map.version(), epoch, leaving, again);
    if (!newlyLeaving.isEmpty()) {
      gone.apply(buckets(newlyLeaving)).thenRun(() -> given.ready(newlyLeaving));
    }
    for (BucketMove move : served.follow(map.version(), epoch, coming, again)) {
      open.apply(move.bucket()).thenRun(() -> served.ready(Set.of(move)));
    }
  }

  private static BucketSet buckets(Set<BucketMove> moves) {
    return BucketSet.of(moves.stream().map(BucketMove::bucket).collect(Collectors.toList()));
  }

  /** Reports of one sort, of which one is under way at a time. */
  private static final class Reports {
    private final int self;
    private final Maker maker;
    private final Function<MapCommand, CompletableFuture<MapResult>> proposals;

    /** Moves for which the present map waits, whose reports are awaited, under way or made. */
    private final Set<BucketMove> known = new HashSet<>();

    /** Those of them that can be reported. */
    private final Set<BucketMove> ready = new TreeSet<>();

    private long version;
    private int epoch;
    private Runnable again;
    private boolean isUnderWay;

    Reports(int self, Maker maker, Function<MapCommand, CompletableFuture<MapResult>> proposals) {
      this.self = self;
      this.maker = maker;
      this.proposals = proposals;
    }

    /** Returns those moves that were not known. */
    synchronized Set<BucketMove> follow(
        long newVersion, int newEpoch, List<BucketMove> moves, Runnable newAgain) {
      version = newVersion;
      epoch = newEpoch;
      again = newAgain;
      Set<BucketMove> wanted = new HashSet<>(moves);
      known.retainAll(wanted);
      ready.removeIf(move -> !wanted.contains(move));
      Set<BucketMove> added = new TreeSet<>();
      for (BucketMove move : moves) {
        if (known.add(move)) {
          added.add(move);
        }
      }
      return added;
    }

    void ready(Set<BucketMove> moves) {
      synchronized (this) {
        moves.stream().filter(known::contains).forEach(ready::add);
      }
      propose();
    }

    /**
     * The version in the command is one in which all these moves are under way: the newest that
     * this node follows.
     */
    private void propose() {
      Set<BucketMove> now;
      MapCommand command;
      synchronized (this) {
        if (isUnderWay || ready.isEmpty()) {
          return;
        }
        isUnderWay = true;
        now = new TreeSet<>(ready);
        ready.clear();
        command = maker.make(self, epoch, version, buckets(now));
      }
      proposals
          .apply(command)
          .whenComplete(
              (result, failure) -> {
                Set<BucketMove> left = left(now, result, failure);
                if (!left.isEmpty()) {
                  LOG.debug("{} is not taken: {}", command, result, failure);
                  Later.run(AGAIN_MILLIS, TimeUnit.MILLISECONDS, () -> sayAgain(left));
                }
                synchronized (this) {
                  isUnderWay = false;
                }
                propose();
              });
    }

    private void sayAgain(Set<BucketMove> moves) {
      Runnable follow;
      synchronized (this) {
        known.removeAll(moves);
        follow = again;
      }
      follow.run();
    }
  }

  /** Those of the moves that the map does not contain. */
  private static Set<BucketMove> left(Set<BucketMove> all, MapResult result, Throwable failure) {
    if (failure != null || result instanceof MapResult.Refused) {
      return all;
    }
    return result instanceof MapResult.AllBut some
        ? all.stream()
            .filter(move -> some.skipped().contains(move.bucket()))
            .collect(Collectors.toSet())
        : Set.of();
  }
}
