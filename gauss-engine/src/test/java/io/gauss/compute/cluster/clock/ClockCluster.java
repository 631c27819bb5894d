package io.gauss.compute.cluster.clock;

import io.gauss.common.id.LamportClock;
import io.gauss.common.id.Lsn;
import io.gauss.common.transport.EpochGuard;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.TestNodes;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportSettings;
import io.gauss.common.transport.link.Loop;
import io.gauss.common.transport.sim.SimulatedHarness;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * Compute nodes with their clocks and the broadcast of commits, in simulated time: a log that takes
 * a while to force, an arbiter that takes a while to decide, nodes that can be frozen. A node's
 * epoch is its number.
 *
 * <p>Keeps what was acknowledged, and compares each snapshot with it.
 */
final class ClockCluster implements AutoCloseable {
  private static final long TICK_NANOS = 2_000_000;

  private final long seed;
  private final ClockTimes times;
  private final Set<Integer> unreachable = new HashSet<>();
  private final Random random;
  private final SimulatedHarness harness;
  private final Loop loop;
  private final List<Member> members = new ArrayList<>();
  private final Map<Integer, Long> suspended = new HashMap<>();
  private long decisions;
  private long acknowledged;
  private long snapshots;

  ClockCluster(int nodes, long seed) {
    this(nodes, seed, ClockTimes.DEFAULTS);
  }

  ClockCluster(int nodes, long seed, ClockTimes times) {
    this.seed = seed;
    this.times = times;
    random = new Random(seed);
    harness = new SimulatedHarness(seed);
    loop = harness.time().loop();
    harness.network().delay(Duration.ofNanos(50_000), Duration.ofMillis(1));
    for (int i = 1; i <= nodes; i++) {
      members.add(new Member(i));
    }
    for (Member member : members) {
      for (Member other : members) {
        if (member != other) {
          member.broadcast.install(other.node, other.node, other.address);
        }
      }
      member.broadcast.begin();
      member.keepTime();
    }
  }

  /** A compute node. */
  final class Member {
    final int node;
    final CommitBroadcast broadcast;
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final LamportClock clock;
    private final NodeAddress address;
    private final List<Runnable> missed = new ArrayList<>();
    private final TreeMap<Long, Long> waiting = new TreeMap<>(); // CSN to when it was reserved
    private final Set<Long> changes = new HashSet<>(); // commits that change the catalog
    private long changed; // the newest of them that is acknowledged
    private long durable;
    private long visible;
    private boolean frozen;
    private long lastAnswer;
    private long longestGap;

    private Member(int node) {
      this.node = node;
      this.clock = new LamportClock(node, Lsn.of(100, node));
      Transport transport =
          harness.open(
              new TransportConfig(
                  NodeIdentity.of(node, NodeRole.COMPUTE, node, clock),
                  TestNodes.KEY,
                  EpochGuard.NONE,
                  TransportSettings.DEFAULTS,
                  meters));
      this.broadcast =
          new CommitBroadcast(
              transport, clock, new SlowArbiter(this), times, harness.time()::nanoTime);
      broadcast.attach(this::evaluate, clock::now);
      Handlers handlers = new Handlers();
      broadcast.register(handlers);
      address = transport.listen(harness.anyAddress(), handlers);
    }

    private void keepTime() {
      whenRunning(broadcast::tick);
      whenRunning(this::evaluate);
      loop.schedule(this::keepTime, TICK_NANOS);
    }

    /** A frozen node does it when it continues. */
    private void whenRunning(Runnable action) {
      if (frozen) {
        missed.add(action);
      } else {
        action.run();
      }
    }

    private void learn(long[] byNode) {
      broadcast.suspensions(byNode[node], epoch -> byNode[(int) epoch]);
    }

    /** The map shows another node again, and did not show that it was gone. */
    void hearsOfReturn(Member other, int epoch) {
      broadcast.install(other.node, epoch, other.address);
    }

    long clock() {
      return clock.now();
    }

    boolean isFrozen() {
      return frozen;
    }

    boolean isValid() {
      return broadcast.isValid();
    }

    /** Commits up to now are counted for the gap from now on. */
    void startMeasuring() {
      lastAnswer = harness.time().nanoTime();
      longestGap = 0;
    }

    Duration longestGap() {
      return Duration.ofNanos(longestGap);
    }

    void commit() {
      boolean changesCatalog = random.nextInt(4) == 0;
      long begun = changesCatalog ? broadcast.catalogCommitting() : 0;
      long csn = clock.next(1);
      if (changesCatalog) {
        changes.add(csn);
        broadcast.catalogCommitted(begun, csn);
      }
      waiting.put(csn, harness.time().nanoTime());
      broadcast.sending(csn);
      loop.schedule(
          () ->
              whenRunning(
                  () -> {
                    durable = Math.max(durable, csn);
                    evaluate();
                  }),
          200_000 + random.nextInt(2_000_000));
    }

