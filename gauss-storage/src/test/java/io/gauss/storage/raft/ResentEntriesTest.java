package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto.NotificationProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftGroupIdProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real replicas whose connections are cut, and a disk that takes its time: what is acknowledged is
 * forced on a majority (rule 37).
 */
@Timeout(300)
class ResentEntriesTest {
  private static final GroupId STREAM = GroupId.stream(7);
  private static final int SLOW = 1;

  @TempDir Path directory;
  private RaftNodes nodes;
  private final List<CutProxy> proxies = new ArrayList<>();
  private volatile CountDownLatch gate = new CountDownLatch(0);

  /** Forces that have come to the gate and are not through it. */
  private final AtomicInteger atGate = new AtomicInteger();

  private volatile boolean broken;

  private volatile SlowDisk slowDisk;

  /** The state that its replica fetches from elsewhere. */
  private volatile LogPosition fetched;

  /** A machine whose log is forced as soon as the gate is open, unless its disk is broken. */
  private final class SlowDisk extends GroupMachine {
    SlowDisk() {
      super(
          new SumReplica() {
            @Override
            public LogPosition lastSnapshot() {
              return fetched;
            }

            @Override
            public CompletableFuture<LogPosition> fetch(OptionalInt leader, LogPosition first) {
              return CompletableFuture.completedFuture(fetched);
            }

            @Override
            public LogPosition takeUpFetched() {
              return fetched;
            }

            @Override
            public void logFailed(Throwable cause) {
              // the process would end, but not at once
            }
          });
    }

    @Override
    public CompletableFuture<Void> flush(long index) {
      atGate.incrementAndGet();
      try {
        gate.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return CompletableFuture.failedFuture(e);
      } finally {
        atGate.decrementAndGet();
      }
      return broken
          ? CompletableFuture.failedFuture(new IOException("the disk is broken"))
          : super.flush(index);
    }
  }

  @BeforeEach
  void start() {
    nodes =
        new RaftNodes(
            3,
            directory,
            node -> group -> node == SLOW ? (slowDisk = new SlowDisk()) : new SumMachine(),
            // A busy machine must not elect another leader, nor connections that are cut.
            settings ->
                settings.withElectionTimeout(Duration.ofMillis(3000), Duration.ofMillis(4000)));
    nodes.startAll();
    List<GroupMember> members = new ArrayList<>();
    for (GroupMember member : nodes.members()) {
      CutProxy proxy = new CutProxy(member.port());
      proxies.add(proxy);
      members.add(new GroupMember(member.node(), member.host(), proxy.port(), member.priority()));
    }
    for (int node = 0; node < 3; node++) {
      nodes.host(node).addGroup(STREAM, members);
    }
    RaftNodes.await("node 0 to lead", () -> nodes.host(0).leads(STREAM));
  }

  @AfterEach
  void stop() {
    gate.countDown();
    nodes.close();
    proxies.forEach(CutProxy::close);
  }

  private long logged(int node) {
    return nodes.host(node).status(STREAM).lastIndex();
  }

  private CompletableFuture<Submitted> add(long value) {
    return nodes.host(0).submit(STREAM, SumMachine.number(value));
  }

  private static long sum(CompletableFuture<Submitted> answer) {
    Submitted outcome = answer.orTimeout(60, TimeUnit.SECONDS).join();
    return SumMachine.number(assertInstanceOf(Submitted.Applied.class, outcome).answer());
  }

  /**
   * The leader sends an entry again which this member has in memory: after a refusal, or as the
   * next leader.
   */
  @Test
  void anEntryThatComesAgainIsNotAcknowledgedBeforeItIsForced() throws Exception {
    assertEquals(1, sum(add(1)));
    RaftNodes.await("node 1 to have all", () -> logged(SLOW) == logged(0));
    nodes.stop(2);
    gate = new CountDownLatch(1);
    CompletableFuture<Submitted> second = add(2);
    RaftNodes.await("the entry in node 1's memory", () -> logged(SLOW) == logged(0));
    RaftServer slow = nodes.host(SLOW).division(STREAM).getRaftServer();
    AppendEntriesRequestProto again = lastEntryAgain();
    assertEquals(
        AppendResult.SUCCESS,
        ofRatis(slow, again),
        "Ratis by itself acknowledges it; if it no longer does, it has been mended");
    ForcedAnswers answers = nodes.host(SLOW).answers();
    CompletableFuture<AppendEntriesReplyProto> answer = answers.append(slow, again);
    RaftNodes.await("the answer", () -> answer.isDone() || answers.waiting() > 0);
    assertFalse(answer.isDone());
    assertFalse(second.isDone(), "acknowledged while one of three replicas has forced it");
    gate.countDown();
    assertEquals(AppendResult.SUCCESS, answer.orTimeout(60, TimeUnit.SECONDS).join().getResult());
    assertTrue(nodes.host(SLOW).status(STREAM).flushedIndex() >= answer.join().getMatchIndex());
    assertEquals(3, sum(second));
  }

