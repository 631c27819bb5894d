package io.gauss.storage.raft.rpc;

import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has what may wait for the disk done by other threads than the event loops, without letting what
 * follows in the same group overtake it. Thread-safe.
 */
final class GroupLines {
  private static final Logger LOG = LoggerFactory.getLogger(GroupLines.class);

  private final Executor threads;
  private final ConcurrentMap<ByteString, Line> lines = new ConcurrentHashMap<>();

  GroupLines(Executor threads) {
    this.threads = threads;
  }

  /**
   * Runs a task of a group behind those that wait: at once if there are none and it may not block,
   * else on another thread.
   *
   * @throws RejectedExecutionException when this node ends
   */
  void run(ByteString group, boolean mayBlock, Runnable task) {
    if (mayBlock || !runNow(group, task)) {
      line(group).add(task);
    }
  }

  /** Runs a task of a group that may not block, unless something of the group waits. */
  boolean runNow(ByteString group, Runnable task) {
    if (line(group).isBusy()) {
      return false;
    }
    task.run();
    return true;
  }

  private Line line(ByteString group) {
    return lines.computeIfAbsent(group, g -> new Line());
  }

  private final class Line implements Runnable {
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>(); // guarded by this
    private volatile boolean busy; // written under this

    boolean isBusy() {
      return busy;
    }

    void add(Runnable task) {
      boolean starts;
      synchronized (this) {
        tasks.add(task);
        starts = !busy;
        busy = true;
      }
      if (starts) {
        try {
          threads.execute(this);
        } catch (RejectedExecutionException e) {
          synchronized (this) {
            busy = false;
            tasks.clear();
          }
          throw e;
        }
      }
    }

    private synchronized Runnable next() {
      Runnable next = tasks.poll();
      busy = next != null;
      return next;
    }

    @Override
    public void run() {
      for (Runnable task = next(); task != null; task = next()) {
        try {
          task.run();
        } catch (RuntimeException e) {
          LOG.error("a message to a member failed", e);
        }
      }
    }
  }
}
