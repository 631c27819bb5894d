package io.gauss.storage.raft;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.ReadIndexReplyProto;
import org.apache.ratis.proto.RaftProtos.ReadIndexRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.GroupInfoReply;
import org.apache.ratis.protocol.GroupInfoRequest;
import org.apache.ratis.protocol.GroupListReply;
import org.apache.ratis.protocol.GroupListRequest;
import org.apache.ratis.protocol.GroupManagementRequest;
import org.apache.ratis.protocol.LeaderElectionManagementRequest;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.SnapshotManagementRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.server.DataStreamServerRpc;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;
import org.apache.ratis.util.LifeCycle;

/**
 * A Raft server as its port shows it: it answers the other members by the rules of {@link
 * ForcedAnswers}, counts them, and refuses commands and management, which come from its own node
 * only ({@link RaftHost}).
 */
final class MemberServer implements RaftServer {
  private final RaftServer server;
  private final ForcedAnswers answers;
  private final RaftCounts counts;

  MemberServer(RaftServer server, ForcedAnswers answers, RaftCounts counts) {
    this.server = server;
    this.answers = answers;
    this.counts = counts;
  }

  // ---- members

  @Override
  public CompletableFuture<AppendEntriesReplyProto> appendEntriesAsync(
      AppendEntriesRequestProto request) throws IOException {
    counts.came(request);
    return answers.append(server, request);
  }

  @Override
  public AppendEntriesReplyProto appendEntries(AppendEntriesRequestProto request)
      throws IOException {
    counts.came(request);
    try {
      return answers.append(server, request).join();
    } catch (RuntimeException e) {
      throw new IOException("entries are not appended", e);
    }
  }

  @Override
  public RequestVoteReplyProto requestVote(RequestVoteRequestProto request) throws IOException {
    counts.came(RaftCounts.Kind.OTHER);
    RequestVoteReplyProto reply = answers.vote(server, request);
    // From a leader to a candidate that is no member any more: Ratis closes it then for good, and
    // it
    // could not be taken in again. Its own node removes it ({@code GroupReconciler}).
    return reply.getShouldShutdown() ? reply.toBuilder().setShouldShutdown(false).build() : reply;
  }

  @Override
  public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request)
      throws IOException {
    counts.came(RaftCounts.Kind.OTHER);
    return answers.install(server, request);
  }

  @Override
  public StartLeaderElectionReplyProto startLeaderElection(StartLeaderElectionRequestProto request)
      throws IOException {
    counts.came(RaftCounts.Kind.OTHER);
    return answers.stand(server, request);
  }

  @Override
  public CompletableFuture<ReadIndexReplyProto> readIndexAsync(ReadIndexRequestProto request)
      throws IOException {
    counts.came(RaftCounts.Kind.OTHER);
    return server.readIndexAsync(request);
  }

  // ---- commands and management

  private static IOException refused() {
    return new IOException("commands are not taken from other machines");
  }

  @Override
  public RaftClientReply submitClientRequest(RaftClientRequest request) throws IOException {
    throw refused();
  }

  @Override
  public CompletableFuture<RaftClientReply> submitClientRequestAsync(RaftClientRequest request) {
    return CompletableFuture.failedFuture(refused());
  }

  @Override
  public GroupListReply getGroupList(GroupListRequest request) throws IOException {
    throw refused();
  }

  @Override
  public CompletableFuture<GroupListReply> getGroupListAsync(GroupListRequest request) {
    return CompletableFuture.failedFuture(refused());
  }

  @Override
  public GroupInfoReply getGroupInfo(GroupInfoRequest request) throws IOException {
    throw refused();
  }

  @Override
  public CompletableFuture<GroupInfoReply> getGroupInfoAsync(GroupInfoRequest request) {
    return CompletableFuture.failedFuture(refused());
  }

  @Override
  public RaftClientReply groupManagement(GroupManagementRequest request) throws IOException {
    throw refused();
  }

  @Override
  public CompletableFuture<RaftClientReply> groupManagementAsync(GroupManagementRequest request) {
    return CompletableFuture.failedFuture(refused());
  }

  @Override
  public RaftClientReply snapshotManagement(SnapshotManagementRequest request) throws IOException {
    throw refused();
  }

  @Override
  public CompletableFuture<RaftClientReply> snapshotManagementAsync(
      SnapshotManagementRequest request) {
    return CompletableFuture.failedFuture(refused());
  }

  @Override
  public CompletableFuture<RaftClientReply> leaderElectionManagementAsync(
      LeaderElectionManagementRequest request) {
    return CompletableFuture.failedFuture(refused());
  }

  @Override
  public RaftClientReply setConfiguration(SetConfigurationRequest request) throws IOException {
    throw refused();
  }

  @Override
  public CompletableFuture<RaftClientReply> setConfigurationAsync(SetConfigurationRequest request) {
    return CompletableFuture.failedFuture(refused());
  }

  @Override
  public RaftClientReply transferLeadership(TransferLeadershipRequest request) throws IOException {
    throw refused();
  }

  @Override
  public CompletableFuture<RaftClientReply> transferLeadershipAsync(
      TransferLeadershipRequest request) {
    return CompletableFuture.failedFuture(refused());
  }

  // ---- the server itself

  @Override
  public RaftPeerId getId() {
    return server.getId();
  }

  @Override
  public RaftPeer getPeer() {
    return server.getPeer();
  }

  @Override
  public Iterable<RaftGroupId> getGroupIds() {
    return server.getGroupIds();
  }

  @Override
  public Iterable<RaftGroup> getGroups() throws IOException {
    return server.getGroups();
  }

  @Override
  public Division getDivision(RaftGroupId group) throws IOException {
    return server.getDivision(group);
  }

  @Override
  public RaftProperties getProperties() {
    return server.getProperties();
  }

  @Override
  public RaftServerRpc getServerRpc() {
    return server.getServerRpc();
  }

  @Override
  public DataStreamServerRpc getDataStreamServerRpc() {
    return server.getDataStreamServerRpc();
  }

  @Override
  public ServerFactory getFactory() {
    return server.getFactory();
  }

  @Override
  public void start() throws IOException {
    server.start();
  }

  @Override
  public LifeCycle.State getLifeCycleState() {
    return server.getLifeCycleState();
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
