package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftGroupIdProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.RaftLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An answer promises no more than what is forced. */
class ForcedAnswersTest {
  private static final RaftRpcRequestProto GROUP =
      RaftRpcRequestProto.newBuilder()
          .setRaftGroupId(
              RaftGroupIdProto.newBuilder().setId(GroupId.stream(7).ratis().toByteString()))
          .build();

  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final ForcedAnswers answers =
      new ForcedAnswers(timer, Duration.ofMinutes(1), group -> null);
  private final AtomicLong flushed = new AtomicLong();

  @AfterEach
  void stop() {
    timer.shutdownNow();
  }

  private static AppendEntriesReplyProto reply(AppendResult result, long match) {
    return AppendEntriesReplyProto.newBuilder().setResult(result).setMatchIndex(match).build();
  }

  @Test
  void whatIsForcedIsAcknowledgedAtOnce() {
    flushed.set(9);
    AppendEntriesReplyProto reply = reply(AppendResult.SUCCESS, 9);
    assertSame(reply, answers.onceForced(flushed::get, reply).getNow(null));
  }

  @Test
  void whatIsInMemoryWaitsForItsForce() {
    flushed.set(8);
    AppendEntriesReplyProto reply = reply(AppendResult.SUCCESS, 9);
    CompletableFuture<AppendEntriesReplyProto> answer = answers.onceForced(flushed::get, reply);
    assertFalse(answer.isDone());
    assertEquals(1, answers.waiting());
    flushed.set(9);
    assertSame(reply, answer.orTimeout(60, TimeUnit.SECONDS).join());
    assertEquals(0, answers.waiting());
  }

  @Test
  void aRefusalWaitsForNothing() {
    AppendEntriesReplyProto reply = reply(AppendResult.INCONSISTENCY, 9);
    assertTrue(answers.onceForced(flushed::get, reply).isDone());
  }

  @Test
  void aDiskThatDoesNotComeBackIsAnError() {
    ForcedAnswers hasty = new ForcedAnswers(timer, Duration.ofMillis(5), group -> null);
    CompletableFuture<AppendEntriesReplyProto> answer =
        hasty.onceForced(flushed::get, reply(AppendResult.SUCCESS, 9));
    CompletionException failed = assertThrows(CompletionException.class, answer::join);
    assertInstanceOf(TimeoutException.class, failed.getCause());
  }

  /**
   * Between the check of a leader's request and its entries in the log a vote for a candidate that
   * lacks them would make both leaders' entries count.
   */
  @Test
  void aVoteWaitsForTheRequestBeforeIt() throws Exception {
    RequestVoteRequestProto vote =
        RequestVoteRequestProto.newBuilder().setServerRequest(GROUP).build();
    assertTurns("requestVote", port -> port.requestVote(vote));
  }

  /** The same when this member would make the entries of its own term by itself. */
  @Test
  void anElectionWaitsForTheRequestBeforeIt() throws Exception {
    StartLeaderElectionRequestProto order =
        StartLeaderElectionRequestProto.newBuilder().setServerRequest(GROUP).build();
    assertTurns("startLeaderElection", port -> port.startLeaderElection(order));
  }

  /** The log begins anew behind the entries that a request may still append to the old one. */
  @Test
  void aLogThatBeginsAnewWaitsForTheRequestBeforeIt() throws Exception {
    InstallSnapshotRequestProto behind =
        InstallSnapshotRequestProto.newBuilder().setServerRequest(GROUP).build();
    assertTurns("installSnapshot", port -> port.installSnapshot(behind));
  }

  private void assertTurns(String name, Call second) throws Exception {
    AppendEntriesRequestProto heartbeat =
        AppendEntriesRequestProto.newBuilder().setServerRequest(GROUP).build();
    AppendEntriesRequestProto entries =
        heartbeat.toBuilder().addEntries(LogEntryProto.newBuilder().setIndex(9)).build();
    List<String> inTurn = List.of("appendEntriesAsync", "in the log", name);
    for (AppendEntriesRequestProto request : List.of(heartbeat, entries)) {
      assertEquals(inTurn, order(port -> port.appendEntriesAsync(request), second));
      assertEquals(inTurn, order(port -> port.appendEntries(request), second));
    }
  }

  private interface Call {
    Object to(MemberServer port) throws Exception;
  }

  /** What a server did when the second call came while the first was between check and log. */
  private List<String> order(Call first, Call second) throws Exception {
    List<String> order = new CopyOnWriteArrayList<>();
    CountDownLatch checked = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    RaftServer server =
        of(
            RaftServer.class,
            (self, method, arguments) -> {
              if (method.getName().equals("getDivision")) {
                return of(RaftServer.Division.class, (division, any, none) -> emptyLog());
              }
              order.add(method.getName());
              if (method.getName().equals("appendEntriesAsync")) {
                checked.countDown();
                gate.await();
                order.add("in the log");
                return CompletableFuture.completedFuture(reply(AppendResult.INCONSISTENCY, 9));
              }
              return method.getReturnType().getMethod("getDefaultInstance").invoke(null);
            });
    MemberServer port = new MemberServer(server, answers, new RaftCounts());
    Thread leader = Thread.ofPlatform().start(() -> unchecked(() -> first.to(port)));
    checked.await();
    Thread other = Thread.ofPlatform().start(() -> unchecked(() -> second.to(port)));
    while (other.getState() != Thread.State.BLOCKED && other.isAlive()) {
      Thread.onSpinWait();
    }
    gate.countDown();
    leader.join();
    other.join();
    return order;
  }

  private static RaftLog emptyLog() {
    return of(RaftLog.class, (self, method, arguments) -> 0L);
  }

  private static <T> T of(Class<T> type, InvocationHandler behaviour) {
    return type.cast(
        Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, behaviour));
  }

  private static void unchecked(Callable<?> call) {
    try {
      call.call();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
