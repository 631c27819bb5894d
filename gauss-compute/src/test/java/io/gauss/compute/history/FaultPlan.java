package io.gauss.compute.history;

import io.gauss.common.transport.sim.JitterNetwork.Weather;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * What goes wrong while the clients of one seed run: a pure function of the seed.
 *
 * @param weather how messages between nodes fare
 * @param stalls how threads stand still, by fault point
 * @param events what happens to whole nodes, in the order of their times
 */
public record FaultPlan(long seed, Weather weather, Map<String, Stall> stalls, List<Event> events) {
  /** Numbers of the memory nodes are from here on. */
  public static final int FIRST_MEMORY_NODE = 101;

  private static final List<String> POINTS =
      List.of(
          "log.before-append",
          "log.after-append",
          "buffer.evict",
          "tree.before-post",
          "redo.batch",
          "pages.lane",
          "pages.fetch",
          "clock.called",
          "txn.pending",
          "txn.reserved",
          "memory.task");

  /**
   * @param oneIn every so many times, on average
   * @param maxMicros longest time that a thread stands still
   */
  public record Stall(int oneIn, int maxMicros) {}

  /** What happens to a node. */
  public enum Kind {
    /** Its connections break. */
    DISCONNECT,
    /** For a time nothing comes from it, and nothing gets to it. */
    HOLD,
    /** The same for longer than its lease, so that it is dead; another one takes its place. */
    OUTLIVE,
    /** It is gone without a word, and is started again. */
    KILL
  }

  /**
   * @param after so many transactions have ended
   * @param node number of a compute or memory node
   * @param millis how long it lasts, for {@code HOLD} and {@code OUTLIVE}
   */
  public record Event(int after, Kind kind, int node, int millis) {}

  /**
   * @param computes number of compute nodes, counted from 1
   * @param memories number of memory nodes, counted from 101
   * @param transactions how many the clients run
   */
  public static FaultPlan of(long seed, int computes, int memories, int transactions) {
    SplittableRandom random = new SplittableRandom(seed);
    Weather weather =
        new Weather(
            random.nextInt(4) == 0 ? 0 : 1_000L << random.nextInt(5, 11),
            random.nextInt(2) == 0 ? 0 : 200 << random.nextInt(4),
            random.nextInt(2) == 0 ? 0 : 10 << random.nextInt(4));
    Map<String, Stall> stalls = new TreeMap<>();
    for (String point : POINTS) {
      if (random.nextInt(3) == 0) {
        stalls.put(point, new Stall(4 << random.nextInt(6), 20 << random.nextInt(7)));
      }
    }
    List<Event> events = new ArrayList<>();
    if (random.nextInt(2) == 0) {
      events.add(
          new Event(at(random, transactions), Kind.DISCONNECT, 1 + random.nextInt(computes), 0));
    }
    if (random.nextInt(4) == 0) {
      // Below a clock lease of 300 ms mostly, and now and then beyond it.
      int millis = random.nextInt(5) == 0 ? random.nextInt(320, 500) : random.nextInt(5, 100);
      int node = random.nextInt(computes + memories);
      events.add(
          new Event(
              at(random, transactions),
              Kind.HOLD,
              node < computes ? 1 + node : FIRST_MEMORY_NODE + node - computes,
              millis));
    }
    switch (random.nextInt(20)) {
      case 0 -> events.add(kill(random, transactions, 1 + random.nextInt(computes)));
      case 1 ->
          events.add(kill(random, transactions, FIRST_MEMORY_NODE + random.nextInt(memories)));
      default -> {}
    }
    events.sort(Comparator.comparingInt(Event::after));
    return new FaultPlan(seed, weather, Map.copyOf(stalls), List.copyOf(events));
  }

  /** Whether a client of this node may not hear what became of a transaction. */
  public boolean ends(int node) {
    return events.stream()
        .anyMatch(
            event ->
                event.node() == node
                    && (event.kind() == Kind.KILL || event.kind() == Kind.OUTLIVE));
  }

  private static Event kill(SplittableRandom random, int transactions, int node) {
    return new Event(at(random, transactions), Kind.KILL, node, 0);
  }

  private static int at(SplittableRandom random, int transactions) {
    return random.nextInt(transactions * 3 / 4);
  }
}
