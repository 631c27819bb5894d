package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.LamportClock;
import io.gauss.common.page.PageLayout;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.store.StoreEngine;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.wait.CurrentWait;
import io.gauss.storage.map.ClusterMapTransitions;
import io.gauss.storage.map.ClusterMapTransitions.Applied;
import io.gauss.storage.map.MapHistory;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.Join;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.client.ClusterMapClient;
import io.gauss.storage.map.client.ClusterMember;
import io.gauss.storage.map.client.MapConnection;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.message.MapAnswer;
import io.gauss.storage.map.message.MapRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The order in which a recoverer ends a recovery, over a map in memory (rule 34), and what has to
 * be durable before (rule 4 for rollbacks).
 */
@Timeout(300)
class LetGoFirstTest {
  private static final long CLOCK = MapHistory.CLOCK;

  private final StoreEngine engine = new StoreEngine(256, PageLayout.PAGE_BYTES);
  private final List<String> done = new CopyOnWriteArrayList<>();
  private final MapInMemory map = new MapInMemory();
  private final ClusterMapClient client = new ClusterMapClient(List.of(map));
  private final Recoverer hooks = new Recoverer(new LamportClock(4, 0));
  private final ClusterMember member =
      new ClusterMember(
          client, new ClusterMember.Identity(0, Set.of(Role.COMPUTE), ""), hooks, System::nanoTime);
  private final Takeovers takeovers =
      new Takeovers(hooks.lamport, client, member, death -> note("resigned"));

  /** A rollback of this node, LSN in its log; 0 = there was none. */
  private volatile long rolledBack;

  private volatile EngineContext context; // of the takeover
  private volatile Runnable removal = () -> {};
  private volatile boolean watchesTakeOver;

  private void note(String what) {
    boolean isDurable = rolledBack <= engine.transactions().log().durableLsn();
    done.add(isDurable ? what : what + " before a rollback was durable");
  }

  private EngineContext newContext() {
    context = engine.newContext();
    return context;
  }

  private Transaction writer() {
    Transaction writer = engine.session();
    writer.begin(Transaction.IsolationLevel.READ_COMMITTED);
    writer.ensureXid();
    engine.engine().quiesce();
    return writer;
  }

  /** From now on nothing becomes durable, that rollback least of all. */
  private void rollsBackInMemory(Transaction writer) {
    engine.engine().stream().hold();
    writer.rollback();
    rolledBack = engine.transactions().log().reservedLsn();
  }

  /** Until the takeover waits for the log, or goes on without. */
  private void awaitLogOr(String step) {
    while (done.stream().noneMatch(one -> one.startsWith(step)) && !waitsForLog()) {
      assertFalse(Thread.interrupted(), "it did not happen in time");
      Thread.yield();
    }
    engine.engine().stream().release();
  }

  private boolean waitsForLog() {
    EngineContext takesOver = context;
    CurrentWait wait = takesOver == null ? null : takesOver.waits().current();
    return rolledBack != 0 && wait != null && wait.cause().equals("log");
  }

  @AfterEach
  void close() {
    takeovers.close();
    member.close();
    client.close();
    engine.close();
  }

