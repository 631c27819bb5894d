package io.gauss.jdbc.cluster;

import io.gauss.jdbc.routing.ClusterNode;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The clusters to which this application is connected. A cluster and its thread are closed with its
 * last connection; knowledge about its nodes is kept for a while, for applications that connect for
 * each piece of work. Thread-safe.
 */
public final class Clusters {
  private static final long FORGET_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final ReentrantLock LOCK = new ReentrantLock();
  private static final Map<Key, Kept> KEPT = new HashMap<>();

  private record Key(List<ClusterNode> hosts, String tail, Properties own, Properties pgjdbc) {}

  private record Kept(Cluster cluster, long usedNanos) {}

  private Clusters() {}

  /** The cluster of that URL; increments its number of users. */
  public static Cluster acquire(GaussUrl url, Properties properties) throws SQLException {
    ClusterOptions options = ClusterOptions.of(url, properties);
    List<ClusterNode> hosts =
        url.nodes().stream()
            .map(
                node ->
                    new ClusterNode(0, node.host(), node.port(), ClusterNode.State.UP, Double.NaN))
            .distinct()
            .toList();
    Key key = new Key(hosts, options.databaseAndParameters(), options.own(), options.pgjdbc());
    LOCK.lock();
    try {
      long now = System.nanoTime();
      KEPT.values()
          .removeIf(kept -> kept.cluster().users == 0 && now - kept.usedNanos() > FORGET_NANOS);
      Kept kept = KEPT.get(key);
      Cluster cluster = kept == null ? new Cluster(options, hosts) : kept.cluster();
      if (cluster.users == 0) {
        cluster.open();
      }
      cluster.users++;
      KEPT.put(key, new Kept(cluster, now));
      return cluster;
    } finally {
      LOCK.unlock();
    }
  }

  /** Decrements the number of users. */
  public static void release(Cluster cluster) {
    LOCK.lock();
    try {
      cluster.users--;
      if (cluster.users == 0) {
        cluster.close();
      }
    } finally {
      LOCK.unlock();
    }
  }
}
