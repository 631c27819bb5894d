package io.gauss.memory.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.storage.map.api.BucketMap;
import io.gauss.storage.map.api.BucketMap.Move;
import io.gauss.storage.map.api.BucketSet;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.command.MapResult.Refusal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** How a memory node tells the map of moves that begin or end at it. */
class BucketMovesTest {
  private static final int SELF = 1;
  private static final int OTHER = 2;
  private static final int EPOCH = 7;

  private final List<MapCommand> proposed = new ArrayList<>();
  private final Queue<CompletableFuture<MapResult>> answers = new ArrayDeque<>();
  private final BucketMoves moves = new BucketMoves(SELF, this::propose);
  private final Map<Integer, CompletableFuture<Void>> open = new HashMap<>();
  private final List<BucketSet> gone = new ArrayList<>();
  private final CompletableFuture<Void> loops = new CompletableFuture<>();
  private final CountDownLatch again = new CountDownLatch(1);

  private CompletableFuture<MapResult> propose(MapCommand command) {
    proposed.add(command);
    CompletableFuture<MapResult> answer = new CompletableFuture<>();
    answers.add(answer);
    return answer;
  }

  /** Follows a map in which these buckets, whose home is given, move. */
  private void follow(long version, int home, Map<Integer, Move> moving) {
    int[] homes = new int[BucketMap.BUCKETS];
    moving.keySet().forEach(bucket -> homes[bucket] = home);
    ClusterMap none = ClusterMap.EMPTY;
    ClusterMap map =
        new ClusterMap(
            version,
            none.cluster(),
            none.formatVersion(),
            none.settings(),
            none.nextNode(),
            none.nextEpoch(),
            none.clockFloor(),
            none.nodes(),
            none.streamGroups(),
            none.streams(),
            none.joins(),
            none.deaths(),
            new BucketMap(homes, new TreeMap<>(moving), new TreeMap<>()),
            none.suspensions(),
            none.slices());
    moves.follow(
        map,
        EPOCH,
        buckets -> {
          gone.add(buckets);
          return loops;
        },
        bucket -> open.computeIfAbsent(bucket, b -> new CompletableFuture<>()),
        again::countDown);
  }

  private static MapCommand give(long known, int... buckets) {
    return new MapCommand.GiveBuckets(SELF, EPOCH, known, BucketSet.of(buckets));
  }

  private static MapCommand finish(long known, int... buckets) {
    return new MapCommand.FinishBucketMoves(SELF, EPOCH, known, BucketSet.of(buckets));
  }

  private static Map<Integer, Move> move(int to, long since, int... buckets) {
    Map<Integer, Move> moving = new TreeMap<>();
    for (int bucket : buckets) {
      moving.put(bucket, new Move(to, since));
    }
    return moving;
  }

  private void serves(int... buckets) {
    for (int bucket : buckets) {
      open.get(bucket).complete(null);
    }
  }

  @Test
  void whatLeavesTogetherIsGivenUpInOneCommandOnceNoLoopServesItAnyMore() {
    follow(10, SELF, move(OTHER, 10, 3, 4, 5));
    follow(11, SELF, move(OTHER, 10, 3, 4, 5));
    assertEquals(List.of(BucketSet.of(3, 4, 5)), gone, "once");
    assertEquals(List.of(), proposed);
    loops.complete(null);
    assertEquals(List.of(give(11, 3, 4, 5)), proposed);
  }

  @Test
  void whatIsServedWhileAReportIsUnderWayGoesWithTheNextOne() {
    follow(10, SELF, move(SELF, 8, 3, 4, 5, 6));
    serves(5);
    serves(3, 6);
    assertEquals(List.of(finish(10, 5)), proposed);
    answers.remove().complete(MapResult.done());
    assertEquals(List.of(finish(10, 5), finish(10, 3, 6)), proposed);
    answers.remove().complete(MapResult.done());
    serves(4);
    assertEquals(finish(10, 4), proposed.getLast());
  }

  @Test
  void aBucketThatIsSkippedIsReportedAgainAndTheOthersAreNot() throws Exception {
    Map<Integer, Move> moving = move(SELF, 8, 3, 4);
    follow(10, SELF, moving);
    serves(3);
    serves(4);
    answers.remove().complete(new MapResult.Refused(Refusal.NOT_YET, "a test"));
    assertEquals(List.of(finish(10, 3), finish(10, 4)), proposed);
    answers.remove().complete(MapResult.done());
    again.await();
    follow(11, SELF, moving);
    assertEquals(finish(11, 3), proposed.getLast());
    assertEquals(3, proposed.size());
  }

  @Test
  void partsOfABatchThatAreSkippedAreReportedAgain() throws Exception {
    Map<Integer, Move> moving = move(OTHER, 10, 3, 4, 5);
    loops.complete(null);
    follow(10, SELF, moving);
    answers.remove().complete(new MapResult.AllBut(BucketSet.of(4), Refusal.NOT_YET, "a test"));
    again.await();
    follow(11, SELF, moving);
    assertEquals(List.of(give(10, 3, 4, 5), give(11, 4)), proposed);
  }

  /** The bucket was served here in between, so that it is to be given up once more. */
  @Test
  void aLaterMoveOfTheSameBucketIsReportedByItself() {
    follow(10, SELF, move(OTHER, 10, 3));
    follow(12, SELF, move(OTHER, 12, 3));
    assertEquals(List.of(BucketSet.of(3), BucketSet.of(3)), gone);
    loops.complete(null);
    assertEquals(List.of(give(12, 3)), proposed);
  }

  @Test
  void whatDoesNotMoveAnyMoreIsNotReported() {
    follow(10, SELF, move(SELF, 8, 3, 4));
    follow(11, SELF, move(SELF, 8, 4));
    serves(3, 4);
    assertEquals(List.of(finish(11, 4)), proposed);
  }
}
