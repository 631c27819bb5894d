package io.gauss.storage.raft.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.transport.Peer;
import io.gauss.common.transport.RemoteNode;
import io.gauss.common.transport.Transport;
import io.gauss.storage.raft.GroupNodes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.DivisionProperties;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.util.TimeDuration;
import org.apache.ratis.util.Timestamp;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an appender sends to a follower whose answers a test gives. */
@Timeout(120)
class PeerAppenderSendsTest {
  private static final RaftPeerId FOLLOWER = RaftPeerId.valueOf("s2");
  private static final long TERM = 3;

  /** An appender with nothing to do looks around this often. */
  private static final long IDLE_NANOS = 5_000_000_000L;

  private record Call(AppendEntriesRequestProto request, CompletableFuture<ByteBuf> reply) {}

  private final Queue<Call> calls = new ConcurrentLinkedQueue<>();
  private final Queue<CompletableFuture<RemoteNode>> connecting = new ConcurrentLinkedQueue<>();
  private volatile boolean isConnected = true;

  // The leader's log, and what it knows of the follower.
  private volatile long next = 5;
  private volatile long committed = 3;
  private final AtomicLong followerNext = new AtomicLong(4);
  private final AtomicLong followerMatch = new AtomicLong(3);

  private final PeerAppender appender = appender();

