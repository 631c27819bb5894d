package io.gauss.storage.raft;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.leader.LogAppender;

/**
 * Tells followers of the last commit when no entry follows that would. Ratis 3.3.0 leaves that to
 * the next heartbeat, which may be half an election's time-out away, and a read that waits for the
 * commit on a follower would wait for that long.
 *
 * <p>Under load the next entry carries the news, and nothing is sent in addition: a follower is
 * told only of a commit that it has not confirmed after some milliseconds. It is told a few times
 * with growing pauses, since the first message may come before the entry itself or get lost; from
 * then on heartbeats do it.
 *
 * <p>Thread-safe; nothing here blocks.
 */
final class CommitNotices {
  private static final long FIRST_PAUSE_MILLIS = 4;
  private static final int TIMES = 6;

  private final ScheduledExecutorService timer;
  private final ConcurrentMap<RaftGroupId, List<Follower>> led = new ConcurrentHashMap<>();

  CommitNotices(ScheduledExecutorService timer) {
    this.timer = timer;
  }

  /** This node leads a group and sends to one of its followers by this appender. */
  void add(RaftGroupId group, LogAppender appender) {
    List<Follower> followers = led.computeIfAbsent(group, g -> new CopyOnWriteArrayList<>());
    followers.removeIf(each -> each.hasEnded() || each.isFor(appender));
    followers.add(new Follower(appender));
  }

  /** This node has applied the entry at an index of a group's log. To be called for every entry. */
  void applied(RaftGroupId group, long index) {
    List<Follower> followers = led.get(group);
    if (followers != null) {
      for (Follower follower : followers) {
        follower.committed(index);
      }
    }
  }

  /** What a follower has to be told. */
  private final class Follower {
    private final LogAppender appender;
    private final AtomicBoolean looking = new AtomicBoolean();
    private volatile long committed = -1;

    Follower(LogAppender appender) {
      this.appender = appender;
    }

    boolean isFor(LogAppender other) {
      return appender.getFollowerId().equals(other.getFollowerId());
    }

    /** An appender that has not started yet has not ended. */
    boolean hasEnded() {
      return !appender.getServer().getInfo().isLeader();
    }

    void committed(long index) {
      committed = index;
      if (looking.compareAndSet(false, true)) {
        lookLater(index, 0);
      }
    }

    private void lookLater(long index, int times) {
      try {
        timer.schedule(
            () -> look(index, times), FIRST_PAUSE_MILLIS << times, TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException closed) {
        looking.set(false);
      }
    }

    /** Tells the follower if it has not confirmed the commit of an index. */
    private void look(long index, int times) {
      if (hasEnded()) {
        looking.set(false);
      } else if (appender.getFollower().getCommitIndex() < index && times < TIMES) {
        appender.triggerHeartbeat();
        lookLater(committed, times + 1);
      } else {
        looking.set(false);
        long newest = committed;
        if (newest > index && looking.compareAndSet(false, true)) {
          lookLater(newest, 0);
        }
      }
    }
  }
}
