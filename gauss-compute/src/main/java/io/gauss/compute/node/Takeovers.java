package io.gauss.compute.node;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.fault.FaultPoints;
import io.gauss.common.id.LamportClock;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.txn.Transactions;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.client.ClusterMapClient;
import io.gauss.storage.map.client.ClusterMember;
import io.gauss.storage.map.client.EpochSteps;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recovers the dead compute nodes that the cluster map has given to this one, its own earlier lives
 * included: takes over undo segments, reports that to the map, and reports again when the last
 * unfinished transaction is rolled back (rules 10 to 12; {@code Death} has the steps).
 *
 * <p>Several lives of one node may wait for recovery. They are recovered in the order of their
 * epochs, as they used the same segments one after the other: a later one waits for its turn as the
 * node's restart does ({@link #awaitOwnSlot}), and so has left nothing in the segments that the
 * earlier one's recoverer could find.
 *
 * <p>Thread-safe. A thread of its own takes over, and another one removes what dead nodes have
 * left: for that it reads, and may have to wait until every node that is dead is taken over, also
 * one that died meanwhile.
 */
final class Takeovers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Takeovers.class);
  private static final Duration PROPOSAL = Duration.ofSeconds(10);
  private static final long LOOK_MILLIS = 50;
  private static final long AGAIN_MILLIS = 1_000;
  private static final long SAY_SO_MILLIS = 3_000;
  private static final long CLOSE_SECONDS = 10;

  private final LamportClock clock;
  private final ClusterMapClient cluster;
  private final ClusterMember member;
  private final Consumer<Death> resign;
  private final ScheduledExecutorService thread = Environment.scheduler("gauss-takeover");
  private final ScheduledExecutorService remover = Environment.scheduler("gauss-leftovers");
  private Transactions transactions; // set before the first task
  private Supplier<EngineContext> contexts;

  /** Null while this node does not serve: until then no recovery ends. */
  private volatile Leftovers leftovers;

  // Of the thread.
  private final Set<Integer> folded = new HashSet<>(); // dead epochs
  private final Map<Integer, CompletableFuture<Void>> removed = new HashMap<>(); // by dead epoch
  private final Set<Integer> resigned = new HashSet<>(); // likewise: not answered for any more
  private final Set<Integer> over = new HashSet<>(); // likewise; the map may still have them
  private final EpochSteps steps = new EpochSteps();
  private boolean ownPending; // some recovery is over, and removeOwn has not run since
  private boolean isScheduled;

  /**
   * @param resign makes this node give no answers about the dead epoch's transactions any more, and
   *     not read its segments either, until the map has it that the recovery is over
   */
  Takeovers(
      LamportClock clock, ClusterMapClient cluster, ClusterMember member, Consumer<Death> resign) {
    this.clock = clock;
    this.cluster = cluster;
    this.member = member;
    this.resign = resign;
  }

  /**
   * Waits until this node may read its undo segments: until then they are held by another node that
   * recovers this node's earlier lives.
   *
   * @param ended completes when this node loses its place
   * @throws GaussException 57P01 when that happens, or the thread is interrupted
   */
  void awaitOwnSlot(CompletableFuture<String> ended) {
    CompletableFuture<ClusterMap> free = cluster.await(this::ownSlotIsFree);
    CompletableFuture<Object> either = CompletableFuture.anyOf(free, ended);
    try {
      while (true) {
        try {
          Environment.get(either, SAY_SO_MILLIS, TimeUnit.MILLISECONDS);
          break;
        } catch (TimeoutException e) {
          LOG.info("slot {} is still being recovered by another node; waiting", member.slot());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GaussException(SqlState.ADMIN_SHUTDOWN, "interrupted while starting", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("cannot follow the cluster map", e.getCause());
    } finally {
      free.cancel(false);
    }
    if (ended.isDone()) {
      throw new GaussException(SqlState.ADMIN_SHUTDOWN, ended.join());
    }
    for (Death death : cluster.map().deaths().values()) {
      if (death.slot() == member.slot()) {
        clock.observe(death.clock());
      }
    }
  }

  private boolean ownSlotIsFree(ClusterMap map) {
    return map.deaths().values().stream()
        .allMatch(death -> death.slot() != member.slot() || death.recoverer() == member.node());
  }

  /**
   * Begins to take over. These transactions have already recovered, or are rolling back, what this
   * node's earlier lives left. To be called before anything else is read: rows of the catalog may
   * be of a transaction of a node that is gone, and if no other node runs, this one has to
   * determine its outcome.
   */
  void begin(Transactions recovered, Supplier<EngineContext> newContexts) {
    transactions = recovered;
    contexts = newContexts;
    cluster.addListener(map -> later(0));
  }

  /**
   * The node serves: recoveries that have begun can end.
   *
   * @param left removes what other nodes have left
   */
  void finish(Leftovers left) {
    leftovers = left;
    later(0);
  }

  private void later(long millis) {
    try {
      thread.schedule(this::look, millis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("closed: {}", e.getMessage());
    }
  }

  private void look() {
    ClusterMap map = cluster.map();
    folded.retainAll(map.deaths().keySet());
    removed.keySet().retainAll(map.deaths().keySet());
    resigned.retainAll(map.deaths().keySet());
    over.retainAll(map.deaths().keySet());
    boolean isDead = map.isDead(member.node(), member.epoch()) || member.epoch() == 0;
    if (isDead) {
      return; // other nodes handle this node's own death
    }
    steps.follow(map, new Recovered());
    long again = Long.MAX_VALUE;
    List<Death> due = map.deaths().values().stream().filter(death -> isDue(map, death)).toList();
    // All are taken over before any is finished, so that others get answers about all of them.
    List<Death> held = new ArrayList<>();
    for (Death death : due) {
      if (takesOver(death)) {
        held.add(death);
      } else {
        again = AGAIN_MILLIS;
      }
    }
    for (Death death : held) {
      again = Math.min(again, finish(death));
    }
    boolean isAnswered =
        map.deaths().values().stream().allMatch(death -> map.mayServePagesOf(death));
    if (ownPending && isAnswered && leftovers != null) {
      ownPending = false;
      remove(this::removeOwn);
    }
    if (again != Long.MAX_VALUE && !isScheduled) {
      isScheduled = true;
      try {
        thread.schedule(
            () -> {
              isScheduled = false;
              look();
            },
            again,
            TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException e) {
        LOG.debug("closed: {}", e.getMessage());
      }
    }
  }

  private boolean isDue(ClusterMap map, Death death) {
    return death.hasStream()
        && death.recoverer() == member.node()
        && !over.contains(death.epoch())
        && death.isInstalled()
        && death.raisePending().isEmpty()
        && map.isSealed(death)
        && map.deaths().values().stream()
            .noneMatch(other -> other.slot() == death.slot() && other.epoch() < death.epoch());
  }

  /** Finds what the dead node has left, and answers for it; false when it is to be tried again. */
  private boolean takesOver(Death death) {
    try {
      clock.observe(death.clock());
      if (folded.add(death.epoch()) && death.slot() != member.slot()) {
        fold(death);
      }
      if (!death.takenOver()) {
        propose(new MapCommand.TakeOver(member.node(), member.epoch(), death.epoch(), clock.now()));
        LOG.info("this node answers for slot {} now", death.slot());
      }
      return true;
    } catch (RuntimeException e) {
      LOG.warn("epoch {} of node {} is not taken over yet", death.epoch(), death.node(), e);
      return false;
    }
  }

  /** Proceeds as far as possible; returns the number of milliseconds after which to check again. */
  private long finish(Death death) {
    try {
      if (transactions.hasUnfinished(death.slot())) {
        return LOOK_MILLIS;
      }
      if (leftovers == null) {
        return Long.MAX_VALUE; // checked again when the node serves
      }
      if (death.slot() != member.slot() && !resigned.contains(death.epoch())) {
        // Before the slot is free: its node may come back then and have sessions again.
        CompletableFuture<Void> done =
            removed.computeIfAbsent(
                death.epoch(), epoch -> remove(() -> removeLeftovers(death.slot())));
        if (!done.isDone()) {
          return LOOK_MILLIS;
        }
        letGo(death);
      }
      // Nobody would roll back again what a crash of this node takes back after that.
      LogBuffer log = transactions.log();
      log.awaitDurable(contexts.get(), log.reservedLsn());
      propose(new MapCommand.FinishRecovery(member.node(), member.epoch(), death.epoch()));
      over.add(death.epoch());
      LOG.info("epoch {} of node {} is recovered", death.epoch(), death.node());
      return LOOK_MILLIS; // another one may have waited for it
    } catch (RuntimeException e) {
      LOG.warn("epoch {} of node {} is not recovered yet", death.epoch(), death.node(), e);
      return AGAIN_MILLIS;
    }
  }

  /**
   * Rule 34: from the moment at which the cluster knows that the recovery is over, the slot's node
   * may be back and write its segments. This node learns of that moment later.
   */
  private void letGo(Death death) {
    resign.accept(death);
    if (!transactions.giveBack(death.slot())) {
      throw new IllegalStateException("slot " + death.slot() + " has unfinished transactions");
    }
    resigned.add(death.epoch());
  }

  /** Recoveries that are over, also those of which the map was missed (rule 35). */
  private final class Recovered implements EpochSteps.Follower {
    @Override
    public void recovered(EpochSteps.Life life) {
      ownPending |= life.slot() != 0;
    }
  }

  private CompletableFuture<Void> remove(Runnable what) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    try {
      remover.execute(
          () -> {
            try {
              what.run();
            } finally {
              done.complete(null);
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("closed: {}", e.getMessage());
    }
    return done;
  }

  private void removeOwn() {
    try {
      leftovers.ofOwn();
    } catch (RuntimeException e) {
      LOG.warn("trees that belong to no table are removed when this node starts", e);
    }
  }

  private void removeLeftovers(int slot) {
    FaultPoints.hit("takeover.leftovers");
    try {
      leftovers.ofSlot(slot);
    } catch (RuntimeException e) {
      LOG.warn("what slot {} has left is removed when its node starts", slot, e);
    }
  }

  private void fold(Death death) {
    boolean done = false;
    try {
      // Those of an earlier recovery, or that were read while the slot was at rest, are out of
      // date. Those of an earlier attempt that failed while it rolled back are held already, and
      // the rest is rolled back in the background.
      if (transactions.giveBack(death.slot())) {
        transactions.takeOver(contexts.get(), death.slot());
      }
      done = true;
    } finally {
      if (!done) {
        folded.remove(death.epoch());
      }
    }
  }

  private void propose(MapCommand command) {
    MapResult result = cluster.propose(command, PROPOSAL).join();
    if (result instanceof MapResult.Refused refused) {
      throw new IllegalStateException(refused.message());
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
    remover.shutdownNow();
    try {
      if (!thread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)
          || !remover.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("the recovery of other nodes does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