  private static <T> T of(Class<T> type, InvocationHandler behaviour) {
    return type.cast(
        Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, behaviour));
  }

  private static UnsupportedOperationException unknown(Method method) {
    return new UnsupportedOperationException(method.getName());
  }

  private static LogEntryProto entry(long index) {
    return LogEntryProto.newBuilder().setTerm(TERM).setIndex(index).build();
  }

  private RaftLog log() {
    return of(
        RaftLog.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "isOpened" -> true;
              case "getStartIndex" -> 0L;
              case "getNextIndex" -> next;
              case "getLastCommittedIndex" -> committed;
              case "get" -> entry((long) arguments[0]);
              case "getTermIndex" -> TermIndex.valueOf(TERM, (long) arguments[0]);
              case "getEntryWithData" -> withData(entry((long) arguments[0]));
              default -> throw unknown(method);
            });
  }

  private static RaftLog.EntryWithData withData(LogEntryProto entry) {
    return of(
        RaftLog.EntryWithData.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "getSerializedSize" -> entry.getSerializedSize();
              case "getEntry" -> entry;
              default -> throw unknown(method);
            });
  }

  private LeaderState leader() {
    return of(
        LeaderState.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "newAppendEntriesRequestProto" ->
                  request((List<?>) arguments[1], (TermIndex) arguments[2], (long) arguments[3]);
              case "isFollowerBootstrapping" -> false;
              default -> null;
            });
  }

  private AppendEntriesRequestProto request(List<?> entries, TermIndex previous, long call) {
    AppendEntriesRequestProto.Builder request =
        AppendEntriesRequestProto.newBuilder()
            .setServerRequest(RaftExamples.ENTRY.getServerRequest().toBuilder().setCallId(call))
            .setLeaderTerm(TERM)
            .setPreviousLog(previous.toProto())
            .setLeaderCommit(Math.min(committed, previous.getIndex() + entries.size()));
    entries.forEach(entry -> request.addEntries((LogEntryProto) entry));
    return request.build();
  }

  private FollowerInfo follower() {
    return of(
        FollowerInfo.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "getId" -> FOLLOWER;
              case "getName" -> "s1->s2";
              case "getNextIndex" -> followerNext.get();
              case "getMatchIndex" -> followerMatch.get();
              case "getSnapshotIndex" -> -1L;
              case "getLastRpcSendTime" -> Timestamp.currentTime().addTimeMs(-10_000);
              case "increaseNextIndex", "updateNextIndex" -> {
                followerNext.accumulateAndGet((long) arguments[0], Math::max);
                yield null;
              }
              case "updateMatchIndex" ->
                  followerMatch.getAndAccumulate((long) arguments[0], Math::max)
                      < (long) arguments[0];
              case "updateLastRpcSendTime",
                  "updateLastRpcResponseTime",
                  "updateLastRespondedAppendEntriesSendTime" ->
                  null;
              default -> throw unknown(method);
            });
  }

  private RaftServer.Division member() {
    RaftLog log = log();
    DivisionInfo info = of(DivisionInfo.class, (self, method, arguments) -> true);
    DivisionProperties properties =
        of(
            DivisionProperties.class,
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "minRpcTimeout" -> TimeDuration.valueOf(500, TimeUnit.MILLISECONDS);
                  case "minRpcTimeoutMs" -> 500;
                  default -> throw unknown(method);
                });
    RaftServer server = of(RaftServer.class, (self, method, arguments) -> new RaftProperties());
    return of(
        RaftServer.Division.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "getRaftServer" -> server;
              case "getRaftLog" -> log;
              case "getInfo" -> info;
              case "properties" -> properties;
              case "getThreadGroup" -> Thread.currentThread().getThreadGroup();
              default -> throw unknown(method);
            });
  }

  private Peer peer() {
    return of(
        Peer.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "isConnected" -> isConnected;
              case "connected" -> {
                CompletableFuture<RemoteNode> connected = new CompletableFuture<>();
                connecting.add(connected);
                yield connected;
              }
              case "call" -> {
                CompletableFuture<ByteBuf> reply = new CompletableFuture<>();
                ByteBuf payload = (ByteBuf) arguments[1];
                calls.add(
                    new Call(
                        RaftMessageLayout.read(payload, AppendEntriesRequestProto.parser()),
                        reply));
                payload.release();
                yield reply;
              }
              default -> throw unknown(method);
            });
  }

  private PeerAppender appender() {
    ByteBufAllocator allocator = UnpooledByteBufAllocator.DEFAULT;
    Peer peer = peer();
    RaftLinks links =
        new RaftLinks(of(Transport.class, (self, method, arguments) -> peer), node -> 2);
    links.know(List.of(RaftPeer.newBuilder().setId(FOLLOWER).setAddress("host:1").build()));
    ScheduledExecutorService never =
        of(ScheduledExecutorService.class, (self, method, arguments) -> null);
    return new PeerAppender(
        member(),
        leader(),
        follower(),
        new PeerAppender.Wires(
            links,
            allocator,
            new Heartbeats(links, allocator, 1),
            new CommitNews(links, allocator, never),
            new AtomicLong(),
            1_000_000_000));
  }

  @AfterEach
  void stop() {
    appender.stopAsync().orTimeout(60, TimeUnit.SECONDS).join();
  }

  /** The next request; waits for it. */
  private Call call() {
    GroupNodes.await("a request", () -> !calls.isEmpty());
    return calls.remove();
  }

  /** What there is as soon as the answer to a request has been taken. */
  private static AppendEntriesRequestProto once(Supplier<AppendEntriesRequestProto> message) {
    AtomicReference<AppendEntriesRequestProto> found = new AtomicReference<>();
    GroupNodes.await(
        "a message",
        () -> {
          found.set(message.get());
          return found.get() != null;
        });
    return found.get();
  }

  private static void answer(Call call, long match, long followerCommit) {
    AppendEntriesReplyProto reply =
        AppendEntriesReplyProto.newBuilder()
            .setServerReply(RaftExamples.HEARD.getServerReply())
            .setTerm(TERM)
            .setResult(AppendResult.SUCCESS)
            .setNextIndex(match + 1)
            .setMatchIndex(match)
            .setFollowerCommit(followerCommit)
            .build();
    call.reply().complete(RaftMessageLayout.write(UnpooledByteBufAllocator.DEFAULT, reply));
  }

  /**
   * A follower does not count as committed what is not on its disk yet, whatever a heartbeat says.
   * It would learn of the commit half an election time-out later.
   */
  @Test
  void aHeartbeatDoesNotTellOfTheCommitOfAnEntryThatIsUnderWay() {
    appender.start();
    answer(call(), 4, 3);
    next = 6;
    appender.notifyLogAppender();
    Call underWay = call();
    committed = 5; // by the other follower
    assertEquals(5, once(appender::heartbeatIfDue).getLeaderCommit());
    answer(underWay, 5, 3);
    assertEquals(5, once(appender::commitUntold).getLeaderCommit());
    assertNull(appender.commitUntold(), "it is told twice");
  }

  /** For example since the member is to be reached at another address. */
  @Test
  void whenAConnectionIsGivenUpItWaitsForTheNext() {
    isConnected = false;
    appender.start();
    GroupNodes.await("it to wait for a connection", () -> !connecting.isEmpty());
    long begun = System.nanoTime();
    connecting.remove().completeExceptionally(new IllegalStateException("closed on purpose"));
    GroupNodes.await("it to wait for another one", () -> !connecting.isEmpty());
    assertTrue(System.nanoTime() - begun < IDLE_NANOS - 500_000_000, "it was found idle");
    isConnected = true;
    connecting.remove().complete(null);
    assertEquals(4, call().request().getEntries(0).getIndex());
  }
}
