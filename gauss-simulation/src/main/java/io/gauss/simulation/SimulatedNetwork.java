package io.gauss.simulation;

import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.link.Loop;
import io.gauss.common.transport.local.Carrier;
import io.gauss.common.transport.local.LocalNetwork;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The network between the nodes of a simulation. A connection behaves as TCP does: within it
 * nothing is lost, doubled or reordered, until it breaks. Then each end notices at a time of its
 * own, and what is under way arrives or does not. A cut delays messages until it is healed; whoever
 * waits for them too long gives the connection up.
 *
 * <p>Only the threads of the simulation use it.
 */
public final class SimulatedNetwork implements Carrier {
  private static final long MAX_NOTICE_NANOS = 2_000_000;

  private final Simulation simulation;
  private final SeededScheduler scheduler;
  private final Random random;
  private final LocalNetwork network;
  private final List<Line> lines = new ArrayList<>();
  private final Set<Direction> cuts = new HashSet<>();
  private final Map<Direction, Delay> delays = new HashMap<>();
  private final List<Stall> stalls = new ArrayList<>();
  private final List<Watch> watches = new ArrayList<>();
  private final Delay usual;
  private Tamper tamper = (from, to, messages) -> {};

  private record Direction(int from, int to) {}

  /**
   * @param minNanos least time that a message takes
   * @param maxNanos longest time that a message takes
   */
  public record Delay(long minNanos, long maxNanos) {}

  /** Looks at what one node sends to another one, and may have other bytes arrive. */
  @FunctionalInterface
  public interface Tamper {
    void sent(int from, int to, Messages messages);
  }

  /** Chooses among messages. */
  @FunctionalInterface
  public interface Choice {
    boolean isOneOf(int from, int to, Messages messages);
  }

  /** Connections that stand still. */
  public final class Stall {
    private final Choice choice;

    private Stall(Choice choice) {
      this.choice = choice;
    }

    /** They continue: what was sent meanwhile arrives, in order. */
    public void end() {
      stalls.remove(this);
      for (Line line : List.copyOf(lines)) {
        if (line.stalledBy.remove(this)) {
          line.release();
        }
      }
    }
  }

  /** Somebody who waits until such a message is sent. */
  private static final class Watch {
    private final Choice choice;
    private final Thread watcher;
    private boolean isSent;

    private Watch(Choice choice, Thread watcher) {
      this.choice = choice;
      this.watcher = watcher;
    }
  }

  /**
   * @param usual delay of all messages but those of slow lines
   */
  public SimulatedNetwork(Simulation simulation, Delay usual) {
    this.simulation = simulation;
    this.scheduler = simulation.scheduler();
    this.random = simulation.world();
    this.usual = usual;
    this.network = new LocalNetwork(this::loop, this, random::nextDouble);
  }

  private LocalNetwork.StoppableLoop loop(int node) {
    SimulatedLoop loop =
        new SimulatedLoop(scheduler, simulation.acting(), random, "transport-" + node);
    return new LocalNetwork.StoppableLoop(loop, loop::stop);
  }

  /** The transport of the calling thread's process. */
  public Transport transport(TransportConfig config) {
    return network.transport(config);
  }

  /** One direction becomes slow. */
  public void slow(int from, int to, Delay delay) {
    delays.put(new Direction(from, to), delay);
  }

  /** Nothing arrives in this direction until it is healed. */
  public void cut(int from, int to) {
    cuts.add(new Direction(from, to));
  }

  /** All directions are as fast as usual, and arrive. */
  public void heal() {
    cuts.clear();
    delays.clear();
    stalls.clear();
    lines.forEach(line -> line.stalledBy.clear());
    for (Line line : List.copyOf(lines)) {
      line.release();
    }
  }

  /** One direction arrives again. */
  public void heal(int from, int to) {
    cuts.remove(new Direction(from, to));
    delays.remove(new Direction(from, to));
    for (Line line : List.copyOf(lines)) {
      line.release();
    }
  }

  /**
   * Each connection stands still from the first such message on that is sent on it, as TCP does
   * when a packet is lost; other connections between the same nodes do not.
   */
  public Stall stall(Choice choice) {
    Stall stall = new Stall(choice);
    stalls.add(stall);
    return stall;
  }

  /**
   * Waits until such a message is sent, but not longer than so. It is under way then.
   *
   * @return whether one has been sent
   */
  public boolean awaitSent(Choice choice, long nanos) {
    Watch watch = new Watch(choice, Thread.currentThread());
    watches.add(watch);
    long end = scheduler.now() + nanos;
    while (!watch.isSent && scheduler.now() < end) {
      scheduler.parkNanos(this, end - scheduler.now());
    }
    watches.remove(watch);
    return watch.isSent;
  }

  /** From now on this one sees all that is sent. */
  public void tamper(Tamper with) {
    tamper = with;
  }