  /** It holds the segments as long as it cannot stand in for the slot anew. */
  private boolean holdsSegments() {
    try {
      engine.transactions().takeOver(engine.newContext(), MapHistory.DIES_SLOT);
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }

  @Test
  void segmentsAreGivenUpBeforeTheMapHearsThatTheRecoveryIsOver() {
    joins();
    int dead = dies();
    awaitEndOf(dead);
    assertEquals(List.of("leftovers removed", "resigned", "reported"), done);
  }

  /** Nobody would roll back again what the recoverer's own death takes back after that. */
  @Test
  void rollbacksAreDurableBeforeSegmentsAreGivenUp() {
    joins();
    Transaction writer = writer();
    removal = () -> rollsBackInMemory(writer);
    int dead = dies();
    awaitLogOr("resigned");
    awaitEndOf(dead);
    assertEquals(List.of("leftovers removed", "resigned", "reported"), done);
  }

  /** Among them may be some of an attempt that failed: what is found would count as durable. */
  @Test
  void rollbacksAreDurableBeforeSegmentsAreRead() {
    joins();
    watchesTakeOver = true;
    rollsBackInMemory(writer());
    int dead = dies();
    awaitLogOr("taken over");
    awaitEndOf(dead);
    assertEquals(List.of("taken over", "leftovers removed", "resigned", "reported"), done);
  }

  private void joins() {
    CompletableFuture<ClusterMap> joined =
        member.join(List.of(new Endpoint(Endpoint.Purpose.PEER, "host", 7000)));
    Join join = client.await(m -> !m.joins().isEmpty()).join().joins().values().iterator().next();
    for (int node : join.pending()) {
      map.apply(new MapCommand.AcknowledgeJoin(node, map.epoch(node), join.epoch(), CLOCK));
    }
    joined.join();
    takeovers.begin(engine.transactions(), this::newContext);
    takeovers.finish(new Left());
  }

  /** Its epoch. */
  private int dies() {
    othersAreNoRecoverers();
    int dead = map.epoch(MapHistory.DIES);
    map.apply(new MapCommand.ExpireLease(MapHistory.DIES, dead, map.renewals(MapHistory.DIES)));
    map.apply(new MapCommand.StreamSealed(dead, 1, CLOCK));
    for (int node : Set.copyOf(map.now.deaths().get(dead).installPending())) {
      if (node != member.node()) {
        map.apply(new MapCommand.AcknowledgeDeath(node, map.epoch(node), dead, CLOCK + 1));
      }
    }
    return dead;
  }

  private void awaitEndOf(int dead) {
    client.await(m -> m.deaths().isEmpty() && m.isDead(MapHistory.DIES, dead)).join();
  }

  /** Who is suspected recovers nobody if another node serves. */
  private void othersAreNoRecoverers() {
    for (MapNode node : map.now.live(Role.COMPUTE)) {
      if (node.id() != member.node() && node.id() != MapHistory.DIES) {
        map.apply(new MapCommand.Suspect(node.id(), node.epoch(), node.lease().renewals()));
      }
    }
  }

  private final class Left implements Leftovers {
    @Override
    public void ofSlot(int slot) {
      done.add("leftovers removed");
      removal.run();
    }

    @Override
    public void ofOwn() {
      // Comes after the report, on a thread of its own.
    }
  }

  /** The only storage node. */
  private final class MapInMemory implements MapConnection {
    private volatile ClusterMap now = MapHistory.twoDeathsAndReturns().getFirst();
    private final List<CompletableFuture<MapAnswer>> watchers = new ArrayList<>();

    int epoch(int node) {
      return now.nodes().get(node).epoch();
    }

    long renewals(int node) {
      return now.nodes().get(node).lease().renewals();
    }

    synchronized MapResult apply(MapCommand command) {
      Applied applied = ClusterMapTransitions.apply(now, command);
      if (applied.map().version() > now.version()) {
        now = applied.map();
        List<CompletableFuture<MapAnswer>> told = List.copyOf(watchers);
        watchers.clear();
        told.forEach(watcher -> watcher.completeAsync(() -> new MapAnswer.NewMap(now)));
      }
      return applied.result();
    }

    @Override
    public int node() {
      return 1;
    }

    @Override
    public synchronized CompletableFuture<MapAnswer> request(MapRequest request, long timeout) {
      return switch (request) {
        case MapRequest.Watch watch when watch.version() >= now.version() -> {
          CompletableFuture<MapAnswer> answer = new CompletableFuture<>();
          watchers.add(answer);
          yield answer;
        }
        case MapRequest.Watch watch -> CompletableFuture.completedFuture(new MapAnswer.NewMap(now));
        case MapRequest.Propose propose -> {
          if (propose.command() instanceof MapCommand.FinishRecovery) {
            note(holdsSegments() ? "reported before it let go" : "reported");
          }
          if (propose.command() instanceof MapCommand.TakeOver && watchesTakeOver) {
            note("taken over");
          }
          MapResult result = apply(propose.command());
          yield CompletableFuture.completedFuture(new MapAnswer.Result(result, now.version()));
        }
        default ->
            CompletableFuture.failedFuture(
                new GaussException(SqlState.CANNOT_CONNECT_NOW, "not here: " + request));
      };
    }
  }

  private record Recoverer(LamportClock lamport) implements ClusterMember.Hooks {
    @Override
    public long clock() {
      return lamport.now();
    }

    @Override
    public void raiseClock(long lsn) {
      lamport.observe(lsn);
    }

    @Override
    public void installReceiver(MapNode joining) {
      throw new IllegalStateException("nobody joins");
    }

    @Override
    public CompletableFuture<Void> installDeath(Death death) {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void epochLost(String why) {
      throw new IllegalStateException(why);
    }
  }
}