  /** What Ratis answers by itself; it refuses requests of a leader that come at the same time. */
  private static AppendResult ofRatis(RaftServer server, AppendEntriesRequestProto request)
      throws IOException {
    while (true) {
      try {
        return Replaced.answer(server.appendEntriesAsync(request));
      } catch (CompletionException e) {
        if (!String.valueOf(e.getMessage()).contains("Already running")) {
          throw e;
        }
      }
    }
  }

  private AppendEntriesRequestProto lastEntryAgain() throws Exception {
    RaftLog log = nodes.host(0).division(STREAM).getRaftLog();
    long last = log.getNextIndex() - 1;
    return request(
        0, nodes.host(0).status(STREAM).term(), log.getTermIndex(last - 1), log.get(last));
  }

  private AppendEntriesRequestProto request(
      int leader, long term, TermIndex previous, LogEntryProto entry) {
    return AppendEntriesRequestProto.newBuilder()
        .setServerRequest(
            RaftRpcRequestProto.newBuilder()
                .setRequestorId(GroupMember.peerId(leader).toByteString())
                .setReplyId(GroupMember.peerId(SLOW).toByteString())
                .setRaftGroupId(RaftGroupIdProto.newBuilder().setId(STREAM.ratis().toByteString())))
        .setLeaderTerm(term)
        .setPreviousLog(previous.toProto())
        .addEntries(entry)
        .build();
  }

  /**
   * Node 1 after the first leader is gone: the next one sends it two entries, the first of which it
   * forces; then a third leader sends another entry in the place of the first.
   */
  private final class Replaced {
    final RaftServer slow;
    final ForcedAnswers answers = nodes.host(SLOW).answers();
    final AppendEntriesRequestProto first;
    final AppendEntriesRequestProto second;
    final AppendEntriesRequestProto third;
    final AppendEntriesRequestProto other;
    final AppendEntriesRequestProto otherSecond;

    Replaced() throws Exception {
      assertEquals(1, sum(add(1)));
      RaftNodes.await("node 1 to have all", () -> logged(SLOW) == logged(0));
      nodes.stop(0);
      nodes.stop(2);
      slow = nodes.host(SLOW).division(STREAM).getRaftServer();
      RaftLog log = nodes.host(SLOW).division(STREAM).getRaftLog();
      TermIndex last = log.getLastEntryTermIndex();
      long term = nodes.host(SLOW).status(STREAM).term() + 10;
      first = request(2, term, last, entry(log, term, last.getIndex() + 1));
      second =
          request(
              2,
              term,
              TermIndex.valueOf(term, last.getIndex() + 1),
              entry(log, term, last.getIndex() + 2));
      third =
          request(
              2,
              term,
              TermIndex.valueOf(term, last.getIndex() + 2),
              entry(log, term, last.getIndex() + 3));
      other = request(0, term + 10, last, entry(log, term + 10, last.getIndex() + 1));
      otherSecond =
          request(
              0,
              term + 10,
              TermIndex.valueOf(term, last.getIndex() + 1),
              entry(log, term + 10, last.getIndex() + 2));
      assertEquals(AppendResult.SUCCESS, answer(answers.append(slow, first)));
      gate = new CountDownLatch(1);
    }

    private static LogEntryProto entry(RaftLog log, long term, long index) throws Exception {
      long at = index - 1;
      while (log.get(at) == null || !log.get(at).hasStateMachineLogEntry()) {
        at--;
      }
      return log.get(at).toBuilder().setTerm(term).setIndex(index).build();
    }

