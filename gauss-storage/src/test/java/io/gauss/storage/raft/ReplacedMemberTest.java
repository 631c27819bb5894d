package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.ratis.proto.RaftProtos.RaftGroupIdProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.protocol.TermIndex;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A member that was replaced while it was away, and is taken in again. When it stands for election
 * meanwhile, the leader has it closed: it stayed so, as a member of which the group knew and that
 * took no entries.
 */
@Timeout(180)
class ReplacedMemberTest {
  private static final GroupId STREAM = GroupId.stream(7);
  private static final int REPLACED = 2;

  @TempDir Path directory;
  private RaftNodes nodes;
  private final Map<Integer, SumReplica> replicas = new ConcurrentHashMap<>();

  @BeforeEach
  void start() {
    nodes =
        new RaftNodes(
            3,
            directory,
            node ->
                RaftHost.MachineFactory.of(
                    group -> {
                      SumReplica replica = new SumReplica();
                      replicas.put(node, replica);
                      return replica;
                    }));
    nodes.startAll();
    nodes.addGroup(STREAM);
    add(1);
    GroupNodes.await("node 2 to have it", () -> replicas.get(REPLACED).sum() == 1);
    nodes.stop(REPLACED);
    nodes.change(STREAM, nodes.members().subList(0, REPLACED));
    add(2);
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  private RaftHost leader() {
    return nodes.host(nodes.awaitLeader(STREAM));
  }

  private void add(long value) {
    nodes.add(STREAM, value);
  }

  private RequestVoteRequestProto wish(RaftPeerId leader) {
    TermIndex last = nodes.host(REPLACED).division(STREAM).getRaftLog().getLastEntryTermIndex();
    return RequestVoteRequestProto.newBuilder()
        .setServerRequest(
            RaftRpcRequestProto.newBuilder()
                .setRequestorId(GroupMember.peerId(REPLACED).toByteString())
                .setReplyId(leader.toByteString())
                .setRaftGroupId(RaftGroupIdProto.newBuilder().setId(STREAM.ratis().toByteString())))
        .setCandidateTerm(last.getTerm())
        .setCandidateLastEntry(last.toProto())
        .setPreVote(true)
        .build();
  }

  @Test
  void aLeaderClosesNoMemberOfAnotherNode() throws Exception {
    nodes.start(REPLACED);
    RaftServerRpc port = nodes.host(REPLACED).division(STREAM).getRaftServer().getServerRpc();
    RequestVoteReplyProto ofRatis;
    RequestVoteReplyProto reply;
    long term;
    RaftHost leader;
    do { // until one has led all the while
      leader = leader();
      term = leader.status(STREAM).term();
      RequestVoteRequestProto wish = wish(leader.division(STREAM).getId());
      ofRatis = leader.division(STREAM).getRaftServer().requestVote(wish);
      reply = port.requestVote(wish);
    } while (!leader.leads(STREAM) || leader.status(STREAM).term() != term);
    assertTrue(
        ofRatis.getShouldShutdown(),
        "Ratis by itself has it closed; if it no longer does, it has been mended");
    assertFalse(reply.getServerReply().getSuccess());
    assertFalse(reply.getShouldShutdown());
  }

  @Test
  void itIsTakenInAgain() {
    nodes.start(REPLACED);
    RaftServer.Division member = nodes.host(REPLACED).division(STREAM);
    // It stands for election again and again, until somebody leads it.
    GroupNodes.await(
        "its election", () -> member.getInfo().getCurrentRole() == RaftPeerRole.CANDIDATE);
    GroupNodes.await(
        "the election's end",
        () ->
            member.getInfo().getCurrentRole() != RaftPeerRole.CANDIDATE
                || !nodes.host(REPLACED).ended().isEmpty());
    nodes.change(STREAM, nodes.members());
    add(4);
    GroupNodes.await("it to have all", () -> replicas.get(REPLACED).sum() == 7);
    assertEquals(List.of(), nodes.host(REPLACED).ended());
  }
}
