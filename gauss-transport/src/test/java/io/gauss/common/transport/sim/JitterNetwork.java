package io.gauss.common.transport.sim;

import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.link.Loop;
import io.gauss.common.transport.link.NettyLoop;
import io.gauss.common.transport.local.Carrier;
import io.gauss.common.transport.local.LocalEventLoop;
import io.gauss.common.transport.local.LocalNetwork;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * A network of threads within the JVM with random message delays and connections that break from
 * time to time, for tests whose sessions block. A node can be held, so that no message leaves or
 * reaches it, and killed, after which none ever does. With the same seed the times of faults differ
 * between runs, but their frequency is the same. Thread-safe.
 */
public final class JitterNetwork implements Carrier {
  private static final long HELD_LOOK_NANOS = 1_000_000;

  private final LocalNetwork network;
  private final Map<Loop, Life> lives = new ConcurrentHashMap<>();
  private final Map<Integer, Life> newest = new ConcurrentHashMap<>();
  private volatile Drawn drawn;

  /**
   * Faults of messages.
   *
   * @param maxDelayNanos longest time that a message takes
   * @param breaksEvery every so many messages, on average, all connections between two nodes break,
   *     and both notice; 0 = never
   * @param copiesEvery one of this many one-way messages arrives twice; 0 = none
   */
  public record Weather(long maxDelayNanos, int breaksEvery, int copiesEvery) {
    /** Messages arrive at once. */
    public static final Weather FINE = new Weather(0, 0, 0);
  }

  /** Weather and its source of randomness, which is thread-safe. */
  private record Drawn(Weather weather, Random random) {
    boolean happens(int every) {
      return every > 0 && random.nextInt(every) == 0;
    }
  }

  /** A process on this network: a node between its start and its end. */
  private static final class Life {
    private final Set<JitterPath> paths = ConcurrentHashMap.newKeySet(); // from here or to here
    private volatile boolean held;
    private volatile boolean dead;
  }

  /**
   * @param maxDelayNanos longest time that a message takes
   * @param breaksEvery every so many messages, on average, the connections between two nodes break;
   *     0 = never
   */
  public JitterNetwork(long seed, long maxDelayNanos, int breaksEvery) {
    weather(seed, new Weather(maxDelayNanos, breaksEvery, 0));
    network = new LocalNetwork(this::loop, this, () -> drawn.random().nextDouble());
  }

  private LocalNetwork.StoppableLoop loop(int node) {
    LocalEventLoop thread = new LocalEventLoop("jitter-" + node);
    Loop loop = new NettyLoop(thread);
    Life life = new Life();
    lives.put(loop, life);
    newest.put(node, life);
    return new LocalNetwork.StoppableLoop(
        loop,
        () -> {
          thread.shutdownGracefully(0, 2, TimeUnit.SECONDS).syncUninterruptibly();
          lives.remove(loop);
        });
  }

  public Transport transport(TransportConfig config) {
    return network.transport(config);
  }

  // ---- faults

  /** Sets the faults of messages from now on. */
  public void weather(long seed, Weather weather) {
    drawn = new Drawn(weather, new Random(seed));
  }

  /** Messages from and to the node are held until they are released. */
  public void hold(int node) {
    newest.get(node).held = true;
  }

  /** All held messages arrive. */
  public void thaw(int node) {
    newest.get(node).held = false;
  }

  /** Breaks all connections of the node; they can be made again. */
  public void disconnect(int node) {
    newest.get(node).paths.forEach(JitterPath::breakNow);
  }

  /**
   * Cuts the present process of the node off for ever: the next one with its number is another
   * process. Its further messages are lost, and its connections are refused, although its threads
   * continue.
   */
  public void kill(int node) {
    Life life = newest.get(node);
    life.dead = true;
    life.held = false;
    life.paths.forEach(JitterPath::breakNow);
  }

  @Override
  public Path open(int fromNode, int toNode, Loop from, Loop to, Runnable onReset) {
    JitterPath path = new JitterPath(from, to, onReset);
    path.fromLife.paths.add(path);
    path.toLife.paths.add(path);
    return path;
  }

  private final class JitterPath implements Path {
    private final Loop from;
    private final Loop to;
    private final Life fromLife;
    private final Life toLife;
    private final Runnable onReset;
    private final ConcurrentLinkedQueue<Runnable> inOrder = new ConcurrentLinkedQueue<>();
    private volatile boolean stopped;

    private JitterPath(Loop from, Loop to, Runnable onReset) {
      this.from = from;
      this.to = to;
      this.fromLife = lives.getOrDefault(from, gone());
      this.toLife = lives.getOrDefault(to, gone());
      this.onReset = onReset;
    }

    private static Life gone() {
      Life gone = new Life();
      gone.dead = true;
      return gone;
    }

    @Override
    public void carry(long bytes, Runnable delivery) {
      if (fromLife.dead || toLife.dead) {
        throw new RejectedExecutionException("one of the two was killed");
      }
      Drawn now = drawn;
      inOrder.add(delivery);
      try {
        long most = now.weather().maxDelayNanos();
        if (most == 0) {
          to.execute(this::arrive);
        } else {
          to.schedule(this::arrive, now.random().nextLong(most));
        }
      } catch (RejectedExecutionException e) {
        inOrder.remove(delivery);
        throw e;
      }
      if (!stopped && now.happens(now.weather().breaksEvery())) {
        fromLife.paths.stream().filter(this::isBetweenTheSame).forEach(JitterPath::breakNow);
      }
    }

    /** Each arrival delivers the next message, so that none overtakes another. */
    private void arrive() {
      if (fromLife.held || toLife.held) {
        try {
          to.schedule(this::arrive, HELD_LOOK_NANOS);
        } catch (RejectedExecutionException e) {
          stopped = true; // the node has ended meanwhile, and messages to it are lost
        }
      } else {
        inOrder.remove().run();
      }
    }

    private boolean isBetweenTheSame(JitterPath other) {
      return other.fromLife == fromLife && other.toLife == toLife
          || other.fromLife == toLife && other.toLife == fromLife;
    }

    private void breakNow() {
      try {
        from.execute(onReset);
      } catch (RejectedExecutionException e) {
        stopped = true; // that end is gone, which is equivalent to a broken connection
      }
    }

    @Override
    public int copies(int messageType) {
      Drawn now = drawn;
      return now.happens(now.weather().copiesEvery()) ? 2 : 1;
    }

    @Override
    public void close() {
      // Messages sent before still arrive, as with TCP.
      fromLife.paths.remove(this);
      toLife.paths.remove(this);
    }
  }
}
