package io.gauss.storage.raft;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
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
 * One of Ratis's transports between members, under the rules of {@link ForcedAnswers}, with {@link
 * CommitNotices}, {@link CandidateChannels} and {@link StuckMembers}. Public with a public
 * constructor, since Ratis creates it by its name.
 */
public final class CheckedRpc implements RpcType {
  private static final String WIRING = "gauss.raft.wiring";

  /**
   * The parts of a server.
   *
   * @param transport carries the messages
   * @param counts of the messages that come
   */
  record Wiring(
      SupportedRpcType transport,
      ForcedAnswers answers,
      CommitNotices notices,
      CandidateChannels channels,
      StuckMembers stuck,
      RaftCounts counts) {
    static Wiring of(
        RaftSettings settings,
        ScheduledExecutorService timer,
        Function<RaftGroupId, ForcedAnswers.LogState> logs) {
      SupportedRpcType transport =
          switch (settings.rpc()) {
            case GRPC -> SupportedRpcType.GRPC;
            case NETTY -> SupportedRpcType.NETTY;
          };
      return new Wiring(
          transport,
          new ForcedAnswers(timer, settings.requestTimeout(), logs),
          new CommitNotices(timer),
          new CandidateChannels(timer),
          new StuckMembers(timer, settings.electionTimeoutMax()),
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
    return new Factory(this, ServerFactory.cast(wiring.transport().newFactory(parameters)), wiring);
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
      wiring.notices().add(member.getMemberId().getGroupId(), appender);
      return appender;
    }
  }
}