    /** As the log does it: first what is durable, then the others. */
    private void evaluate() {
      if (frozen) {
        return;
      }
      long forced = durable;
      visible = Math.max(visible, Math.min(forced, broadcast.through()));
      while (!waiting.isEmpty() && waiting.firstKey() <= visible && broadcast.isValid()) {
        acknowledged = Math.max(acknowledged, waiting.firstKey());
        changed = changes.contains(waiting.firstKey()) ? waiting.firstKey() : changed;
        waiting.pollFirstEntry();
        long now = harness.time().nanoTime();
        longestGap = Math.max(longestGap, now - lastAnswer);
        lastAnswer = now;
      }
    }

    /**
     * Takes a snapshot, if this node may; also a frozen one, as it would at the moment when it
     * continues.
     */
    void snapshot() {
      if (broadcast.isValid()) {
        snapshots++;
        if (clock.now() < acknowledged) {
          throw new AssertionError(
              "node %d took a snapshot at %s at %s, %s was acknowledged"
                  .formatted(
                      node, Lsn.toString(clock.now()), harness.time(), Lsn.toString(acknowledged)));
        }
        for (Member other : members) {
          if (other != this && broadcast.catalogHeard() < other.changed) {
            throw new AssertionError(
                "node %d took a snapshot and has not heard of the catalog of node %d at %s, seed %d"
                    .formatted(node, other.node, Lsn.toString(other.changed), seed));
          }
        }
      }
    }

    void freeze() {
      frozen = true;
      for (Member other : members) {
        if (other != this) {
          harness.network().cut(node, other.node);
        }
      }
    }

    /** Its process ends. */
    void crash() {
      freeze();
      broadcast.close();
    }

    void thaw() {
      frozen = false;
      snapshot();
      for (Member other : members) {
        if (other != this && !other.frozen) {
          harness.network().heal(node, other.node);
        }
      }
      List<Runnable> all = List.copyOf(missed);
      missed.clear();
      all.forEach(Runnable::run);
    }

    double callsSent() {
      return meters
          .counter("gauss.transport.messages", "direction", "sent", "type", "clock.advance")
          .count();
    }
  }

  /** The cluster map: decides in one order, a little later, and everybody learns of it. */
  private final class SlowArbiter implements Arbiter {
    private final Member by;

    private SlowArbiter(Member by) {
      this.by = by;
    }

    @Override
    public void suspend(int node, int epoch, long known) {
      later(
          () -> {
            long present = suspended.getOrDefault(node, 0L);
            if (!suspended.containsKey(by.node) && (present == 0 || present == known)) {
              suspended.put(node, ++decisions);
              tell();
            }
          });
    }

    @Override
    public void resume(long number, int newestEpoch) {
      later(
          () -> {
            if (suspended.getOrDefault(by.node, 0L) == number) {
              suspended.remove(by.node);
              tell();
            }
          });
    }

    @Override
    public void unreachable(int node, int epoch) {
      unreachable.add(node); // nobody is declared dead here
    }

    private void later(Runnable action) {
      loop.schedule(action, 2_000_000 + random.nextInt(10_000_000));
    }

    private void tell() {
      Map<Integer, Long> now = Map.copyOf(suspended);
      long[] byNode = new long[members.size() + 1];
      now.forEach((node, number) -> byNode[node] = number);
      for (Member member : members) {
        // Each hears of all decisions in their order.
        loop.schedule(
            () -> member.whenRunning(() -> member.learn(byNode)), 1_000_000 + member.node);
      }
    }
  }

  List<Member> members() {
    return members;
  }

  Member member(int node) {
    return members.get(node - 1);
  }

  long snapshots() {
    return snapshots;
  }

  long acknowledged() {
    return acknowledged;
  }

  /** Nodes that were reported as not to be reached. */
  Set<Integer> unreachable() {
    return unreachable;
  }

  /** How long each message takes from now on. */
  void delay(Duration least, Duration most) {
    harness.network().delay(least, most);
  }

  void cut(int one, int other) {
    harness.network().cut(one, other);
  }

  void heal(int one, int other) {
    if (!member(one).frozen && !member(other).frozen) {
      harness.network().heal(one, other);
    }
  }

  void advance(Duration duration) {
    harness.time().advance(duration);
  }

  /** Everybody commits and takes snapshots for so long, a few times per millisecond. */
  void work(Duration duration) {
    long end = harness.time().nanoTime() + duration.toNanos();
    while (harness.time().nanoTime() < end) {
      for (Member member : members) {
        if (!member.frozen && random.nextInt(3) == 0) {
          member.commit();
        }
        member.snapshot();
      }
      advance(Duration.ofNanos(200_000 + random.nextInt(600_000)));
    }
  }

  @Override
  public void close() {
    members.forEach(member -> member.broadcast.close());
    harness.close();
  }
}
