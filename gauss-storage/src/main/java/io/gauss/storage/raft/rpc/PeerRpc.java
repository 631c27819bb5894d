package io.gauss.storage.raft.rpc;

import io.gauss.common.runtime.Environment;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Transport;
import io.gauss.storage.wire.StorageMessages;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntFunction;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.ReadIndexReplyProto;
import org.apache.ratis.proto.RaftProtos.ReadIndexRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.apache.ratis.server.protocol.RaftServerAsynchronousProtocol;
import org.apache.ratis.thirdparty.com.google.protobuf.MessageLite;
import org.apache.ratis.thirdparty.com.google.protobuf.Parser;

/**
 * Messages between members of Raft groups over Gauss's transport, at a port of their own: which
 * nodes are alive is decided by what is replicated here, so these connections know of no dead
 * epochs, and nothing that the other ports carry can hold up entries.
 *
 * <p>Thread-safe. Votes, orders to stand and notices of a state to fetch block the caller, as Ratis
 * wants it, for the time-out of requests at most.
 */
public final class PeerRpc implements RaftServerRpc, RaftServerAsynchronousProtocol {
  /** Many groups may elect at the same time, and each vote is forced twice. */
  private static final int THREADS = 8;

  private final RpcType type;
  private final Transport transport;
  private final NodeAddress address;
  private final long requestNanos;
  private final long heartbeatNanos;
  private final RaftLinks links;
  private final Heartbeats heartbeats;
  private final CommitNews news;
  private final ScheduledExecutorService timer;
  private final ExecutorService threads;
  private final MemberEndpoint endpoint;

  /** Of all requests with entries and heartbeats, so that none is ever used again. */
  private final AtomicLong calls = new AtomicLong();

  private volatile NodeAddress bound;

  /**
   * How messages travel.
   *
   * @param transport this closes it
   * @param address to listen at
   * @param numbers of members as nodes of the transport
   * @param requestTimeout after this long without an answer a message counts as lost
   * @param heartbeat pause between heartbeats
   * @param timer runs short tasks only; the caller shuts it down
   */
  public record Wiring(
      Transport transport,
      NodeAddress address,
      ToIntFunction<RaftPeerId> numbers,
      Duration requestTimeout,
      Duration heartbeat,
      ScheduledExecutorService timer) {}

  /**
   * @param server what is answered to others
   */
  public PeerRpc(RpcType type, RaftServer server, Wiring wiring) {
    this.type = type;
    this.transport = wiring.transport();
    this.address = wiring.address();
    this.requestNanos = wiring.requestTimeout().toNanos();
    this.heartbeatNanos = wiring.heartbeat().toNanos();
    this.links = new RaftLinks(transport, wiring.numbers());
    this.heartbeats = new Heartbeats(links, transport.allocator(), requestNanos);
    this.timer = wiring.timer();
    this.news = new CommitNews(links, transport.allocator(), timer);
    this.threads = Environment.pool("gauss-raft-member-" + address.port(), THREADS);
    this.endpoint = new MemberEndpoint(server, transport.allocator(), wiring.numbers(), threads);
    this.bound = address;
  }

  @Override
  public void start() {
    Handlers handlers = new Handlers();
    endpoint.register(handlers);
    bound = transport.listen(address, handlers);
    timer.scheduleWithFixedDelay(
        heartbeats::send, heartbeatNanos, heartbeatNanos, TimeUnit.NANOSECONDS);
  }

  /** Makes what sends a group's log to one of its followers. */
  public LogAppender newLogAppender(
      RaftServer.Division member, LeaderState leader, FollowerInfo follower) {
    return new PeerAppender(
        member,
        leader,
        follower,
        new PeerAppender.Wires(
            links, transport.allocator(), heartbeats, news, calls, requestNanos));
  }

  /** This node has no member of the group any more. */
  public void removed(RaftGroupId group) {
    endpoint.removed(group);
  }

  @Override
  public RpcType getRpcType() {
    return type;
  }

  @Override
  public InetSocketAddress getInetSocketAddress() {
    return InetSocketAddress.createUnresolved(bound.host(), bound.port());
  }

  @Override
  public void addRaftPeers(Collection<RaftPeer> members) {
    links.know(members);
  }

  @Override
  public void handleException(RaftPeerId member, Exception e, boolean reconnect) {
    // Connections are made again by themselves.
  }

  // ---- asking others

  @Override
  public RequestVoteReplyProto requestVote(RequestVoteRequestProto request) throws IOException {
    return ask(
        StorageMessages.RAFT_VOTE,
        request.getServerRequest(),
        request,
        RequestVoteReplyProto.parser());
  }

  @Override
  public AppendEntriesReplyProto appendEntries(AppendEntriesRequestProto request)
      throws IOException {
    return ask(
        StorageMessages.RAFT_APPEND,
        request.getServerRequest(),
        request,
        AppendEntriesReplyProto.parser());
  }

  @Override
  public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request)
      throws IOException {
    return ask(
        StorageMessages.RAFT_INSTALL,
        request.getServerRequest(),
        request,
        InstallSnapshotReplyProto.parser());
  }

  @Override
  public StartLeaderElectionReplyProto startLeaderElection(StartLeaderElectionRequestProto request)
      throws IOException {
    return ask(
        StorageMessages.RAFT_STAND,
        request.getServerRequest(),
        request,
        StartLeaderElectionReplyProto.parser());
  }

  @Override
  public RaftServerAsynchronousProtocol async() {
    return this;
  }

  @Override
  public CompletableFuture<AppendEntriesReplyProto> appendEntriesAsync(
      AppendEntriesRequestProto request) throws IOException {
    return send(
        StorageMessages.RAFT_APPEND,
        request.getServerRequest(),
        request,
        AppendEntriesReplyProto.parser());
  }

  @Override
  public CompletableFuture<ReadIndexReplyProto> readIndexAsync(ReadIndexRequestProto request)
      throws IOException {
    return send(
        StorageMessages.RAFT_READ,
        request.getServerRequest(),
        request,
        ReadIndexReplyProto.parser());
  }

  private <T> CompletableFuture<T> send(
      MessageType message, RaftRpcRequestProto header, MessageLite content, Parser<T> parser)
      throws IOException {
    Peer peer = links.to(RaftPeerId.valueOf(header.getReplyId()));
    return peer.call(message, RaftMessageLayout.write(transport.allocator(), content), requestNanos)
        .thenApply(reply -> read(reply, parser));
  }

  static <T> T read(ByteBuf reply, Parser<T> parser) {
    try {
      return RaftMessageLayout.read(reply, parser);
    } finally {
      reply.release();
    }
  }

  private <T> T ask(
      MessageType message, RaftRpcRequestProto header, MessageLite content, Parser<T> parser)
      throws IOException {
    CompletableFuture<T> answer = send(message, header, content, parser);
    try {
      return Environment.get(answer, 2 * requestNanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted: " + message);
    } catch (ExecutionException e) {
      throw new IOException(message + ": " + e.getCause().getMessage(), e.getCause());
    } catch (TimeoutException e) {
      throw new IOException(message + ": no answer in time", e);
    }
  }

  @Override
  public void close() {
    links.close();
    heartbeats.close();
    transport.close();
    threads.shutdownNow();
  }
}
