package io.gauss.storage.raft;

import io.gauss.common.transport.Transport;
import io.gauss.common.transport.tcp.TransportTls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;

/**
 * The transport between members under the rules of {@link ForcedAnswers}, with {@link
 * StuckMembers}. Public with a public constructor, since Ratis creates it by its name.
 */
public final class CheckedRpc implements RpcType {
  private static final String WIRING = "gauss.raft.wiring";

  /**
   * The parts of a server.
   *
   * @param transport makes what carries the messages, of this type
   * @param counts of the messages that come
   */
  record Wiring(
      Function<RpcType, ServerFactory> transport,
      ForcedAnswers answers,
      StuckMembers stuck,
      AppliedSoon applied,
      RaftCounts counts) {
    /**
     * @throws io.gauss.common.error.GaussException 22023 when files with certificates cannot be
     *     used
     */
    static Wiring of(
        RaftSettings settings,
        ScheduledExecutorService timer,
        UnaryOperator<Transport> transports,
        Function<RaftGroupId, ForcedAnswers.LogState> logs) {
      TransportTls tls = PeerFactory.tls(settings); // before Ratis, which would wrap what it throws
      return new Wiring(
          type -> new PeerFactory(type, settings, tls, timer, transports),
          new ForcedAnswers(timer, settings.requestTimeout(), logs),
          new StuckMembers(timer, settings.electionTimeoutMax()),
          new AppliedSoon(timer),
          new RaftCounts());
    }

    /** Adds this to a server's parameters. */
    Parameters in(Parameters parameters) {
      parameters.put(WIRING, this, Wiring.class);
      return parameters;
    }
  }

  @Override
  public String name() {
    return "io.gauss.storage.raft.CheckedRpc"; // the class to create
  }

  @Override
  public RpcFactory newFactory(Parameters parameters) {
    Wiring wiring = parameters.getNonNull(WIRING, Wiring.class);
    return new Factory(this, wiring.transport().apply(this), wiring);
  }

  private record Factory(RpcType getRpcType, ServerFactory transport, Wiring wiring)
      implements ServerFactory {

    @Override
    public RaftServerRpc newRaftServerRpc(RaftServer server) {
      RaftServerRpc rpc =
          transport.newRaftServerRpc(new MemberServer(server, wiring.answers(), wiring.counts()));
      wiring.stuck().watch(server);
      return rpc;
    }

    @Override
    public LogAppender newLogAppender(
        RaftServer.Division member, LeaderState leader, FollowerInfo follower) {
      try {
        wiring.answers().beforeLeading(member);
      } catch (IOException e) {
        throw new UncheckedIOException(member.getMemberId() + " cannot lead", e);
      }
      return transport.newLogAppender(member, leader, follower);
    }
  }
}
