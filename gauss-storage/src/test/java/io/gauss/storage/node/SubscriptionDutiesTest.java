package io.gauss.storage.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.gauss.storage.api.LogStream.AppendResult;
import io.gauss.storage.api.TestMtrs;
import io.gauss.storage.raft.RaftNodes;
import io.gauss.storage.raft.stream.ReplicatedLogStream;
import io.gauss.storage.raft.stream.StreamCluster;
import io.gauss.storage.raft.stream.StreamRequest;
import io.gauss.storage.raft.stream.StreamService;
import io.gauss.storage.raft.stream.Subscriptions.Subscription;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What the leader of a stream does about those who need its log. */
@Timeout(300)
class SubscriptionDutiesTest {
  private static final int STREAM = 1;
  private static final Duration LONG = Duration.ofHours(1);

  @TempDir Path directory;
  private final Map<Integer, Long> awaited = new HashMap<>();
  private final Map<Integer, Long> over = new HashMap<>();
  private StreamCluster cluster;
  private StreamService service;
  private long end;

  private final Tenures tenures =
      new Tenures() {
        @Override
        public Map<Integer, Long> holders() {
          return awaited;
        }

        @Override
        public long over(int node) {
          return over.getOrDefault(node, -1L);
        }
      };

  @BeforeEach
  void start() throws Exception {
    cluster = new StreamCluster(1, directory);
    cluster.startAll();
    cluster.addStream(STREAM);
    cluster.awaitLeader(STREAM);
    service = cluster.service(0);
    try (ReplicatedLogStream stream = cluster.open(STREAM)) {
      for (int i = 1; i <= 20; i++) {
        long lsn = 256L * i;
        ByteBuffer bytes = TestMtrs.single(lsn, 50, lsn);
        end += bytes.remaining();
        CompletableFuture<AppendResult> result = new CompletableFuture<>();
        stream.append(1, stream.endOffset(), lsn, lsn, bytes, result::complete);
        assertInstanceOf(AppendResult.Appended.class, result.get(60, TimeUnit.SECONDS));
      }
    }
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private SubscriptionDuties duties(Duration patience) {
    return new SubscriptionDuties(service, cluster.nodes().host(0), tenures, patience);
  }

  private ReplicaSource source(SubscriptionDuties duties) {
    return new ReplicaSource(STREAM, service, 0, () -> Integer.MAX_VALUE, duties::mayTrim);
  }

  private Subscription subscription(int node) {
    return service.subscriptions(STREAM).of(node);
  }

  private long trimmed() {
    return service.local(STREAM).start();
  }

  @Test
  void aNewStreamIsNotTrimmedBeforeItHasThoseWhomItAwaits() {
    awaited.put(4, 90L);
    awaited.put(5, 7L);
    awaited.put(6, 8L);
    over.put(6, 8L);
    ReplicaSource source = source(duties(LONG));
    source.trim(end);
    RaftNodes.await("both", () -> subscription(4) != null && subscription(5) != null);
    assertEquals(new Subscription(4, 90, 0), subscription(4));
    assertEquals(new Subscription(5, 7, 0), subscription(5));
    assertNull(subscription(6), "its tenure is over");
    source.trim(end);
    service.handle(new StreamRequest.Raise(STREAM, 4, 90, end)).join();
    source.trim(end);
    assertEquals(0, trimmed());
    service.handle(new StreamRequest.Raise(STREAM, 5, 7, end / 2)).join();
    source.trim(end);
    RaftNodes.await("the trim", () -> trimmed() == end / 2);
    over.put(5, 7L);
    duties(LONG).look();
    RaftNodes.await("the end", () -> subscription(5) == null);
    source.trim(end);
    RaftNodes.await("the trim", () -> trimmed() == end);
    assertNull(subscription(5), "awaited at its beginning only");
  }

  @Test
  void whatIsOverIsToldAgainAndEndsNoLaterTenure() {
    SubscriptionDuties duties = duties(LONG);
    over.put(4, 90L);
    for (int i = 0; i < 2; i++) {
      service.handle(new StreamRequest.Subscribe(STREAM, 4, 90, 0)).join();
      duties.look();
      RaftNodes.await("the end", () -> subscription(4) == null);
    }
    service.handle(new StreamRequest.Subscribe(STREAM, 4, 91, 0)).join();
    service.handle(new StreamRequest.Subscribe(STREAM, 5, 1, 0)).join();
    duties.look();
    service.handle(new StreamRequest.Ask(STREAM)).join();
    assertEquals(new Subscription(4, 91, 0), subscription(4));
    assertEquals(new Subscription(5, 1, 0), subscription(5));
  }

  @Test
  void aLogThatIsKeptForLongIsWarnedOfOnce() {
    Logger logger = (Logger) LoggerFactory.getLogger(SubscriptionDuties.class);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.addAppender(lines);
    try {
      service.handle(new StreamRequest.Subscribe(STREAM, 4, 90, 0)).join();
      duties(LONG).look();
      assertEquals(List.of(), lines.list);
      SubscriptionDuties impatient = duties(Duration.ZERO);
      impatient.look();
      impatient.look();
      assertEquals(1, lines.list.size());
      assertTrue(
          lines.list.getFirst().getFormattedMessage().contains("storage node 4"),
          lines.list.getFirst()::getFormattedMessage);
      service.handle(new StreamRequest.Raise(STREAM, 4, 90, end)).join();
      impatient.look();
      assertEquals(1, lines.list.size());
      assertFalse(service.subscriptions(STREAM).all().isEmpty());
    } finally {
      logger.detachAppender(lines);
    }
  }
}
