package io.gauss.storage.map.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.map.codec.MapCommandCodec;
import io.gauss.storage.map.codec.MapResultCodec;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.command.MapResult.RenewalAnswer;
import io.gauss.storage.map.message.MapAnswer;
import io.gauss.storage.map.message.MapSnapshot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Renewals of a cluster's nodes, in times that pass when nothing else is to be done. */
class RenewalBatchTest {
  private static final long PERIOD = 1_000_000;
  private static final long NODES = 12;

  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::time).thenComparingLong(Event::inOrder));
  private final List<Long> entries = new ArrayList<>();
  private long now;
  private long added;
  private long longestWait;
  private boolean leads = true;
  private boolean ends;

  private record Event(long time, long inOrder, Runnable task) {}

  private final RenewalBatch batch =
      new RenewalBatch(
          new Log(),
          () -> 1,
          new RenewalBatch.Periods() {
            @Override
            public long nowNanos() {
              return now;
            }

            @Override
            public long lengthNanos() {
              return PERIOD;
            }

            @Override
            public boolean later(Runnable task, long nanos) {
              if (!ends) {
                at(now + nanos, task);
              }
              return !ends;
            }
          });

  private final class Log implements ReplicatedLog {
    @Override
    public CompletableFuture<Proposed> propose(byte[] command) {
      entries.add(now);
      MapCommand.RenewLeases renewals = (MapCommand.RenewLeases) MapCommandCodec.decode(command);
      CompletableFuture<Proposed> outcome = new CompletableFuture<>();
      byte[] result =
          MapResultCodec.encode(
              new MapResult.Renewed(
                  renewals.renewals().stream().map(r -> RenewalAnswer.GRANTED).toList()));
      Proposed proposed =
          leads ? new Proposed.Applied(result) : new Proposed.NotTaken("it leads no more");
      at(now + PERIOD / 200, () -> outcome.complete(proposed));
      return outcome;
    }

    @Override
    public MapSnapshot snapshot() {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean leads() {
      return leads;
    }

    @Override
    public boolean leadsMajority() {
      return leads;
    }

    @Override
    public OptionalInt leader() {
      return OptionalInt.of(2);
    }
  }

  private void at(long time, Runnable task) {
    events.add(new Event(time, added++, task));
  }

  private void runUntil(long time) {
    while (!events.isEmpty() && events.peek().time() <= time) {
      Event next = events.poll();
      now = next.time();
      next.task().run();
    }
    now = time;
  }

  private CompletableFuture<MapAnswer> renew(int node, long number) {
    return batch.add(new MapCommand.Renewal(node, 1, number), PERIOD / RenewalBatch.GATHERED_PART);
  }

  /** As {@code LeaseHolder} does. */
  private void keepRenewing(int node, long number) {
    long sent = now;
    renew(node, number)
        .thenAccept(
            answer -> {
              longestWait = Math.max(longestWait, now - sent);
              at(now + PERIOD * 9 / 10, () -> keepRenewing(node, number + 1));
            });
  }

  @Test
  void renewalsOfAllNodesComeToShareOneEntryAPeriod() {
    long seed = System.nanoTime();
    System.err.println("RenewalBatchTest: seed " + seed);
    Random random = new Random(seed);
    for (int node = 1; node <= NODES; node++) {
      int it = node;
      at(random.nextLong(PERIOD), () -> keepRenewing(it, 1));
    }
    runUntil(15 * PERIOD);
    entries.clear();
    longestWait = 0;
    runUntil(35 * PERIOD);
    assertEquals(20, entries.size());
    assertTrue(longestWait <= PERIOD / 8, "waited " + longestWait);
  }

  @Test
  void aRenewalThatComesEarlyInAPeriodDoesNotWait() {
    now = PERIOD / 2;
    renew(1, 1);
    assertEquals(List.of(now), entries);
  }

  @Test
  void renewalsThatWaitedAreRefusedWhenTheLeadIsLost() {
    now = 2 * PERIOD - PERIOD / 20;
    CompletableFuture<MapAnswer> first = renew(1, 1);
    CompletableFuture<MapAnswer> second = renew(2, 1);
    assertEquals(List.of(), entries);
    leads = false;
    runUntil(3 * PERIOD);
    assertEquals(List.of(2 * PERIOD), entries);
    assertEquals(2, assertInstanceOf(MapAnswer.NotLeader.class, first.join()).leader());
    assertEquals(2, assertInstanceOf(MapAnswer.NotLeader.class, second.join()).leader());
  }

  @Test
  void aNodeThatEndsDoesNotLetThemWait() {
    ends = true;
    now = PERIOD - PERIOD / 20;
    renew(1, 1);
    assertEquals(List.of(now), entries);
  }

  /** The node may be declared dead meanwhile. */
  @Test
  void anUrgentRenewalDoesNotWaitForTheOthers() {
    now = PERIOD - PERIOD / 20;
    renew(1, 1);
    assertEquals(List.of(), entries);
    batch.add(new MapCommand.Renewal(2, 1, 1), 0);
    assertEquals(List.of(now), entries);
    renew(3, 1); // while that is under way
    batch.add(new MapCommand.Renewal(4, 1, 1), 0);
    runUntil(now + PERIOD / 100);
    assertEquals(2, entries.size());
    runUntil(3 * PERIOD);
    assertEquals(2, entries.size());
  }

  /** Its lease is shorter than those of the nodes that join now. */
  @Test
  void aRenewalThatCannotWaitThatLongDoesNot() {
    now = PERIOD - PERIOD / 20;
    batch.add(new MapCommand.Renewal(1, 1, 1), PERIOD / 40);
    assertEquals(List.of(now), entries);
  }
}
