package io.gauss.common.transport.sim;

import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.link.Loop;
import io.gauss.common.transport.local.Carrier;
import io.gauss.common.transport.local.LocalNetwork;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * A network in simulated time with faults. All randomness comes from one seed. To be used by one
 * thread.
 *
 * <p>A connection behaves as TCP does: within it nothing is lost, doubled or reordered. So a cut
 * only delays messages; they arrive when the cut is healed, unless one side has given the
 * connection up before. Messages of different connections overtake each other by their random
 * delays. {@link #duplicate} simulates repetitions by layers above TCP, and is only for message
 * types that tolerate it.
 */
public final class SimulatedNetwork implements Carrier {
  private final SimulatedTime time;
  private final Random random;
  private final LocalNetwork network;
  private final Set<Direction> cuts = new HashSet<>();
  private final Map<Direction, Line> lines = new HashMap<>();
  private final Map<Integer, Double> duplicated = new HashMap<>();
  private final List<SimulatedPath> paths = new ArrayList<>();
  private Line everyLine = new Line(20_000, 200_000, 0);

  private record Direction(int from, int to) {}

  /**
   * @param bytesPerSecond 0 = no limit
   */
  private record Line(long minDelayNanos, long maxDelayNanos, long bytesPerSecond) {}

  public SimulatedNetwork(SimulatedTime time, long seed) {
    this.time = time;
    this.random = new Random(seed);
    this.network = new LocalNetwork(node -> time.stoppableLoop(), this, random::nextDouble);
  }

  public Transport transport(TransportConfig config) {
    return network.transport(config);
  }

  /** Sets the delays of all connections without individual ones. */
  public void delay(Duration min, Duration max) {
    everyLine = new Line(min.toNanos(), max.toNanos(), 0);
  }

  /** One direction becomes slow: each message takes this long and its bytes' time. */
  public void slow(int from, int to, Duration delay, long bytesPerSecond) {
    lines.put(new Direction(from, to), new Line(delay.toNanos(), delay.toNanos(), bytesPerSecond));
  }

  /** Nothing arrives in this direction until it is healed. */
  public void cutOneWay(int from, int to) {
    cuts.add(new Direction(from, to));
  }

  public void cut(int one, int other) {
    cutOneWay(one, other);
    cutOneWay(other, one);
  }

  /** The first group and the second cannot reach each other. */
  public void partition(Set<Integer> one, Set<Integer> other) {
    one.forEach(a -> other.forEach(b -> cut(a, b)));
  }

  public void heal(int one, int other) {
    cuts.remove(new Direction(one, other));
    cuts.remove(new Direction(other, one));
    releaseHeld();
  }

  public void healAll() {
    cuts.clear();
    releaseHeld();
  }

  /** Breaks the connections between two nodes at once; messages under way are lost. */
  public void reset(int one, int other) {
    List<SimulatedPath> broken = paths.stream().filter(path -> path.connects(one, other)).toList();
    broken.forEach(path -> path.from.execute(path.onReset));
    broken.forEach(SimulatedPath::discardHeld);
  }

  /** One-way messages of this type arrive twice with this probability. */
  public void duplicate(int messageType, double probability) {
    duplicated.put(messageType, probability);
  }

  private void releaseHeld() {
    List.copyOf(paths).forEach(SimulatedPath::releaseHeld);
  }

  @Override
  public Path open(int fromNode, int toNode, Loop from, Loop to, Runnable onReset) {
    SimulatedPath path = new SimulatedPath(new Direction(fromNode, toNode), from, to, onReset);
    paths.add(path);
    return path;
  }

  private final class SimulatedPath implements Path {
    private final Direction direction;
    private final Loop from;
    private final Loop to;
    private final Runnable onReset;
    private final ArrayDeque<Held> held = new ArrayDeque<>();
    private long lastArrivalNanos;
    private boolean ended;

    private record Held(long bytes, Runnable delivery) {}

    private SimulatedPath(Direction direction, Loop from, Loop to, Runnable onReset) {
      this.direction = direction;
      this.from = from;
      this.to = to;
      this.onReset = onReset;
    }

    private boolean connects(int one, int other) {
      return direction.equals(new Direction(one, other))
          || direction.equals(new Direction(other, one));
    }

    @Override
    public void carry(long bytes, Runnable delivery) {
      if (cuts.contains(direction) || !held.isEmpty()) {
        held.add(new Held(bytes, delivery));
      } else {
        deliver(bytes, delivery);
      }
    }

    private void deliver(long bytes, Runnable delivery) {
      Line line = lines.getOrDefault(direction, everyLine);
      long spread = line.maxDelayNanos() - line.minDelayNanos();
      long delay = line.minDelayNanos() + (spread > 0 ? random.nextLong(spread) : 0);
      long sending = line.bytesPerSecond() == 0 ? 0 : bytes * 1_000_000_000 / line.bytesPerSecond();
      // A slow line sends messages one after another, and none overtakes another within a
      // connection.
      long arrival = Math.max(time.nanoTime() + delay, lastArrivalNanos) + sending;
      lastArrivalNanos = arrival;
      time.arrive(to, delivery, arrival - time.nanoTime());
    }

    private void releaseHeld() {
      if (!cuts.contains(direction)) {
        List<Held> released = List.copyOf(held);
        held.clear();
        released.forEach(message -> deliver(message.bytes(), message.delivery()));
        if (ended) {
          paths.remove(this);
        }
      }
    }

    /** After the reset of both ends, which then only release the buffers. */
    private void discardHeld() {
      held.forEach(message -> time.arrive(to, message.delivery(), 0));
      held.clear();
    }

    @Override
    public int copies(int messageType) {
      return random.nextDouble() < duplicated.getOrDefault(messageType, 0.0) ? 2 : 1;
    }

    /** Messages sent before still arrive, as with TCP, once no cut delays them any more. */
    @Override
    public void close() {
      ended = true;
      if (held.isEmpty()) {
        paths.remove(this);
      }
    }
  }
}
