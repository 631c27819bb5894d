package io.gauss.common.transport.sim;

import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.link.Loop;
import io.gauss.common.transport.link.NettyLoop;
import io.gauss.common.transport.local.Carrier;
import io.gauss.common.transport.local.LocalNetwork;
import io.netty.channel.DefaultEventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * A network of threads within the JVM whose messages take their time, by chance, and whose
 * connections break now and then: for tests whose sessions block. What happens when is not the same
 * in every run with a seed, but how often is. Thread-safe.
 */
public final class JitterNetwork implements Carrier {
  private final Random random; // thread-safe as it is
  private final LocalNetwork network;
  private final long maxDelayNanos;
  private final int breaksEvery;

  /**
   * @param maxDelayNanos longest time that a message takes
   * @param breaksEvery every so many messages, on average, a connection breaks; 0 = never
   */
  public JitterNetwork(long seed, long maxDelayNanos, int breaksEvery) {
    this.random = new Random(seed);
    this.maxDelayNanos = maxDelayNanos;
    this.breaksEvery = breaksEvery;
    this.network = new LocalNetwork(JitterNetwork::loop, this, random::nextDouble);
  }

  private static LocalNetwork.StoppableLoop loop(int node) {
    DefaultEventLoop loop = new DefaultEventLoop(new DefaultThreadFactory("jitter-" + node, true));
    return new LocalNetwork.StoppableLoop(
        new NettyLoop(loop),
        () -> loop.shutdownGracefully(0, 2, TimeUnit.SECONDS).syncUninterruptibly());
  }

  public Transport transport(TransportConfig config) {
    return network.transport(config);
  }

  @Override
  public Path open(int fromNode, int toNode, Loop from, Loop to, Runnable onReset) {
    return new JitterPath(from, to, onReset);
  }

  private final class JitterPath implements Path {
    private final Loop from;
    private final Loop to;
    private final Runnable onReset;
    private final ConcurrentLinkedQueue<Runnable> inOrder = new ConcurrentLinkedQueue<>();
    private volatile boolean stopped;

    private JitterPath(Loop from, Loop to, Runnable onReset) {
      this.from = from;
      this.to = to;
      this.onReset = onReset;
    }

    @Override
    public void carry(long bytes, Runnable delivery) {
      inOrder.add(delivery);
      // Each arrival delivers whatever is next, so that nothing overtakes.
      Runnable arrival = () -> inOrder.remove().run();
      try {
        if (maxDelayNanos == 0) {
          to.execute(arrival);
        } else {
          to.schedule(arrival, random.nextLong(maxDelayNanos));
        }
      } catch (RejectedExecutionException e) {
        inOrder.remove(delivery);
        throw e;
      }
      if (!stopped && breaksEvery > 0 && random.nextInt(breaksEvery) == 0) {
        breakNow();
      }
    }

    private void breakNow() {
      try {
        from.execute(onReset);
      } catch (RejectedExecutionException e) {
        stopped = true; // that end is gone, which is as good as broken
      }
    }

    @Override
    public int copies(int messageType) {
      return 1;
    }

    @Override
    public void close() {
      // What was sent before still arrives, as with TCP.
    }
  }
}
