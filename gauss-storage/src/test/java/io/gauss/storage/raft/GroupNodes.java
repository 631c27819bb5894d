package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.runtime.Environment;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Hosts of groups on several storage nodes in one JVM, which can be stopped and started. */
public interface GroupNodes extends AutoCloseable {
  int size();

  /** No effect when it runs. */
  GroupHost start(int node);

  /** Ends it normally; no effect when it does not run. */
  void stop(int node);

  /** Null when it does not run. */
  GroupHost host(int node);

  /** All nodes as members. */
  List<GroupMember> members();

  default void startAll() {
    for (int node = 0; node < size(); node++) {
      start(node);
    }
  }

  /** Adds the group on all running nodes. */
  default void addGroup(GroupId group) {
    for (int node = 0; node < size(); node++) {
      if (host(node) != null) {
        host(node).addGroup(group, members());
      }
    }
  }

  /** The node that leads; waits until there is one. */
  default int awaitLeader(GroupId group) {
    int[] leader = {-1};
    await(
        "a leader of " + group,
        () -> {
          for (int node = 0; node < size(); node++) {
            GroupHost host = host(node);
            if (host != null && host.groups().contains(group) && host.leads(group)) {
              leader[0] = node;
            }
          }
          return leader[0] >= 0;
        });
    return leader[0];
  }

  /**
   * Adds to a group of {@link SumReplica}s or {@link SumMachine}s, once: what a leader that was
   * replaced meanwhile does not know is looked for in the sum. Not zero, and nobody else may add.
   *
   * @return the sum after it
   */
  default long add(GroupId group, long value) {
    long before = sum(group);
    long after = before;
    while (after == before) {
      Submitted outcome =
          host(awaitLeader(group))
              .submit(group, SumReplica.number(value))
              .orTimeout(60, TimeUnit.SECONDS)
              .join();
      after =
          outcome instanceof Submitted.Applied added
              ? SumReplica.number(added.answer())
              : sum(group);
    }
    return after;
  }

  /** What everything that is committed adds up to. */
  private long sum(GroupId group) {
    long[] sum = new long[1];
    await(
        "an answer of a leader of " + group,
        () -> {
          Submitted outcome =
              host(awaitLeader(group))
                  .query(group, new byte[0])
                  .orTimeout(60, TimeUnit.SECONDS)
                  .join();
          if (outcome instanceof Submitted.Applied answer) {
            sum[0] = SumReplica.number(answer.answer());
            return true;
          }
          return false;
        });
    return sum[0];
  }

  /** Waits until the condition holds, for a minute at most. */
  static void await(String what, BooleanSupplier condition) {
    long deadline = Environment.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertTrue(Environment.nanoTime() < deadline, "waited in vain for " + what);
      Environment.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  @Override
  void close();
}