    /**
     * Appends while the gate is closed. What is appended after that is queued for the disk: Ratis
     * forces nothing while there is more to write, and would take back entries that nobody holds
     * up.
     */
    CompletableFuture<AppendEntriesReplyProto> heldUp(
        ForcedAnswers by, AppendEntriesRequestProto request) throws IOException {
      CompletableFuture<AppendEntriesReplyProto> answer = by.append(slow, request);
      RaftNodes.await("the force to come to the gate", () -> atGate.get() > 0);
      return answer;
    }

    static AppendResult answer(CompletableFuture<AppendEntriesReplyProto> of) {
      return of.orTimeout(60, TimeUnit.SECONDS).join().getResult();
    }
  }

  /** The index through which the log is forced falls only when the disk has taken entries back. */
  @Test
  void whatReplacedAForcedEntryIsNotAcknowledgedByItsForce() throws Exception {
    Replaced log = new Replaced();
    log.heldUp(log.answers, log.second);
    CompletableFuture<AppendEntriesReplyProto> replacing = log.answers.append(log.slow, log.other);
    assertTrue(
        nodes.host(SLOW).status(STREAM).flushedIndex() >= log.other.getEntries(0).getIndex(),
        "Ratis by itself counts the new entry as forced; if it no longer does, it has been mended");
    CompletableFuture<AppendEntriesReplyProto> again = log.answers.append(log.slow, log.other);
    for (int i = 0; i < 20; i++) {
      assertEquals(AppendResult.SUCCESS, ofRatis(log.slow, log.other));
    }
    assertFalse(again.isDone());
    assertFalse(replacing.isDone());
    gate.countDown();
    assertEquals(AppendResult.SUCCESS, Replaced.answer(replacing));
    assertEquals(AppendResult.SUCCESS, Replaced.answer(again));
  }

  /**
   * The thread that applies takes up what was fetched some time after the log has begun anew, and
   * entries may have been replaced by then.
   */
  @Test
  void whatIsTakenUpLateForcesNothing() throws Exception {
    Replaced log = new Replaced();
    slowDisk.pause();
    log.heldUp(log.answers, log.second);
    log.answers.append(log.slow, log.other);
    slowDisk.reinitialize();
    CompletableFuture<AppendEntriesReplyProto> again = log.answers.append(log.slow, log.other);
    for (int i = 0; i < 20; i++) {
      assertEquals(AppendResult.SUCCESS, ofRatis(log.slow, log.other));
    }
    assertFalse(again.isDone());
    gate.countDown();
    assertEquals(AppendResult.SUCCESS, Replaced.answer(again));
  }

  /**
   * A log that begins anew drops what is queued for the disk, and answers must not wait for that
   * for ever.
   */
  @Test
  void whatWasDroppedIsNotWaitedFor() throws Exception {
    Replaced log = new Replaced();
    log.heldUp(log.answers, log.second);
    CompletableFuture<AppendEntriesReplyProto> dropped = log.answers.append(log.slow, log.other);
    TermIndex state = TermIndex.valueOf(log.other.getLeaderTerm(), 1_000);
    fetched = RatisLog.position(state);
    InstallSnapshotRequestProto lacks =
        InstallSnapshotRequestProto.newBuilder()
            .setServerRequest(log.other.getServerRequest())
            .setLeaderTerm(log.other.getLeaderTerm())
            .setNotification(
                NotificationProto.newBuilder().setFirstAvailableTermIndex(state.toProto()))
            .build();
    log.answers.install(log.slow, lacks);
    log.answers.install(log.slow, lacks);
    gate.countDown();
    AppendEntriesRequestProto behind =
        request(
            0,
            log.other.getLeaderTerm(),
            state,
            log.other.getEntries(0).toBuilder().setIndex(state.getIndex() + 1).build());
    assertEquals(AppendResult.SUCCESS, Replaced.answer(log.answers.append(log.slow, behind)));
    assertFalse(dropped.isDone());
  }

