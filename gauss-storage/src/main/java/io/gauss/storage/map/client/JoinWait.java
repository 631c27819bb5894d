package io.gauss.storage.map.client;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.Environment;
import io.gauss.storage.map.api.ClusterMap;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process's wait until the cluster has accepted its node: logs from time to time what it waits
 * for.
 */
public final class JoinWait {
  private static final Logger LOG = LoggerFactory.getLogger(JoinWait.class);

  /** Longer than the lease of a predecessor process whose end was not observed. */
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private static final long SAY_SO_MILLIS = 3_000;

  private JoinWait() {}

  /**
   * Waits until the node serves.
   *
   * @param joining of {@link ClusterMember#join}
   * @param client follows the map
   * @throws GaussException 57P03 when the node is not accepted within a minute, 55000 when the
   *     cluster refuses it, 57P01 when the thread is interrupted
   */
  public static void await(CompletableFuture<ClusterMap> joining, ClusterMapClient client) {
    long start = Environment.nanoTime();
    while (true) {
      try {
        Environment.get(joining, SAY_SO_MILLIS, TimeUnit.MILLISECONDS);
        return;
      } catch (TimeoutException e) {
        String what =
            client.map().isInitialised()
                ? "the cluster does not take this node in yet"
                : "no majority of the storage nodes answers yet";
        if (Environment.nanoTime() - start > TIMEOUT.toNanos()) {
          throw new GaussException(
              SqlState.CANNOT_CONNECT_NOW, what + ", after " + TIMEOUT.toSeconds() + " s", e);
        }
        LOG.info("{}; waiting for it", what);
      } catch (ExecutionException e) {
        if (e.getCause() instanceof GaussException told) {
          throw new GaussException(told.state(), told.getMessage(), told);
        }
        throw new IllegalStateException("cannot join the cluster", e.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new GaussException(SqlState.ADMIN_SHUTDOWN, "interrupted while joining", e);
      }
    }
  }
}
