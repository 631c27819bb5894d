package io.gauss.storage.raft;

import io.gauss.common.transport.Transport;
import io.gauss.common.transport.tcp.TransportTls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.rpc.SupportedRpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;

/**
 * A transport between members under the rules of {@link ForcedAnswers}, with {@link StuckMembers}.
 * Around those of Ratis stand {@link CommitNotices} and {@link CandidateChannels}, too. Public with
 * a public constructor, since Ratis creates it by its name.
 */
public final class CheckedRpc implements RpcType {
  private static final String WIRING = "gauss.raft.wiring";

  /**
   * The parts of a server.
   *
   * @param transport makes what carries the messages
   * @param counts of the messages that come
   */
  record Wiring(
      BiFunction<RpcType, Parameters, ServerFactory> transport,
      ForcedAnswers answers,
      CommitNotices notices,
      CandidateChannels channels,
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
      BiFunction<RpcType, Parameters, ServerFactory> transport =
          switch (settings.rpc()) {
            case PEER -> {
              TransportTls tls = TransportTls.of(settings.tls());
              yield (type, parameters) -> new PeerFactory(type, settings, tls, timer, transports);
            }
            case GRPC -> ofRatis(SupportedRpcType.GRPC);
            case NETTY -> ofRatis(SupportedRpcType.NETTY);
          };
      return new Wiring(
          transport,
          new ForcedAnswers(timer, settings.requestTimeout(), logs),
          new CommitNotices(timer),
          new CandidateChannels(timer),
          new StuckMembers(timer, settings.electionTimeoutMax()),
          new AppliedSoon(timer),
          new RaftCounts());
    }

    private static BiFunction<RpcType, Parameters, ServerFactory> ofRatis(SupportedRpcType type) {
      return (checked, parameters) -> ServerFactory.cast(type.newFactory(parameters));
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
    return new Factory(this, wiring.transport().apply(this, parameters), wiring);
  }

  private record Factory(RpcType getRpcType, ServerFactory transport, Wiring wiring)
      implements ServerFactory {

    @Override
    public RaftServerRpc newRaftServerRpc(RaftServer server) {
      RaftServerRpc rpc =
          transport.newRaftServerRpc(new MemberServer(server, wiring.answers(), wiring.counts()));
      wiring.channels().keep(server, rpc);
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
      LogAppender appender = transport.newLogAppender(member, leader, follower);
      if (!(transport instanceof PeerFactory)) {
        wiring.notices().add(member.getMemberId().getGroupId(), appender);
      }
      return appender;
    }
  }
}
