package io.gauss.jdbc.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.task.FreePorts;
import io.gauss.jdbc.routing.ClusterNode;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the monitor does when nobody answers. */
class ClusterMonitorTest {
  private static final int LOOKS = 3;

  private final int port = FreePorts.one();
  private final AtomicInteger warnings = new AtomicInteger();
  private final CountDownLatch looks = new CountDownLatch(LOOKS);
  private boolean isWoken = true;
  private boolean isAsking; // behind the looks
  private ClusterMonitor monitor;

  /**
   * Counts what is logged of this node, and not what the monitors of other tests say that have not
   * ended yet; a look at a node that is not there wakes it for the next one.
   */
  private final class Counting extends Handler {
    @Override
    public void publish(LogRecord line) {
      String text = new SimpleFormatter().formatMessage(line);
      if (!text.contains("127.0.0.1:" + port)) {
        return;
      }
      if (line.getLevel() == Level.WARNING) {
        warnings.incrementAndGet();
      } else if (text.startsWith("a probe of")) {
        looks.countDown();
        if (isWoken) {
          monitor.wake();
        }
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @Test
  @Timeout(60)
  void thatNobodyAnswersIsToldOnceAsAWarning() throws Exception {
    watchNobody();
    assertEquals(1, warnings.get());
  }

  /** What keeps them has no room for more, and then nobody says that there are some. */
  @Test
  @Timeout(60)
  void questionsStayUntilSomebodyCanBeAsked() throws Exception {
    isWoken = false;
    watchNobody();
    assertTrue(isAsking);
  }

  private void watchNobody() throws Exception {
    GaussUrl url = GaussUrl.parse("jdbc:gauss://127.0.0.1:%d/gauss?user=gauss".formatted(port));
    ClusterNode node = new ClusterNode(0, "127.0.0.1", port, ClusterNode.State.UP, Double.NaN);
    Cluster cluster = new Cluster(ClusterOptions.of(url, new Properties()), List.of(node));
    Logger log = Logger.getLogger("io.gauss.jdbc");
    Level before = log.getLevel();
    Handler handler = new Counting();
    monitor = new ClusterMonitor(cluster);
    log.setLevel(Level.FINER);
    log.addHandler(handler);
    try {
      monitor.routerAsks();
      monitor.start();
      monitor.wake();
      looks.await();
      isAsking = monitor.hasQuestions();
    } finally {
      monitor.stop();
      log.removeHandler(handler);
      log.setLevel(before);
    }
  }

  @Test
  void loadsThatAreTooOldAreForgotten() {
    ClusterNode url = new ClusterNode(0, "127.0.0.1", 1, ClusterNode.State.UP, Double.NaN);
    KnownNodes nodes = new KnownNodes(List.of(url));
    nodes.told(List.of(new ClusterNode(1, "127.0.0.1", 1, ClusterNode.State.UP, 0.9)));
    assertEquals(0.9, nodes.topology().nodes().getFirst().load());
    long version = nodes.topology().version();
    nodes.forgetLoads();
    assertTrue(Double.isNaN(nodes.topology().nodes().getFirst().load()));
    assertEquals(1, nodes.topology().nodes().getFirst().number());
    assertEquals(version, nodes.topology().version(), "loads change without it");
  }
}
