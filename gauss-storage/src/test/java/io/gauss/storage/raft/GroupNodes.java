package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.runtime.Environment;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

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
   * Adds a number to a group of {@link SumReplica}s, once, whoever leads it meanwhile: on a busy
   * machine, or when a node with a higher priority comes, another member may lead at any time. For
   * tests in which nobody else adds to the group, and a majority runs.
   *
   * @return the sum
   */
  default long add(GroupId group, long value) {
    long before = sum(group);
    while (true) {
      Submitted outcome =
          finished(host(awaitLeader(group)).submit(group, SumReplica.number(value)));
      if (outcome instanceof Submitted.Applied applied) {
        return SumReplica.number(applied.answer());
      }
      // After an unknown outcome the next leader has decided what becomes of the command.
      if (outcome instanceof Submitted.Unknown && sum(group) == before + value) {
        return before + value;
      }
    }
  }

  /** What a group of {@link SumReplica}s has added up, as its leader says. */
  default long sum(GroupId group) {
    while (true) {
      Submitted outcome = finished(host(awaitLeader(group)).query(group, SumReplica.number(0)));
      if (outcome instanceof Submitted.Applied applied) {
        return SumReplica.number(applied.answer());
      }
    }
  }

  private static Submitted finished(CompletableFuture<Submitted> answer) {
    return answer.orTimeout(60, TimeUnit.SECONDS).join();
  }

  /**
   * Changes the members, whoever leads meanwhile. Ratis gives up when a new member does not answer
   * at once; nodes then ask again.
   */
  default void change(GroupId group, List<GroupMember> to) {
    await(
        "members " + to,
        () -> {
          try {
            host(awaitLeader(group)).setMembers(group, to);
            return true;
          } catch (GaussException notNow) {
            return false;
          }
        });
  }

  /**
   * Waits until all nodes that run have forced the same entries of a group, at least one. A member
   * that is stopped before its first entry does not know the others when it starts again, until a
   * leader tells it, and gives no vote.
   */
  default void awaitSame(GroupId group) {
    await(
        "all to have the same entries",
        () -> {
          Set<Long> ends =
              IntStream.range(0, size())
                  .mapToObj(this::host)
                  .filter(Objects::nonNull)
                  .map(host -> host.status(group).flushedIndex())
                  .collect(Collectors.toSet());
          return ends.size() == 1 && !ends.contains(-1L);
        });
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
