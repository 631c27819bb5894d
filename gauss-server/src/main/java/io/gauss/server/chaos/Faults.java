package io.gauss.server.chaos;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;

/** Makes faults happen, each to its end: processes that were killed have been started again. */
final class Faults {
  private static final int SHORT_MS = 1_000;
  private static final int LONG_MS = 6_000;
  private static final int DEAD_MS = 3_000;
  private static final int CUT_MS = 4_000;
  private static final int OUTAGE_MS = 15_000;
  private static final int DRAIN_SECONDS = 180;
  private static final int FILL_BYTES = 1 << 20;

  private final ChaosCluster cluster;
  private final List<String> java;
  private final SplittableRandom random;

  /** Nodes to which something happens in this round. */
  private final Set<Integer> hit = new ConcurrentSkipListSet<>();

  private final List<String> what = new ArrayList<>(); // under its lock

  /**
   * @param java the command line of {@code gauss}, up to its main class
   */
  Faults(ChaosCluster cluster, List<String> java, SplittableRandom random) {
    this.cluster = cluster;
    this.java = java;
    this.random = random;
  }

  /** The nodes of the last fault. */
  Set<Integer> hit() {
    return new TreeSet<>(hit);
  }

  /** The last fault in words. */
  String text() {
    synchronized (what) {
      return String.join(", ", what);
    }
  }

  private void say(String text) {
    synchronized (what) {
      what.add(text);
    }
  }

  /** Returns when it is over. */
  void happen(FaultKind kind) throws IOException {
    hit.clear();
    synchronized (what) {
      what.clear();
    }
    one(kind);
    startWhatEnded();
  }

  private void one(FaultKind kind) throws IOException {
    Shape shape = cluster.shape();
    switch (kind) {
      case KILL_COMPUTE -> killAndStart(List.of(any(shape.computeNodes())), DEAD_MS);
      case KILL_MEMORY -> killAndStart(List.of(any(shape.memoryNodes())), DEAD_MS);
      case KILL_STORAGE -> killAndStart(List.of(any(shape.storageNodes())), DEAD_MS);
      case PAUSE_COMPUTE -> pause(any(shape.computeNodes()), SHORT_MS);
      case PAUSE_COMPUTE_LONG -> pause(any(shape.computeNodes()), LONG_MS);
      case PAUSE_MEMORY -> pause(any(shape.memoryNodes()), SHORT_MS);
      case PAUSE_MEMORY_LONG -> pause(any(shape.memoryNodes()), LONG_MS);
      case PAUSE_STORAGE -> pause(any(shape.storageNodes()), SHORT_MS);
      case PAUSE_STORAGE_LONG -> pause(any(shape.storageNodes()), LONG_MS);
      case CUT_ONE_WAY ->
          cut(any(shape.computeNodes()), List.of(any(shape.computeNodes())), false, 2_000);
      case CUT_COMPUTES ->
          cut(any(shape.computeNodes()), List.of(any(shape.computeNodes())), true, 1_800);
      case CUT_COMPUTES_LONG ->
          cut(any(shape.computeNodes()), List.of(any(shape.computeNodes())), true, 8_000);
      case CUT_MEMORY ->
          cut(any(shape.computeNodes()), List.of(any(shape.memoryNodes())), true, CUT_MS);
      case CUT_STORAGE ->
          cut(any(shape.computeNodes()), List.of(any(shape.storageNodes())), true, CUT_MS);
      case CUT_STORAGE_PEERS ->
          cut(any(shape.storageNodes()), List.of(any(shape.storageNodes())), true, CUT_MS);
      case ISOLATE_COMPUTE -> isolate(any(shape.computeNodes()));
      case ISOLATE_STORAGE -> isolate(any(shape.storageNodes()));
      case TWO -> several(2);
      case THREE -> several(3);
      case RETURN_AT_ONCE -> returnAtOnce();
      case RESTART_IN_RECOVERY -> restartInRecovery();
      case KILL_ALL_MEMORY -> killAndStart(all(shape.memoryNodes()), 2_000);
      case KILL_MAJORITY -> killAndStart(allButOne(shape.storageNodes()), CUT_MS);
      case NO_MEMORY -> killAndStart(all(shape.memoryNodes()), OUTAGE_MS);
      case NO_QUORUM -> killAndStart(allButOne(shape.storageNodes()), OUTAGE_MS);
      case KILL_ALL_STORAGE -> killAndStart(all(shape.storageNodes()), 2_000);
      case KILL_ALL -> killAndStart(all(shape.allNodes()), 0);
      case FULL_DISK -> fillDisk(any(shape.storageNodes()));
      case DRAIN_COMPUTE -> drain(any(shape.computeNodes()));
      case DRAIN_MEMORY -> drain(any(shape.memoryNodes()));
    }
  }

  /** A node to which nothing happens yet. */
  private int any(List<Integer> nodes) {
    synchronized (random) {
      List<Integer> left = nodes.stream().filter(node -> !hit.contains(node)).toList();
      if (left.isEmpty()) {
        throw new IllegalStateException("all of " + nodes + " are taken");
      }
      int node = left.get(random.nextInt(left.size()));
      hit.add(node);
      return node;
    }
  }

  private List<Integer> all(List<Integer> nodes) {
    hit.addAll(nodes);
    return nodes;
  }

  private List<Integer> allButOne(List<Integer> nodes) {
    int spared = any(nodes);
    return all(nodes.stream().filter(node -> node != spared).toList());
  }

