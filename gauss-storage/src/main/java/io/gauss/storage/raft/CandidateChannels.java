package io.gauss.storage.raft;

import io.gauss.common.runtime.Environment;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.RaftServerRpcWithProxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets members of groups without a leader reach the others as soon as these are there.
 *
 * <p>A channel of gRPC that cannot connect waits before it tries again, ever longer, for up to two
 * minutes, and meanwhile fails all calls at once. Ratis ends such a wait for what a leader sends,
 * but not for requests for votes: a candidate does not notice that the others are back, and after
 * all storage nodes were down, the only one that may lead can be the one that started first. So as
 * long as all groups that this node shares with another one have no leader, the channel to that
 * node is made anew again and again.
 *
 * <p>Confined to the timer's thread.
 */
final class CandidateChannels {
  private static final Logger LOG = LoggerFactory.getLogger(CandidateChannels.class);

  /** Longer than an election takes: a request under way may end with its channel. */
  private static final long LOOK_MILLIS = 1_500;

  private final ScheduledExecutorService timer;
  private Set<RaftPeerId> before = Set.of();

  CandidateChannels(ScheduledExecutorService timer) {
    this.timer = timer;
  }

  /** From now on until the timer is shut down. */
  void keep(RaftServer server, RaftServerRpc rpc) {
    if (rpc instanceof RaftServerRpcWithProxy<?, ?> channels) {
      timer.scheduleWithFixedDelay(
          () -> look(server, channels), LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void look(RaftServer server, RaftServerRpcWithProxy<?, ?> channels) {
    try {
      Set<RaftPeerId> now = wanted(server);
      Set<RaftPeerId> due = new LinkedHashSet<>(now);
      due.retainAll(before);
      before = now;
      if (!due.isEmpty()) {
        // Closing a channel may wait for its calls.
        Environment.start(
            "gauss-raft-channels", () -> due.forEach(channels.getProxies()::resetProxy));
      }
    } catch (IOException | RuntimeException e) {
      // The server starts or closes, or a group has just been removed.
      LOG.debug("members without a leader are looked for later", e);
    }
  }

  /**
   * The nodes with which this one shares groups, all of which have no leader as far as it knows.
   */
  static Set<RaftPeerId> wanted(RaftServer server) throws IOException {
    Set<RaftPeerId> wanted = new LinkedHashSet<>();
    Set<RaftPeerId> reached = new LinkedHashSet<>();
    for (RaftGroupId group : server.getGroupIds()) {
      RaftServer.Division member = server.getDivision(group);
      boolean isLed = !member.getInfo().isAlive() || member.getInfo().getLeaderId() != null;
      member.getRaftConf().getAllPeers().stream()
          .map(RaftPeer::getId)
          .forEach(isLed ? reached::add : wanted::add);
    }
    wanted.removeAll(reached);
    wanted.remove(server.getId());
    return wanted;
  }
}
