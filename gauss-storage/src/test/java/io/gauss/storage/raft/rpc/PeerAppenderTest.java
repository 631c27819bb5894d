package io.gauss.storage.raft.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.storage.raft.GroupNodes;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.raftlog.RaftLogIOException;
import org.apache.ratis.util.LifeCycle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an appender does when it fails, or its node ends. */
@Timeout(120)
class PeerAppenderTest {
  private static final RaftPeerId FOLLOWER = RaftPeerId.valueOf("s2");

  private final AtomicInteger restarts = new AtomicInteger();
  private final AtomicInteger checks = new AtomicInteger();
  private volatile boolean isReadable = true;

  private static <T> T of(Class<T> type, InvocationHandler behaviour) {
    return type.cast(
        Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, behaviour));
  }

  private PeerAppender appender() {
    RaftLog log =
        of(
            RaftLog.class,
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "isOpened" -> true;
                  case "getStartIndex" -> 0L;
                  case "getNextIndex" -> 5L;
                  case "get" -> {
                    if (!isReadable) {
                      throw new RaftLogIOException("unreadable on purpose");
                    }
                    yield null;
                  }
                  default -> throw new UnsupportedOperationException(method.getName());
                });
    DivisionInfo info = of(DivisionInfo.class, (self, method, arguments) -> true);
    RaftServer server = of(RaftServer.class, (self, method, arguments) -> new RaftProperties());
    RaftServer.Division member =
        of(
            RaftServer.Division.class,
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "getRaftServer" -> server;
                  case "getRaftLog" -> log;
                  case "getInfo" -> info;
                  case "getThreadGroup" -> Thread.currentThread().getThreadGroup();
                  default -> throw new UnsupportedOperationException(method.getName());
                });
    LeaderState leader =
        of(
            LeaderState.class,
            (self, method, arguments) -> {
              if (method.getName().equals("restart")) {
                restarts.incrementAndGet();
                throw new IllegalStateException("cannot lead any more, on purpose");
              }
              checks.incrementAndGet();
              return null;
            });
    FollowerInfo follower =
        of(
            FollowerInfo.class,
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "getId" -> FOLLOWER;
                  case "getName" -> "s1->s2";
                  case "getNextIndex" -> 1L;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
    ByteBufAllocator allocator = UnpooledByteBufAllocator.DEFAULT;
    RaftLinks links = new RaftLinks(null, node -> 2); // it knows no member
    return new PeerAppender(
        member,
        leader,
        follower,
        new PeerAppender.Wires(
            links,
            allocator,
            new Heartbeats(links, allocator, 1),
            new CommitNews(links, allocator, null),
            new AtomicLong(),
            1));
  }

  /** Its member could never be closed otherwise. */
  @Test
  void oneThatFailedAndCannotBeReplacedHasStopped() {
    isReadable = false;
    PeerAppender appender = appender();
    appender.start();
    GroupNodes.await("it to fail", () -> restarts.get() > 0);
    appender.stopAsync().orTimeout(60, TimeUnit.SECONDS).join();
  }

  /** Else it would be made again and again while its node ends. */
  @Test
  void oneThatHasNobodyToSendToWaits() {
    PeerAppender appender = appender();
    appender.start();
    GroupNodes.await("it to look some times", () -> checks.get() > 2);
    assertEquals(0, restarts.get());
    assertEquals(
        LifeCycle.State.CLOSED, appender.stopAsync().orTimeout(60, TimeUnit.SECONDS).join());
  }
}
