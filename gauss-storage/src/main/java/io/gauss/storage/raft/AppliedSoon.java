package io.gauss.storage.raft;

import io.gauss.common.runtime.Environment;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has entries applied as soon as they are committed. In Ratis 3.3.0 the thread that applies looks
 * for a commit and, when there is none, waits for the signal of the next one; a signal that comes
 * between the two is lost ({@code AwaitForSignal} with a time-out knows of none before the wait).
 * Unless another commit follows, that entry is applied, and its submitter answered, when the wait
 * ends after 100 ms. On a busy machine the thread may be held up at just that point.
 *
 * <p>So the signal is given again, some milliseconds after entries were forced, while they are
 * committed and not applied. One timer serves all groups, and only while there are entries to
 * apply. Entries that are not committed a second later are without a majority, and are no longer
 * waited for.
 *
 * <p>Ratis offers nobody outside its package to give that signal, so it is given by its name.
 * Thread-safe.
 */
final class AppliedSoon {
  private static final Logger LOG = LoggerFactory.getLogger(AppliedSoon.class);
  private static final long PAUSE_NANOS = 3_000_000;
  private static final long LONGEST_NANOS = 1_000_000_000;
  private static final MethodHandle SIGNAL = signal();

  /** Entries of a group up to an index that were forced, some time ago. */
  private record Forced(GroupMachine machine, long index, long atNanos) {}

  private final ScheduledExecutorService timer;
  private final Map<RaftGroupId, Forced> forced = new ConcurrentHashMap<>();
  private final AtomicBoolean looking = new AtomicBoolean();

  AppliedSoon(ScheduledExecutorService timer) {
    this.timer = timer;
  }

  private static MethodHandle signal() {
    try {
      Class<?> member = Class.forName("org.apache.ratis.server.impl.RaftServerImpl");
      Class<?> state = Class.forName("org.apache.ratis.server.impl.ServerState");
      MethodHandles.Lookup inside = MethodHandles.privateLookupIn(member, MethodHandles.lookup());
      MethodHandle signal =
          inside.findVirtual(state, "notifyStateMachineUpdater", MethodType.methodType(void.class));
      MethodHandle stateOf = inside.findVirtual(member, "getState", MethodType.methodType(state));
      return MethodHandles.filterArguments(signal, 0, stateOf)
          .asType(MethodType.methodType(void.class, RaftServer.Division.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e); // another version of Ratis
    }
  }

  /** A group's entries up to this one are being forced here. */
  void forcing(GroupMachine machine, long index) {
    forced.put(machine.getGroupId(), new Forced(machine, index, Environment.nanoTime()));
    lookLater();
  }

  private void lookLater() {
    if (looking.compareAndSet(false, true)) {
      try {
        timer.schedule(this::look, PAUSE_NANOS, TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException e) {
        LOG.debug("this node ends", e);
      }
    }
  }

  private void look() {
    looking.set(false); // whoever comes from now on has another look
    forced.forEach(
        (group, until) -> {
          if (!isAwaited(until)) {
            forced.remove(group, until);
          }
        });
    if (!forced.isEmpty()) {
      lookLater();
    }
  }

  private static boolean isAwaited(Forced until) {
    try {
      RaftServer.Division member = until.machine().member();
      long applied = member.getInfo().getLastAppliedIndex();
      if (applied < member.getRaftLog().getLastCommittedIndex()) {
        SIGNAL.invokeExact(member);
      }
      return applied < until.index()
          && member.getInfo().isAlive()
          && Environment.nanoTime() - until.atNanos() < LONGEST_NANOS;
    } catch (IOException | RuntimeException e) {
      LOG.debug("{} ends", until.machine(), e);
      return false;
    } catch (Throwable e) {
      throw new IllegalStateException(e); // the signal throws nothing else
    }
  }
}
