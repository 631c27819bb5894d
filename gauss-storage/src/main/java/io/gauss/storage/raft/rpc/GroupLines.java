package io.gauss.storage.raft.rpc;

import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has what may wait for the disk done by other threads than the event loops, without letting what
 * follows in the same group overtake it.
 */
final class GroupLines {
  private static final Logger LOG = LoggerFactory.getLogger(GroupLines.class);

  private final Executor threads;
  private final ConcurrentMap<ByteString, Line> lines = new ConcurrentHashMap<>();

  GroupLines(Executor threads) {
    this.threads = threads;
  }

  /**
   * Runs a task of a group on another thread, behind those that wait.
   *
   * @param isVoid whether nobody waits for the task any more: then it is not run, and what it holds
   *     is forgotten
   * @throws RejectedExecutionException when this node ends
   */
  void run(ByteString group, BooleanSupplier isVoid, Runnable task) {
    line(group).add(new Task(isVoid, task));
  }

  /**
   * Whether nothing of a group waits or runs. It stays so until the next {@link #run}: one thread
   * calls both.
   */
  boolean isIdle(ByteString group) {
    return !line(group).isBusy();
  }

  private Line line(ByteString group) {
    return lines.computeIfAbsent(group, g -> new Line());
  }

  private record Task(BooleanSupplier isVoid, Runnable action) {}

  private final class Line implements Runnable {
    private final ArrayDeque<Task> tasks = new ArrayDeque<>(); // guarded by this
    private volatile boolean busy; // written under this

    boolean isBusy() {
      return busy;
    }

    void add(Task task) {
      boolean starts;
      synchronized (this) {
        // While a disk hangs, a leader sends the same entries again and again.
        tasks.removeIf(waiting -> waiting.isVoid().getAsBoolean());
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

    private synchronized Task next() {
      Task next = tasks.poll();
      busy = next != null;
      return next;
    }

    @Override
    public void run() {
      for (Task task = next(); task != null; task = next()) {
        try {
          if (!task.isVoid().getAsBoolean()) {
            task.action().run();
          }
        } catch (RuntimeException | Error e) {
          LOG.error("a message to a member failed", e); // those behind it are not to wait for ever
        }
      }
    }
  }
}
