package io.gauss.storage.raft;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds members that Ratis counts as running although the thread of their election has ended by an
 * error, and no other takes its place: a candidate whose own vote could not be written (its file or
 * directory could not be opened, its disk was full or broken for a moment), or one that was elected
 * and could not begin to lead. It asks for no votes any more. Where its log is the only one with
 * all that was acknowledged, nobody can lead the group, although all its members are up.
 *
 * <p>A leader elsewhere makes it a follower again. So it counts as stuck only after it has been
 * found like that for ten election time-outs. Thread-safe; looks on the timer's thread.
 */
final class StuckMembers {
  static final int LOOKS = 10;
  private static final Logger LOG = LoggerFactory.getLogger(StuckMembers.class);

  /** In the name of the thread of an election, which is named after Ratis's class. */
  private static final String ELECTION = "-LeaderElection";

  private final ScheduledExecutorService timer;
  private final Duration electionTimeout;
  private final Map<RaftGroupId, Integer> looks = new HashMap<>(); // timer's thread
  private volatile Set<RaftGroupId> stuck = Set.of();

  /**
   * @param electionTimeout the longest
   */
  StuckMembers(ScheduledExecutorService timer, Duration electionTimeout) {
    this.timer = timer;
    this.electionTimeout = electionTimeout;
  }

  /** From now on until the timer is shut down. */
  void watch(RaftServer server) {
    long millis = electionTimeout.toMillis();
    timer.scheduleWithFixedDelay(() -> look(server), millis, millis, TimeUnit.MILLISECONDS);
  }

  void look(RaftServer server) {
    try {
      Set<RaftGroupId> found = new LinkedHashSet<>();
      for (RaftGroupId group : server.getGroupIds()) {
        if (hasNoElection(server.getDivision(group))) {
          found.add(group);
        }
      }
      looks.keySet().retainAll(found);
      found.forEach(group -> looks.merge(group, 1, Integer::sum));
      found.removeIf(group -> looks.get(group) < LOOKS);
      stuck = found;
    } catch (IOException | RuntimeException e) {
      // The server starts or closes, or a group has just been removed.
      LOG.debug("stuck members are looked for later", e);
    }
  }

  /** Whether the member seeks or begins to lead with no thread that does so. */
  private static boolean hasNoElection(RaftServer.Division member) {
    RoleInfoProto role = member.getInfo().getRoleInfoProto();
    boolean needsOne =
        role.getRole() == RaftPeerRole.CANDIDATE
            || (role.getRole() == RaftPeerRole.LEADER && !role.hasLeaderInfo());
    return needsOne && member.getInfo().isAlive() && !hasElection(member.getThreadGroup());
  }

  private static boolean hasElection(ThreadGroup ofMember) {
    // Room for threads that start meanwhile: what finds none is not listed.
    Thread[] threads = new Thread[2 * ofMember.activeCount() + 16];
    int count = ofMember.enumerate(threads);
    for (int i = 0; i < count; i++) {
      if (threads[i].getName().contains(ELECTION)) {
        return true;
      }
    }
    return false;
  }

  boolean isStuck(RaftGroupId group) {
    return stuck.contains(group);
  }
}
