package io.gauss.jdbc.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.jdbc.routing.ClusterNode;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ProbesTest {
  private static List<ClusterNode> nodes(int count) {
    return IntStream.rangeClosed(1, count)
        .mapToObj(i -> new ClusterNode(i, "host", i, ClusterNode.State.UP, Double.NaN))
        .toList();
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new AssertionError(e);
    }
  }

  /** None of them answers before all are asked. */
  @Test
  void nodesAreAskedAtTheSameTime() {
    CyclicBarrier all = new CyclicBarrier(4);
    new Probes(8).of(nodes(4), node -> await(all));
    assertEquals(0, all.getNumberWaiting());
  }

  @Test
  void eachIsAskedOnceAndNotMoreAtATimeThanAllowed() {
    List<ClusterNode> nodes = nodes(50);
    Set<ClusterNode> asked = ConcurrentHashMap.newKeySet();
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger times = new AtomicInteger();
    new Probes(3)
        .of(
            nodes,
            node -> {
              most.accumulateAndGet(now.incrementAndGet(), Math::max);
              times.incrementAndGet();
              asked.add(node);
              Thread.yield();
              now.decrementAndGet();
            });
    assertEquals(new HashSet<>(nodes), asked);
    assertEquals(50, times.get());
    assertEquals(true, most.get() <= 3, () -> most + " at a time");
  }

  @Test
  void nobodyIsAskedOfNoNodes() {
    new Probes(3)
        .of(
            List.of(),
            node -> {
              throw new AssertionError(node);
            });
  }
}
