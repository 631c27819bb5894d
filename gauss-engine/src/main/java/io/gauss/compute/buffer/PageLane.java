package io.gauss.compute.buffer;

import io.gauss.common.fault.FaultPoints;
import io.gauss.common.health.Problem;
import io.gauss.common.runtime.Environment;
import io.gauss.memory.holder.PageFrames;
import io.gauss.memory.holder.PageHolders;
import io.gauss.memory.wire.Outbox;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that handles all work concerning other nodes' rights to some of the pages. It may wait
 * for latches, and for nothing else (rule 21).
 */
final class PageLane implements Executor, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PageLane.class);
  private static final long CLOSE_SECONDS = 10;

  private final ScheduledExecutorService thread;
  private final Set<Long> fresh = new HashSet<>();
  private final Map<Long, Long> refused = new HashMap<>(); // since when, in nanoseconds
  private final Set<Long> toReturn = new HashSet<>();
  private final Outbox out;
  private PageFrames frames;
  private PageHolders holders;
  private volatile String failure;

  /**
   * @param out takes its messages, after each task
   */
  PageLane(int number, Outbox out) {
    this.out = out;
    thread = Environment.abruptScheduler("gauss-pages-" + number);
  }

  /** Before the first task: the frames of its pages, and the slot of this node. */
  void join(PageFrames own, int self) {
    frames = own;
    holders = new PageHolders(self, own, out);
  }

  /** On this thread only. */
  PageFrames frames() {
    return frames;
  }

  /** On this thread only. */
  PageHolders holders() {
    return holders;
  }

  /** The failures of steps; no step should fail. */
  List<Problem> problems() {
    String why = failure;
    return why == null ? List.of() : List.of(new Problem("rights to pages are in disorder", why));
  }

  /** Pages under way that need not be read, since they were never written. On this thread only. */
  Set<Long> fresh() {
    return fresh;
  }

  /** Pages whose home had no room, and since when. On this thread only. */
  Map<Long, Long> refused() {
    return refused;
  }

  /** Pages that go home when a transaction has ended. On this thread only. */
  Set<Long> toReturn() {
    return toReturn;
  }

  @Override
  public void execute(Runnable task) {
    try {
      thread.execute(() -> run(task));
    } catch (RejectedExecutionException e) {
      LOG.debug("closed: {}", e.getMessage());
    }
  }

  void later(long nanos, Runnable task) {
    try {
      thread.schedule(() -> run(task), nanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("closed: {}", e.getMessage());
    }
  }

  private void run(Runnable task) {
    FaultPoints.hit("pages.lane");
    step(task);
    step(out::flush);
  }

  /** On this thread: a failure in one step does not prevent the next. */
  void step(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | AssertionError e) {
      LOG.error("a step about other nodes' rights to pages has failed", e);
      failure = e.toString();
    }
  }

  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("the thread for pages does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
