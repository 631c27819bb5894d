package io.gauss.server.routing;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The nodes for which is learned: those that take transactions, and those that own something in
 * what is published and are only away. A node that has died, or was stopped, mostly comes back
 * within seconds, under the same number and in the same slot; if its share were dealt out at once,
 * it would get another one then, and pages would move twice. Meanwhile drivers and nodes use the
 * next best node. One that was asked to leave (drained) is not waited for.
 *
 * <p>Each node counts from when it has noticed, so one that begins to learn meanwhile continues
 * with what the one before has counted with. Thread-safe.
 */
final class KeptNodes implements Supplier<Map<Integer, Integer>> {
  /** For so long a node that is away keeps what it owns. */
  static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final Supplier<Map<Integer, Integer>> serving;
  private final Supplier<Map<Integer, Integer>> notLeft;
  private final IntPredicate isOwner;
  private final LongSupplier nanos;
  private final Map<Integer, Long> awaySince = new HashMap<>(); // by slot, under this lock

  /**
   * @param serving numbers by slot of the nodes that take transactions
   * @param notLeft the same of all nodes that were not asked to leave
   * @param isOwner whether the node in a slot owns anything in what is published
   * @param nanos monotonic clock
   */
  KeptNodes(
      Supplier<Map<Integer, Integer>> serving,
      Supplier<Map<Integer, Integer>> notLeft,
      IntPredicate isOwner,
      LongSupplier nanos) {
    this.serving = serving;
    this.notLeft = notLeft;
    this.isOwner = isOwner;
    this.nanos = nanos;
  }

  /** By slot, their numbers in the cluster. */
  @Override
  public synchronized Map<Integer, Integer> get() {
    // In this order: a node that returns in between is in the second one.
    Map<Integer, Integer> kept = new TreeMap<>(serving.get());
    Map<Integer, Integer> there = notLeft.get();
    awaySince.keySet().removeIf(slot -> kept.containsKey(slot) || !there.containsKey(slot));
    long now = nanos.getAsLong();
    there.forEach(
        (slot, number) -> {
          if (!kept.containsKey(slot)
              && (awaySince.containsKey(slot) || isOwner.test(slot))
              && now - awaySince.computeIfAbsent(slot, s -> now) < GRACE_NANOS) {
            kept.put(slot, number);
          }
        });
    return kept;
  }
}
