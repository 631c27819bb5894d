package io.gauss.storage.raft;

import io.gauss.common.id.LamportClock;
import io.gauss.common.transport.EpochGuard;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportSettings;
import io.gauss.common.transport.tcp.SocketIo;
import io.gauss.common.transport.tcp.TcpOptions;
import io.gauss.common.transport.tcp.TcpTransport;
import io.gauss.common.transport.tcp.TransportTls;
import io.gauss.storage.raft.rpc.PeerRpc;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.UnaryOperator;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;

/**
 * Makes {@link PeerRpc} over TCP, for a node's settings.
 *
 * @param transports stands between it and TCP; for tests
 */
record PeerFactory(
    RpcType getRpcType,
    RaftSettings settings,
    ScheduledExecutorService timer,
    UnaryOperator<Transport> transports)
    implements ServerFactory {

  /** Members outlive epochs: the map that counts them is replicated by these messages. */
  private static final int EPOCH = 1;

  /** Heartbeats go over the connections in use; pings are for the others. */
  private static final TransportSettings SETTINGS =
      TransportSettings.DEFAULTS.withPings(Duration.ofSeconds(1), Duration.ofSeconds(3));

  @Override
  public RaftServerRpc newRaftServerRpc(RaftServer server) {
    return new PeerRpc(
        getRpcType,
        server,
        new PeerRpc.Wiring(
            transports.apply(transport()),
            new NodeAddress(settings.host(), settings.port()),
            PeerFactory::number,
            settings.requestTimeout(),
            settings.electionTimeoutMin().dividedBy(2),
            timer));
  }

  private Transport transport() {
    NodeIdentity self =
        NodeIdentity.of(
            number(GroupMember.peerId(settings.node())),
            NodeRole.STORAGE,
            EPOCH,
            LamportClock.unnumbered());
    return new TcpTransport(
        new TransportConfig(
            self,
            settings.key(),
            EpochGuard.NONE,
            SETTINGS,
            new CompositeMeterRegistry()), // keeps nothing
        new TcpOptions(SocketIo.best(), 1, TransportTls.of(settings.tls(), self)));
  }

  /** Nodes of the transport begin at 1, and members in tests at 0. */
  private static int number(RaftPeerId member) {
    int node = GroupMember.node(member);
    return node == 0 ? NodeIdentity.MAX_NODE : node;
  }

  @Override
  public LogAppender newLogAppender(
      RaftServer.Division member, LeaderState leader, FollowerInfo follower) {
    PeerRpc rpc = (PeerRpc) member.getRaftServer().getServerRpc();
    return rpc.newLogAppender(member, leader, follower);
  }
}
