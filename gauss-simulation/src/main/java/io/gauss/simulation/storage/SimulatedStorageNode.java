package io.gauss.simulation.storage;

import io.gauss.common.runtime.Environment;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.storage.node.StorageNode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.function.Function;

/**
 * A storage node of a simulated cluster: the product's {@link StorageNode}, with stand-ins below
 * it. It starts and ends many times; what its disk has is kept in {@link SimulatedStorage}.
 *
 * <p>{@link #start} and {@link #close} are called on threads of the node's process, all else on
 * threads of no node. One call at a time.
 *
 * <p>After {@link #kill} and {@link #losePower} nothing that the process still does reaches its
 * disk or the groups. In a simulation the caller ends the process's threads and connections, and
 * then {@linkplain #free frees} its memory; on threads of the JVM {@link #reap} does all that.
 */
public final class SimulatedStorageNode {
  private final SimulatedStorage storage;
  private final int number;
  private final Function<TransportConfig, Transport> transports;
  private volatile StorageNode running;
  private volatile StorageNode dead;

  /**
   * @param number its number, which is one of the storage's
   * @param transports opens its transport at each start
   */
  public SimulatedStorageNode(
      SimulatedStorage storage, int number, Function<TransportConfig, Transport> transports) {
    this.storage = storage;
    this.number = number;
    this.transports = transports;
  }

  int number() {
    return number;
  }

  /** Starts the node with what its disk has. */
  public void start() {
    if (running != null) {
      throw new IllegalStateException("storage node " + number + " runs already");
    }
    running =
        StorageNode.start(
            storage.settings(number), storage.platform(), transports, new SimpleMeterRegistry());
  }

  /** The product's node; null while it does not run. */
  public StorageNode node() {
    return running;
  }

  public boolean isRunning() {
    return running != null;
  }

  /** The process ends, at whatever it is, also at its start. What the log was given stays. */
  public void kill() {
    end(false);
  }

  /** The machine ends: the log loses what was not forced. */
  public void losePower() {
    end(true);
  }

  private void end(boolean powerLost) {
    storage.groups().end(number, powerLost);
    storage.pages(number).end();
    dead = running;
    running = null;
  }

  /** The process stands still, as far as its groups go. */
  public void pause() {
    storage.groups().pause(number);
  }

  /** It continues. */
  public void resume() {
    storage.groups().resume(number);
  }

  /** Ends the node normally. */
  void close() {
    StorageNode ends = running;
    if (ends != null) {
      ends.close();
      running = null;
      storage.closed(number);
    }
  }

  /** Frees the memory of a process that was killed, and whose threads never run again. */
  public void free() {
    dead = null;
    storage.free(number);
  }

  /** Ends the threads and connections of a process that was killed, in the background. */
  void reap() {
    StorageNode left = dead;
    dead = null;
    storage.closed(number);
    if (left != null) {
      Environment.start("reap-storage-" + number, left::close);
    }
  }
}
