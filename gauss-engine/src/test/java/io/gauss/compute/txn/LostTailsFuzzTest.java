package io.gauss.compute.txn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.engine.Seeds;
import io.gauss.compute.engine.TestEngine;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A node dies with what its log has not forced, commits and rollbacks among it, after others have
 * asked about its transactions; then, in some rounds, so does its recoverer. What was acknowledged
 * is there on all nodes that are left, and on those that come back, and nothing else is.
 */
@Timeout(180)
class LostTailsFuzzTest {
  private static final int ROUNDS = 30;
  private static final int NODES = 3;
  private static final int ROWS = 5;

  @Test
  void whatWasAcknowledgedIsThereAndWhatWasRolledBackIsNotWhoeverDies() {
    long seed = Seeds.next();
    for (int round = 0; round < ROUNDS; round++) {
      try (NodesFixture nodes = new NodesFixture(NODES, ROWS, seed + round, 0)) {
        new Round(nodes, new Random(seed + round), "seed " + seed + ", round " + round).run();
      }
    }
  }

  /** One thread does all of it. */
  private static final class Round {
    private final NodesFixture nodes;
    private final Random random;
    private final String name;
    private final long[] committed = new long[ROWS];
    private final List<Open> open = new ArrayList<>();
    private final List<Open> unforced = new ArrayList<>(); // committed, and not acknowledged
    private final Set<Long> xids = new TreeSet<>();

    /** A transaction, and what it has written. */
    private record Open(int slot, Transaction txn, Map<Integer, Long> writes) {}

    Round(NodesFixture nodes, Random random, String name) {
      this.nodes = nodes;
      this.random = random;
      this.name = name;
    }

    void run() {
      int dies = 1 + random.nextInt(NODES);
      int recovers = 1 + dies % NODES;
      int third = 1 + recovers % NODES;
      for (int i = random.nextInt(30); i > 0; i--) {
        work(1 + random.nextInt(NODES));
      }
      inMemory(dies, true);
      asks(recovers);
      asks(third);
      if (random.nextInt(4) == 0) {
        release(dies);
        check();
        return;
      }
      Map<Integer, TestEngine> dead = new HashMap<>();
      dead.put(dies, kill(dies, recovers));
      boolean isHeld = random.nextBoolean();
      if (isHeld) {
        inMemory(recovers, false); // nobody answers for the dead one's rows
      }
      nodes.takeOver(dies, recovers);
      asks(third);
      int standIn = recovers;
      if (isHeld && random.nextInt(3) != 0) {
        dead.put(recovers, kill(recovers, third));
        nodes.takeOver(dies, third);
        nodes.takeOver(recovers, third);
        standIn = third;
      } else if (isHeld) {
        release(recovers);
      }
      check();
      for (int i = random.nextInt(10); i > 0; i--) {
        work(third);
      }
      NodesFixture.Node heir = nodes.node(standIn);
      while (!heir.transactions.rollBackOrphans(heir.engine.newContext(), 100)) {
        check(); // large ones are left to the background
      }
      for (Map.Entry<Integer, TestEngine> one : dead.entrySet()) {
        nodes.recovered(one.getKey(), standIn, one.getValue());
        nodes.restart(one.getKey(), 2, one.getValue());
      }
      check();
    }

    private void work(int slot) {
      if (here(slot).isEmpty() || here(slot).size() < 3 && random.nextInt(3) == 0) {
        begins(slot);
      }
      step(slot, true);
      acknowledge(slot);
    }

    private void begins(int slot) {
      Transaction txn = begin(nodes.node(slot));
      xids.add(txn.ensureXid());
      open.add(new Open(slot, txn, new HashMap<>()));
    }

    private List<Open> here(int slot) {
      return open.stream().filter(one -> one.slot == slot).toList();
    }

    /** From now on nothing of what the node does becomes durable. */
    private void inMemory(int slot, boolean mayWrite) {
      begins(slot); // a new segment has to be durable first
      nodes.node(slot).engine.quiesce();
      nodes.node(slot).engine.stream().hold();
      for (int i = random.nextInt(6); i > 0 && !here(slot).isEmpty(); i--) {
        step(slot, mayWrite);
      }
    }

    private void release(int slot) {
      nodes.node(slot).engine.stream().release();
      acknowledge(slot);
    }

    private void step(int slot, boolean mayWrite) {
      NodesFixture.Node node = nodes.node(slot);
      List<Open> here = here(slot);
      Open one = here.get(random.nextInt(here.size()));
      int row = random.nextInt(ROWS);
      long value = random.nextLong();
      switch (random.nextInt(mayWrite ? 5 : 2)) {
        case 0 -> {
          one.txn.rollback();
          open.remove(one);
        }
        case 1 -> {
          one.txn.commit();
          open.remove(one);
          unforced.add(one);
        }
        default -> {
          if (nodes.rows().update(node, one.txn, row, WaitPolicy.NO_WAIT, old -> value)) {
            one.writes.put(row, value);
          }
        }
      }
    }

    private static Transaction begin(NodesFixture.Node node) {
      Transaction txn = node.session();
      txn.begin(IsolationLevel.READ_COMMITTED);
      txn.startStatement();
      return txn;
    }

    /** Commits of this node are durable, and all hear of them. */
    private void acknowledge(int slot) {
      nodes.node(slot).engine.quiesce();
      for (Open one : List.copyOf(unforced)) {
        if (one.slot == slot) {
          one.writes.forEach((row, value) -> committed[row] = value);
          unforced.remove(one);
        }
      }
      long clock = nodes.node(slot).engine.clock().now();
      nodes.all().forEach(node -> node.engine.clock().observe(clock));
    }

    /** A node learns all that it can of all transactions. */
    private void asks(int slot) {
      NodesFixture.Node node = nodes.node(slot);
      Transaction asker = begin(node);
      RemoteXids remote = node.transactions.remote();
      remote.begin(asker);
      // For a snapshot that sees none of them, so that no answer waits for the log.
      xids.forEach(xid -> remote.want(asker, 1, xid));
      remote.resolve(asker, 1);
      asker.rollback();
    }

    private TestEngine kill(int slot, int recoverer) {
      open.removeIf(one -> one.slot == slot);
      unforced.removeIf(one -> one.slot == slot);
      return nodes.kill(slot, recoverer);
    }

    private void check() {
      for (NodesFixture.Node node : nodes.all()) {
        acknowledge(node.slot);
      }
      for (NodesFixture.Node node : nodes.all()) {
        Transaction reader = begin(node);
        for (int row = 0; row < ROWS; row++) {
          String what = "row " + row + " on node " + node.slot + ", " + name;
          assertEquals(committed[row], nodes.rows().read(node, reader, row), what);
        }
        reader.rollback();
        assertTrue(nodes.holding(node.slot).contains(node.slot), name);
      }
    }
  }
}
