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
 * @param tls null = not encrypted
 * @param transports stands between it and TCP; for tests
 */
record PeerFactory(
    RpcType getRpcType,
    RaftSettings settings,
    TransportTls tls,
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

  /**
   * The encryption of a node's transport; null when there is none.
   *
   * @throws io.gauss.common.error.GaussException 22023 when its files cannot be used
   */
  static TransportTls tls(RaftSettings settings) {
    return TransportTls.of(settings.tls(), self(settings));
  }

  private static NodeIdentity self(RaftSettings settings) {
    return NodeIdentity.of(
        number(GroupMember.peerId(settings.node())),
        NodeRole.STORAGE,
        EPOCH,
        LamportClock.unnumbered());
  }

  private Transport transport() {
    return new TcpTransport(
        new TransportConfig(
            self(settings),
            settings.key(),
            EpochGuard.NONE,
            SETTINGS,
            new CompositeMeterRegistry()), // keeps nothing
        new TcpOptions(SocketIo.best(), 1, tls));
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
