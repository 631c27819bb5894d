package io.gauss.storage.map.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.command.MapResult.RenewalAnswer;
import io.gauss.storage.map.message.MapAnswer;
import io.gauss.storage.map.message.MapRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * How requests find the leader of the cluster map when storage nodes hang or give wrong answers.
 */
@Timeout(180)
class ClusterMapClientTest {
  private static final MapCommand.Renewal RENEWAL = new MapCommand.Renewal(9, 4, 1);

  /** Longer than any test may take: a call of that length to a hanging node hangs the test. */
  private static final Duration USEFUL = Duration.ofSeconds(15);

  private final List<Integer> asked = Collections.synchronizedList(new ArrayList<>());

  private MapConnection node(int number, Supplier<CompletableFuture<MapAnswer>> answer) {
    return new MapConnection() {
      @Override
      public int node() {
        return number;
      }

      @Override
      public CompletableFuture<MapAnswer> request(MapRequest request, long timeoutNanos) {
        asked.add(number);
        return answer.get();
      }
    };
  }

  private static CompletableFuture<MapAnswer> granted() {
    return CompletableFuture.completedFuture(
        new MapAnswer.Result(new MapResult.Renewed(List.of(RenewalAnswer.GRANTED)), 0));
  }

  private static CompletableFuture<MapAnswer> leads(int other) {
    return CompletableFuture.completedFuture(new MapAnswer.NotLeader(other));
  }

  @Test
  void aRenewalIsGrantedInTimeThoughTheFirstNodeHangsAndAnotherBelievesInIt() throws Exception {
    List<MapConnection> nodes =
        List.of(
            node(1, CompletableFuture::new),
            node(2, () -> leads(1)),
            node(3, ClusterMapClientTest::granted));
    try (ClusterMapClient client = new ClusterMapClient(nodes)) {
      assertEquals(RenewalAnswer.GRANTED, client.renew(RENEWAL, USEFUL).get(60, TimeUnit.SECONDS));
    }
  }

  @Test
  void anErrorOfOneNodeIsNotTheAnswer() throws Exception {
    List<MapConnection> nodes =
        List.of(
            node(
                1,
                () ->
                    CompletableFuture.failedFuture(
                        new GaussException(SqlState.IO_ERROR, "its disk is gone"))),
            node(
                2,
                () ->
                    CompletableFuture.failedFuture(
                        new GaussException(SqlState.INTERNAL_ERROR, "it is confused"))),
            node(3, ClusterMapClientTest::granted));
    try (ClusterMapClient client = new ClusterMapClient(nodes)) {
      assertEquals(RenewalAnswer.GRANTED, client.renew(RENEWAL, USEFUL).get(60, TimeUnit.SECONDS));
    }
  }

  @Test
  void whoHasAnsweredIsAskedFirstTheNextTime() throws Exception {
    List<MapConnection> nodes =
        List.of(
            node(1, () -> leads(3)),
            node(2, () -> leads(3)),
            node(3, ClusterMapClientTest::granted));
    try (ClusterMapClient client = new ClusterMapClient(nodes)) {
      client.renew(RENEWAL, USEFUL).get(60, TimeUnit.SECONDS);
      client.renew(RENEWAL, USEFUL).get(60, TimeUnit.SECONDS);
      assertEquals(List.of(1, 3, 3), asked);
    }
  }
}
