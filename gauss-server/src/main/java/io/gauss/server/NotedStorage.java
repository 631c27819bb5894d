package io.gauss.server;

import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.map.api.ClusterMap;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the list of storage nodes in a running node's directory as the cluster map has it, so that
 * the next start asks those that are there then, even if all others have been replaced meanwhile.
 * Thread-safe.
 */
final class NotedStorage implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NotedStorage.class);
  private static final long LOOK_SECONDS = 60;
  private static final long RETRY_SECONDS = 10;

  private final MachineDirectory directory;
  private final NodeDescription node;
  private Thread thread;

  private NotedStorage(Path data, NodeDescription node) {
    this.directory = new MachineDirectory(data);
    this.node = node;
  }

  /**
   * Begins.
   *
   * @param data directory of the node
   * @param noted the list that is there
   */
  static NotedStorage start(Path data, NodeDescription node, List<StorageAddress> noted) {
    NotedStorage started = new NotedStorage(data, node);
    started.thread =
        Thread.ofPlatform().daemon().name("gauss-storage-nodes").start(() -> started.follow(noted));
    return started;
  }

  private void follow(List<StorageAddress> noted) {
    List<StorageAddress> last = noted;
    while (!Thread.currentThread().isInterrupted()) {
      try {
        last = noteNext(last);
      } catch (IOException | IllegalStateException e) {
        LOG.debug("the storage nodes are not known now: {}", e.toString());
        pause();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void pause() {
    try {
      TimeUnit.SECONDS.sleep(RETRY_SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Asks those that were noted last, until there are others. */
  private List<StorageAddress> noteNext(List<StorageAddress> last)
      throws IOException, InterruptedException {
    ClusterAccess access =
        ClusterAccess.find(directory.of(node, node.roles().iterator().next())).orElseThrow();
    try (MapAccess cluster = new MapAccess(access)) {
      boolean isNews;
      do {
        isNews = cluster.await(map -> isNews(map, last), LOOK_SECONDS);
      } while (!isNews);
      List<StorageAddress> now = StreamShares.storageNodes(cluster.known());
      directory.rememberStorage(node, now);
      LOG.info("storage nodes are {}", now);
      return now;
    }
  }

  private static boolean isNews(ClusterMap map, List<StorageAddress> last) {
    return map.isInitialised()
        && !StreamShares.storageNodes(map).isEmpty()
        && !StreamShares.storageNodes(map).equals(last);
  }

  @Override
  public void close() {
    thread.interrupt();
    boolean isInterrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
