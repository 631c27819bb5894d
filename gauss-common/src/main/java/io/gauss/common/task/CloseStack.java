package io.gauss.common.task;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts that a node has opened so far. They are closed in reverse order, each at most once,
 * after a normal end or a failed start of the node; a part that cannot be closed does not keep the
 * others open. Thread-safe, but all parts must be added before another thread closes it.
 */
public final class CloseStack implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CloseStack.class);

  private final String owner;
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  /**
   * @param owner of the parts, for messages
   */
  public CloseStack(String owner) {
    this.owner = owner;
  }

  /** Adds the part that was opened last. */
  public synchronized <T extends AutoCloseable> T add(T part) {
    opened.push(part);
    return part;
  }

  /**
   * Closes all parts after a failure; failures to close them are added to it as suppressed ones.
   */
  public void closeAfter(Throwable failure) {
    for (AutoCloseable part = next(); part != null; part = next()) {
      try {
        part.close();
      } catch (Exception | Error e) {
        failure.addSuppressed(e);
      }
    }
  }

  /** Closes all parts, the last one first. Failures are logged. */
  @Override
  public void close() {
    for (AutoCloseable part = next(); part != null; part = next()) {
      try {
        part.close();
      } catch (Exception | Error e) {
        LOG.warn("while closing {}", owner, e);
      }
    }
  }

  private synchronized AutoCloseable next() {
    return opened.poll();
  }
}
