package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftGroupIdProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
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
@Timeout(120)
class ResentEntriesTest {
  private static final GroupId STREAM = GroupId.stream(7);
  private static final int SLOW = 1;

  @TempDir Path directory;
  private RaftNodes nodes;
  private final List<CutProxy> proxies = new ArrayList<>();
  private volatile CountDownLatch gate = new CountDownLatch(0);

  /** A machine whose log is forced as soon as the gate is open. */
  private final class SlowDisk extends SumMachine {
    @Override
    public CompletableFuture<Void> flush(long index) {
      try {
        gate.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return CompletableFuture.failedFuture(e);
      }
      return CompletableFuture.completedFuture(null);
    }
  }

  @BeforeEach
  void start() {
    nodes =
        new RaftNodes(
            3, directory, node -> group -> node == SLOW ? new SlowDisk() : new SumMachine());
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
        slow.appendEntriesAsync(again).orTimeout(30, TimeUnit.SECONDS).join().getResult(),
        "Ratis by itself acknowledges it; if it no longer does, it has been mended");
    ForcedAnswers answers = nodes.host(SLOW).answers();
    CompletableFuture<AppendEntriesReplyProto> answer = answers.append(slow, again);
    RaftNodes.await("the answer", () -> answer.isDone() || answers.waiting() > 0);
    assertFalse(answer.isDone());
    assertFalse(second.isDone(), "acknowledged while one of three replicas has forced it");
    gate.countDown();
    assertEquals(AppendResult.SUCCESS, answer.orTimeout(30, TimeUnit.SECONDS).join().getResult());
    assertTrue(nodes.host(SLOW).status(STREAM).flushedIndex() >= answer.join().getMatchIndex());
    assertEquals(3, sum(second));
  }

  private AppendEntriesRequestProto lastEntryAgain() throws Exception {
    RaftLog log = nodes.host(0).division(STREAM).getRaftLog();
    long last = log.getNextIndex() - 1;
    return AppendEntriesRequestProto.newBuilder()
        .setServerRequest(
            RaftRpcRequestProto.newBuilder()
                .setRequestorId(GroupMember.peerId(0).toByteString())
                .setReplyId(GroupMember.peerId(SLOW).toByteString())
                .setRaftGroupId(RaftGroupIdProto.newBuilder().setId(STREAM.ratis().toByteString())))
        .setLeaderTerm(nodes.host(0).status(STREAM).term())
        .setPreviousLog(log.getTermIndex(last - 1).toProto())
        .addEntries(log.get(last))
        .setLeaderCommit(log.getLastCommittedIndex())
        .build();
  }

  @Test
  void entriesAreNotTakenForKnownByTheirFirstIndex() {
    assertFalse(
        RaftServerConfigKeys.Log.appendEntriesComposeEnabled(
            RatisProperties.of(nodes.settings(0))));
  }

  /** Every commit that is acknowledged stays, however often the connections break. */
  @Test
  void nothingIsLostOverConnectionsThatBreakAllTheTime() {
    long sum = 0;
    for (int i = 1; i <= 60; i++) {
      CompletableFuture<Submitted> answer = add(i);
      if (i % 3 == 0) {
        proxies.get(i / 3 % 2 + 1).cut();
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
