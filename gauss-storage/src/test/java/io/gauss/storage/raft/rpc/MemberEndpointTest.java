package io.gauss.storage.raft.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.RemoteNode;
import io.gauss.common.transport.Request;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.wire.StorageMessages;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftGroupIdProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.thirdparty.com.google.protobuf.MessageLite;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who may send what to a member, and which thread takes it. */
class MemberEndpointTest {
  private static final RemoteNode LEADER = new RemoteNode(201, NodeRole.STORAGE, 1);
  private static final AppendEntriesRequestProto ENTRY = ofGroup(7, RaftExamples.ENTRY);
  private static final AppendEntriesRequestProto HEARTBEAT = ofGroup(7, RaftExamples.HEARTBEAT);
  private static final AppendEntriesRequestProto OTHER = ofGroup(8, RaftExamples.HEARTBEAT);

  private final Queue<Runnable> threads = new ArrayDeque<>();
  private final List<AppendEntriesRequestProto> taken = new ArrayList<>();
  private final List<String> roles = new ArrayList<>();
  private final Handlers handlers = new Handlers();

  /** What happens between the look at the member's role and what depends on it. */
  private Runnable afterLook = () -> {};

  private volatile String role = "follower";
  private long nextIndex = 9;
  private long flushIndex = 8;
  private List<AppendEntriesReplyProto> replied;
  private MemberEndpoint endpoint;

  private final RaftServer.Division member =
      of(
          RaftServer.Division.class,
          (self, method, arguments) ->
              switch (method.getName()) {
                case "getInfo" -> info();
                case "getRaftLog" -> log();
                case "hashCode" -> System.identityHashCode(self);
                case "equals" -> self == arguments[0];
                default -> throw new UnsupportedOperationException(method.getName());
              });

  private final RaftServer server =
      of(
          RaftServer.class,
          (self, method, arguments) ->
              switch (method.getName()) {
                case "getDivision" -> member;
                case "appendEntriesAsync" -> {
                  taken.add((AppendEntriesRequestProto) arguments[0]);
                  roles.add(role);
                  yield CompletableFuture.completedFuture(RaftExamples.HEARD);
                }
                default -> throw new UnsupportedOperationException(method.getName());
              });