  private void killAndStart(List<Integer> nodes, int deadMillis) throws IOException {
    say("kill " + nodes);
    nodes.forEach(node -> cluster.node(node).kill());
    Waits.sleep(deadMillis);
    for (int node : nodes) {
      cluster.start(node);
    }
  }

  private void pause(int node, int millis) throws IOException {
    say("pause " + node + " for " + millis + " ms");
    NodeUnit unit = cluster.node(node);
    unit.signal("STOP");
    try {
      Waits.sleep(millis);
    } finally {
      unit.signal("CONT");
    }
  }

  private void cut(int one, List<Integer> others, boolean isBothWays, int millis)
      throws IOException {
    say(
        "cut %d from %s %s for %d ms"
            .formatted(one, others, isBothWays ? "both ways" : "one way", millis));
    Machine machine = cluster.machine();
    for (int other : others) {
      machine.cut(one, other);
      if (isBothWays) {
        machine.cut(other, one);
      }
    }
    Waits.sleep(millis);
    for (int other : others) {
      machine.heal(one, other);
      machine.heal(other, one);
    }
  }

  private void isolate(int node) throws IOException {
    List<Integer> others =
        cluster.shape().allNodes().stream().filter(other -> other != node).toList();
    cut(node, others, true, LONG_MS);
  }

  /** Simple faults at once, beginning within half a second, of different nodes. */
  private void several(int count) throws IOException {
    List<FaultKind> simple =
        Arrays.stream(FaultKind.values())
            .filter(FaultKind::isSimple)
            .filter(kind -> kind.missing(cluster.shape()).isEmpty())
            .filter(kind -> cluster.machine().isIsolated() || !kind.cuts())
            .toList();
    List<Thread> threads = new ArrayList<>();
    List<Throwable> failed = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      FaultKind kind = simple.get(random.nextInt(simple.size()));
      int delay = random.nextInt(500);
      Thread thread =
          new Thread(
              () -> {
                Waits.sleep(delay);
                try {
                  one(kind);
                } catch (IOException e) {
                  synchronized (failed) {
                    failed.add(e);
                  }
                } catch (IllegalStateException e) {
                  say(kind.label() + " finds no node that is left");
                }
              },
              kind.label());
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      join(thread);
    }
    if (!failed.isEmpty()) {
      throw new IOException("a fault could not be made", failed.getFirst());
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void returnAtOnce() throws IOException {
    int dead = any(cluster.shape().computeNodes());
    int still = any(cluster.shape().computeNodes());
    say("kill " + dead + " and start it at once, while " + still + " stands still for 2500 ms");
    cluster.node(still).signal("STOP");
    try {
      cluster.node(dead).kill();
      cluster.start(dead);
      Waits.sleep(2_500);
    } finally {
      cluster.node(still).signal("CONT");
    }
  }

  private void restartInRecovery() throws IOException {
    int node = any(cluster.shape().computeNodes());
    int first = random.nextInt(200, 1_500);
    int second = random.nextInt(1_000, 4_000);
    say("kill %d, and again %d ms after its start".formatted(node, second));
    cluster.node(node).kill();
    Waits.sleep(first);
    cluster.start(node);
    Waits.sleep(second);
    cluster.node(node).kill();
    cluster.start(node);
  }

  private void fillDisk(int node) throws IOException {
    say("fill the disk of " + node);
    Path filler = cluster.own(node).resolve("filler");
    try (OutputStream out = Files.newOutputStream(filler)) {
      byte[] bytes = new byte[FILL_BYTES];
      while (true) {
        out.write(bytes);
      }
    } catch (IOException e) {
      say("full at " + Files.size(filler) / FILL_BYTES + " MB");
    }
    Waits.sleep(LONG_MS);
    Files.delete(filler);
  }

  /** One node is drained, as an operator does, and a compute node is killed meanwhile. */
  private void drain(int node) throws IOException {
    int dead = any(cluster.shape().computeNodes());
    say("drain " + node + ", kill " + dead);
    cluster.node(node).leave();
    List<String> command = new ArrayList<>(Isolation.diesWithItsParent());
    command.addAll(java.subList(0, java.size() - 1));
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xms16m", "-Xmx96m"));
    command.add(java.getLast());
    command.addAll(List.of("drain", "" + node, "--data", "" + cluster.directory()));
    Process drain =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(
                ProcessBuilder.Redirect.appendTo(
                    cluster.directory().resolve("logs/drain.log").toFile()))
            .start();
    try {
      Waits.sleep(random.nextInt(1_500, 3_000));
      cluster.node(dead).kill();
      Waits.sleep(DEAD_MS);
      cluster.start(dead);
      if (!drain.waitFor(DRAIN_SECONDS, TimeUnit.SECONDS)) {
        throw new ChaosFailure("node " + node + " is not drained within " + DRAIN_SECONDS + " s");
      }
      if (drain.exitValue() != 0) {
        say("the drain is refused");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      drain.destroyForcibly();
    }
    if (!cluster.node(node).isAlive() || Waits.await(30, () -> !cluster.node(node).isAlive())) {
      cluster.start(node);
    }
  }

  /** As an operator does with nodes that could not start, or could not go on, during the fault. */
  private void startWhatEnded() throws IOException {
    for (NodeUnit unit : cluster.nodes()) {
      if (unit.isWanted() && !unit.isAlive() && !unit.hasGivenUp()) {
        say(unit.number() + " had ended and is started again");
        cluster.start(unit.number());
      }
    }
  }
}