  /** Breaks all connections between two nodes. */
  void disconnect(int one, int other) {
    for (Line line : List.copyOf(lines)) {
      if (line.connects(one, other)) {
        line.breakSoon();
      }
    }
  }

  /** Breaks all connections of a node. */
  public void disconnect(int node) {
    for (Line line : List.copyOf(lines)) {
      if (line.from == node || line.to == node) {
        line.breakSoon();
      }
    }
  }

  /**
   * A node's process is gone: its ports refuse, and others notice that its connections are broken.
   */
  public void gone(int node) {
    network.forget(node);
    disconnect(node);
    lines.removeIf(line -> line.from == node);
  }

  /** Whether messages arrive in this direction. */
  public boolean reaches(int from, int to) {
    return !cuts.contains(new Direction(from, to));
  }

  /** Whether the process at this address exists, as its port shows. */
  boolean listens(NodeAddress address) {
    return network.listens(address);
  }

  /**
   * Asks a node's port whether its process exists.
   *
   * @param answered gets the answer a little later; never while either direction is cut
   */
  public void knock(int from, int to, NodeAddress address, Consumer<Boolean> answered) {
    if (reaches(from, to) && reaches(to, from)) {
      scheduler.after(
          simulation.acting(), 2 * usual.maxNanos(), () -> answered.accept(listens(address)));
    }
  }

  @Override
  public Path open(int fromNode, int toNode, Loop from, Loop to, Runnable onReset) {
    Line line = new Line(fromNode, toNode, (SimulatedLoop) from, (SimulatedLoop) to, onReset);
    lines.add(line);
    return line;
  }

  /** In the trace. */
  private record Sent(int from, int to, Runnable delivery) {
    @Override
    public String toString() {
      return "%3d -> %3d  %s".formatted(from, to, delivery);
    }
  }

  /** One direction of a connection. */
  private final class Line implements Path {
    private final int from;
    private final int to;
    private final SimulatedLoop sender;
    private final SimulatedLoop receiver;
    private final Runnable onReset;
    private final ArrayDeque<Runnable> held = new ArrayDeque<>();
    private final List<Stall> stalledBy = new ArrayList<>();
    private long lastArrival;
    private boolean closed;

    private Line(int from, int to, SimulatedLoop sender, SimulatedLoop receiver, Runnable onReset) {
      this.from = from;
      this.to = to;
      this.sender = sender;
      this.receiver = receiver;
      this.onReset = onReset;
    }

    private boolean connects(int one, int other) {
      return (from == one && to == other) || (from == other && to == one);
    }

    private boolean isCut() {
      return cuts.contains(new Direction(from, to));
    }

    private boolean isHeld() {
      return isCut() || !stalledBy.isEmpty();
    }

    private void look(Messages messages) {
      tamper.sent(from, to, messages);
      for (Stall stall : stalls) {
        if (!stalledBy.contains(stall) && stall.choice.isOneOf(from, to, messages)) {
          stalledBy.add(stall);
        }
      }
      for (Watch watch : watches) {
        if (!watch.isSent && watch.choice.isOneOf(from, to, messages)) {
          watch.isSent = true;
          LockSupport.unpark(watch.watcher);
        }
      }
    }

    @Override
    public void carry(long bytes, Runnable delivery) {
      simulation.event(new Sent(from, to, delivery));
      if (delivery instanceof Messages messages) {
        look(messages);
      }
      if (isHeld() || !held.isEmpty()) {
        held.add(delivery);
      } else {
        send(delivery);
      }
    }

    private void send(Runnable delivery) {
      Delay delay = delays.getOrDefault(new Direction(from, to), usual);
      long spread = delay.maxNanos() - delay.minNanos();
      long nanos = delay.minNanos() + (spread > 0 ? random.nextLong(spread) : 0);
      lastArrival = Math.max(scheduler.now() + nanos, lastArrival + 1);
      // Of the receiver's process: if that is killed meanwhile, nobody is there to receive it.
      scheduler.after(
          receiver.node(), lastArrival - scheduler.now(), () -> receiver.deliver(delivery));
    }

    private void release() {
      while (!isHeld() && !held.isEmpty()) {
        send(held.poll());
      }
      if (closed && held.isEmpty()) {
        lines.remove(this);
      }
    }

    private void breakSoon() {
      held.clear();
      if (!sender.node().isDead()) {
        scheduler.after(
            sender.node(), random.nextLong(MAX_NOTICE_NANOS), () -> sender.deliver(onReset));
      }
    }

    @Override
    public int copies(int messageType) {
      return 1;
    }

    /** Messages sent before still arrive, as with TCP. */
    @Override
    public void close() {
      closed = true;
      if (held.isEmpty()) {
        lines.remove(this);
      }
    }
  }
}