  /**
   * A failure here would leave a member that counts as the leader, sends nothing and stands for no
   * election, even when its disk has gone on.
   */
  @Test
  void aNewLeaderWaitsForItsDiskHoweverLongItTakes() throws Exception {
    Replaced log = new Replaced();
    try (ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor()) {
      ForcedAnswers hasty = new ForcedAnswers(timer, Duration.ofMillis(5), group -> null);
      log.heldUp(hasty, log.second);
      hasty.append(log.slow, log.other);
      FutureTask<Void> leading =
          new FutureTask<>(
              () -> {
                hasty.beforeLeading(nodes.host(SLOW).division(STREAM));
                return null;
              });
      Thread.ofPlatform().start(leading);
      assertThrows(TimeoutException.class, () -> leading.get(100, TimeUnit.MILLISECONDS));
      gate.countDown();
      leading.get(60, TimeUnit.SECONDS);
    }
  }

  /** After a failed write requests that lie below it count as written. */
  @Test
  void aMemberWhoseLogHasFailedAcknowledgesNothing() throws Exception {
    Replaced log = new Replaced();
    broken = true;
    CompletableFuture<AppendEntriesReplyProto> failing = log.heldUp(log.answers, log.second);
    CompletableFuture<AppendEntriesReplyProto> queued = log.answers.append(log.slow, log.other);
    gate.countDown();
    assertThrows(CompletionException.class, () -> Replaced.answer(failing));
    assertThrows(CompletionException.class, () -> Replaced.answer(queued));
    assertEquals(
        AppendResult.SUCCESS,
        ofRatis(log.slow, log.other),
        "Ratis by itself acknowledges it; if it no longer does, it has been mended");
    assertThrows(IOException.class, () -> log.answers.append(log.slow, log.other));
  }

  /** It counts as written, too, and what was there before it had been forced. */
  @Test
  void whatIsQueuedBelowAFailedWriteIsNotAcknowledged() throws Exception {
    Replaced log = new Replaced();
    gate.countDown();
    assertEquals(AppendResult.SUCCESS, Replaced.answer(log.answers.append(log.slow, log.second)));
    gate = new CountDownLatch(1);
    broken = true;
    CompletableFuture<AppendEntriesReplyProto> failing = log.heldUp(log.answers, log.third);
    CompletableFuture<AppendEntriesReplyProto> queued =
        log.answers.append(log.slow, log.otherSecond);
    gate.countDown();
    assertThrows(CompletionException.class, () -> Replaced.answer(failing));
    assertThrows(CompletionException.class, () -> Replaced.answer(queued));
  }

  @Test
  void entriesAreNotTakenForKnownByTheirFirstIndex() {
    assertFalse(
        RaftServerConfigKeys.Log.appendEntriesComposeEnabled(
            RatisProperties.of(nodes.settings(0))));
  }

  /** Entries would count as forced that are being forced, or of which the force failed. */
  @Test
  void entriesAreNotForcedAsideOrAfterwards() {
    RaftProperties inForce = nodes.host(0).division(STREAM).getRaftServer().getProperties();
    assertFalse(RaftServerConfigKeys.Log.asyncFlushEnabled(inForce));
    assertFalse(RaftServerConfigKeys.Log.unsafeFlushEnabled(inForce));
  }

  /** Every commit that is acknowledged stays, however often the connections break. */
  @Test
  void nothingIsLostOverConnectionsThatBreakAllTheTime() {
    nothingIsLostWhen(proxy -> proxy.cut());
  }

  /** A connection that has lost bytes in the middle is of no use: it is given up. */
  @Test
  void nothingIsLostOverConnectionsThatLoseBytes() {
    nothingIsLostWhen(proxy -> proxy.swallow(100));
  }

  private void nothingIsLostWhen(Consumer<CutProxy> happens) {
    long sum = 0;
    for (int i = 1; i <= 60; i++) {
      CompletableFuture<Submitted> answer = add(i);
      if (i % 3 == 0) {
        happens.accept(proxies.get(i / 3 % 2 + 1));
      }
      sum += i;
      assertEquals(sum, sum(answer));
    }
    long all = sum;
    for (int node = 0; node < 3; node++) {
      int member = node;
      RaftNodes.await(
          "node " + node,
          () ->
              nodes.host(member).status(STREAM).appliedIndex()
                  == nodes.host(0).status(STREAM).appliedIndex());
    }
    assertEquals(all, sum(add(0)));
  }
}
