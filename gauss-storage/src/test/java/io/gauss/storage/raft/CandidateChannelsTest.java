package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.gauss.common.runtime.Environment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.RaftServerRpcWithProxy;
import org.apache.ratis.util.PeerProxyMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Members without a leader try to reach the others again and again, without ever longer pauses. */
@Timeout(180)
class CandidateChannelsTest {
  private static final GroupId STREAM = GroupId.stream(7);

  @TempDir private Path directory;
  private RaftNodes nodes;

  @BeforeEach
  void start() {
    start(RaftSettings.Rpc.PEER);
  }

  private void start(RaftSettings.Rpc rpc) {
    nodes =
        new RaftNodes(
            3,
            directory.resolve(rpc.name()),
            node -> RaftHost.MachineFactory.of(group -> new SumReplica()),
            settings -> settings.withRpc(rpc));
    nodes.startAll();
    nodes.addGroup(STREAM);
    nodes.awaitLeader(STREAM);
    nodes.awaitSame(STREAM);
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  private Set<RaftPeerId> wantedBy(int node) {
    return nodes.host(node).wantedVotes();
  }

  private static Set<RaftPeerId> members(int... numbers) {
    return Arrays.stream(numbers).mapToObj(GroupMember::peerId).collect(Collectors.toSet());
  }

  @Test
  void votesAreWantedWhileThereIsNoLeader() {
    GroupNodes.await("all to know the leader", () -> wantedBy(2).isEmpty());
    nodes.stop(0);
    nodes.stop(1);
    GroupNodes.await("node 2 to want votes", () -> wantedBy(2).equals(members(0, 1)));
    nodes.start(0);
    nodes.awaitLeader(STREAM);
    GroupNodes.await("node 2 to know the leader", () -> wantedBy(2).isEmpty());
  }

  /** A channel that is not made anew may wait for minutes before it connects again. */
  @Test
  void channelsAreMadeAnewWhileThereIsNoLeader() throws Exception {
    nodes.close();
    start(RaftSettings.Rpc.GRPC);
    nodes.stop(0);
    nodes.stop(1);
    GroupNodes.await("node 2 to want votes", () -> wantedBy(2).equals(members(0, 1)));
    RaftServerRpc rpc = nodes.host(2).division(STREAM).getRaftServer().getServerRpc();
    PeerProxyMap<?> channels = assertInstanceOf(RaftServerRpcWithProxy.class, rpc).getProxies();
    Object first = channels.getProxy(GroupMember.peerId(0));
    Object second = channels.getProxy(GroupMember.peerId(1));
    GroupNodes.await(
        "other channels", () -> channel(channels, 0) != first && channel(channels, 1) != second);
  }

  private static Object channel(PeerProxyMap<?> channels, int node) {
    try {
      return channels.getProxy(GroupMember.peerId(node));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** After gRPC's pauses had grown for half a minute, this took up to as long again. */
  @Test
  @Tag("long")
  void theOnlyOneThatMayLeadReachesAMemberThatComesBackLate() {
    int leader = nodes.awaitLeader(STREAM);
    nodes.stop(2);
    assertInstanceOf(
        Submitted.Applied.class,
        nodes
            .host(leader)
            .submit(STREAM, SumReplica.number(1))
            .orTimeout(60, TimeUnit.SECONDS)
            .join());
    nodes.stop(0);
    nodes.stop(1);
    nodes.start(0);
    Environment.parkNanos(this, TimeUnit.SECONDS.toNanos(30));
    long begin = Environment.nanoTime();
    nodes.start(2); // its log is shorter: it cannot lead
    assertEquals(0, nodes.awaitLeader(STREAM));
    System.err.printf(
        "CandidateChannelsTest: a leader after %d ms%n",
        TimeUnit.NANOSECONDS.toMillis(Environment.nanoTime() - begin));
  }
}