  private RaftLog log() {
    return of(
        RaftLog.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "getNextIndex" -> nextIndex;
              case "getFlushIndex" -> flushIndex;
              default -> throw new UnsupportedOperationException(method.getName());
            });
  }

  private static <T> T of(Class<T> type, InvocationHandler behaviour) {
    return type.cast(
        Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, behaviour));
  }

  private static AppendEntriesRequestProto ofGroup(int stream, AppendEntriesRequestProto message) {
    return message.toBuilder()
        .setServerRequest(
            message.getServerRequest().toBuilder()
                .setRaftGroupId(
                    RaftGroupIdProto.newBuilder()
                        .setId(RaftGroupId.valueOf(GroupId.stream(stream).uuid()).toByteString())))
        .build();
  }

  private DivisionInfo info() {
    return of(
        DivisionInfo.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "isAlive" -> true;
              case "isFollower" -> role.equals("follower");
              case "getLeaderId" -> RaftPeerId.valueOf("s201");
              case "getCurrentTerm" -> {
                afterLook.run();
                yield RaftExamples.ENTRY.getLeaderTerm();
              }
              default -> throw new UnsupportedOperationException(method.getName());
            });
  }

  @BeforeEach
  void register() {
    endpoint =
        new MemberEndpoint(
            server,
            UnpooledByteBufAllocator.DEFAULT,
            member -> Integer.parseInt(member.toString().substring(1)),
            threads::add);
    endpoint.register(handlers);
  }

  private void send(MessageType type, MessageLite... parts) {
    send(LEADER, type, RaftExamples.message(parts));
  }

  private void send(RemoteNode sender, MessageType type, ByteBuf payload) {
    try {
      handlers
          .find(type.id())
          .handler()
          .handle(
              of(
                  Request.class,
                  (self, method, arguments) ->
                      switch (method.getName()) {
                        case "payload" -> payload;
                        case "sender" -> sender;
                        case "type" -> type;
                        case "oneWay", "isCancelled" -> false;
                        case "reply" -> {
                          replied = read((ByteBuf) arguments[0]);
                          yield null;
                        }
                        default -> throw new UnsupportedOperationException(method.getName());
                      }));
    } finally {
      payload.release();
    }
  }

  private static List<AppendEntriesReplyProto> read(ByteBuf reply) {
    try {
      return RaftMessageLayout.readParts(reply, AppendEntriesReplyProto.parser());
    } finally {
      reply.release();
    }
  }

  /** Its first message waits for it to have started. */
  private void start() {
    send(StorageMessages.RAFT_APPEND, ENTRY);
    threads.remove().run();
    assertEquals(List.of(RaftExamples.HEARD), replied);
    taken.clear();
    roles.clear();
  }

  @Test
  void onlyAMemberSpeaksForItself() {
    for (RemoteNode other :
        List.of(
            new RemoteNode(202, NodeRole.STORAGE, 1), new RemoteNode(201, NodeRole.COMPUTE, 1))) {
      RaftExamples.all()
          .forEach(
              (type, messages) -> {
                GaussException refused =
                    assertThrows(
                        GaussException.class,
                        () -> send(other, type, messages.getFirst()),
                        type::name);
                assertEquals(SqlState.PROTOCOL_VIOLATION, refused.state());
                messages.getLast().release();
              });
    }
    assertEquals(0, threads.size());
    assertEquals(List.of(), taken);
  }

  @Test
  void entriesOfTheLeaderThatIsFollowedAreTakenAtOnce() {
    start();
    send(StorageMessages.RAFT_APPEND, ENTRY);
    assertEquals(List.of(RaftExamples.HEARD), replied);
    assertEquals(List.of(ENTRY), taken);
    assertEquals(0, threads.size());
  }

  /** It would be kept, with its log, for as long as this node runs. */
  @Test
  void aMemberThatWasRemovedIsNotKept() {
    start();
    endpoint.removed(RaftGroupId.valueOf(ENTRY.getServerRequest().getRaftGroupId().getId()));
    send(StorageMessages.RAFT_APPEND, ENTRY);
    assertEquals(List.of(), taken, "there may be another one, which may have to start");
    threads.remove().run();
    assertEquals(List.of(ENTRY), taken);
  }

  @Test
  void thoseOfACandidatesNewLeaderWait() {
    start();
    role = "candidate";
    send(StorageMessages.RAFT_APPEND, ENTRY);
    assertEquals(List.of(), taken);
    role = "follower";
    send(StorageMessages.RAFT_APPEND, ENTRY);
    assertEquals(List.of(), taken);
    threads.remove().run();
    assertEquals(List.of(ENTRY, ENTRY), taken);
  }

  /**
   * Else the event loop would wait for the end of the election, and the answers that end it for the
   * event loop.
   */
  @Test
  void aMemberDoesNotBecomeACandidateBetweenTheLookAndTheMessage() throws Exception {
    start();
    Thread election =
        Thread.ofPlatform()
            .unstarted(
                () -> {
                  synchronized (member) {
                    role = "candidate";
                  }
                });
    afterLook =
        () -> {
          if (!Thread.holdsLock(member)) {
            return; // it looks again when nothing can happen any more
          }
          afterLook = () -> {};
          election.start();
          while (election.getState() != Thread.State.BLOCKED && election.isAlive()) {
            Thread.onSpinWait();
          }
        };
    send(StorageMessages.RAFT_APPEND, ENTRY);
    election.join();
    assertEquals(List.of("follower"), roles);
  }

  /** One that stands for election, or begins to lead, writes its vote, under its monitor. */
  @Test
  void theEventLoopDoesNotWaitForAMemberThatWaitsForItsDisk() throws Exception {
    start();
    role = "candidate";
    CountDownLatch isHeld = new CountDownLatch(1);
    CountDownLatch disk = new CountDownLatch(1);
    CompletableFuture<Boolean> forced = new CompletableFuture<>();
    Thread.ofPlatform()
        .start(
            () -> {
              synchronized (member) {
                isHeld.countDown();
                try {
                  forced.complete(disk.await(20, TimeUnit.SECONDS));
                } catch (InterruptedException e) {
                  forced.completeExceptionally(e);
                }
              }
            });
    isHeld.await();
    send(StorageMessages.RAFT_APPEND, ENTRY);
    disk.countDown();
    assertTrue(forced.get(), "it was waited for");
    assertEquals(List.of(), taken);
    threads.remove().run();
    assertEquals(List.of(ENTRY), taken);
  }

  /** Whoever adds an entry to a full queue waits for the disk. */
  @Test
  void entriesForWhichTheQueueForTheDiskHasNoRoomAreNotTakenByTheEventLoop() {
    start();
    AppendEntriesRequestProto many =
        ENTRY.toBuilder()
            .addAllEntries(Collections.nCopies(MemberEndpoint.MOST_QUEUED, ENTRY.getEntries(0)))
            .build();
    send(StorageMessages.RAFT_APPEND, many);
    assertEquals(List.of(), taken);
    threads.remove().run();
    assertEquals(List.of(many), taken);

    nextIndex += MemberEndpoint.MOST_QUEUED; // a few at a time, and none is forced
    send(StorageMessages.RAFT_APPEND, ENTRY);
    assertEquals(List.of(many), taken);
    send(StorageMessages.RAFT_APPEND, HEARTBEAT);
    assertEquals(List.of(many), taken, "it has overtaken entries");
    threads.remove().run();
    assertEquals(List.of(many, ENTRY, HEARTBEAT), taken);

    send(StorageMessages.RAFT_HEARTBEATS, HEARTBEAT); // has nothing for the disk
    assertEquals(List.of(many, ENTRY, HEARTBEAT, HEARTBEAT), taken);
    flushIndex = nextIndex - 1;
    send(StorageMessages.RAFT_APPEND, ENTRY);
    assertEquals(List.of(many, ENTRY, HEARTBEAT, HEARTBEAT, ENTRY), taken);
    assertEquals(0, threads.size());
  }

  @Test
  void aGroupThatMayWaitHasNoPartInTheAnswerToHeartbeats() {
    start();
    send(StorageMessages.RAFT_HEARTBEATS, OTHER, HEARTBEAT);
    assertEquals(Arrays.asList(null, RaftExamples.HEARD), replied);
    assertEquals(List.of(HEARTBEAT), taken);
    threads.remove().run();
    assertEquals(List.of(HEARTBEAT, OTHER), taken);
  }

  @Test
  void ofHeartbeatsThatWaitOnlyTheLastIsTaken() {
    for (int i = 0; i < 3; i++) {
      send(StorageMessages.RAFT_HEARTBEATS, OTHER);
      assertEquals(Arrays.asList((Object) null), replied);
    }
    threads.remove().run();
    assertEquals(List.of(OTHER), taken);
  }
}
