package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.ratis.server.RaftServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An entry that is committed while the thread that applies has just looked for one, and does not
 * wait yet. Between the two Ratis asks for a snapshot if one is wanted, and here that goes on until
 * the signal of the commit has been given in vain.
 */
@Timeout(180)
class AppliedSoonTest {
  private static final GroupId GROUP = GroupId.stream(7);
  private static final int ROUNDS = 10;

  /** For so long Ratis waits after a signal that was lost. */
  private static final long LOST_NANOS = 100_000_000;

  @TempDir Path directory;
  private final AtomicReference<Runnable> duringSnapshot = new AtomicReference<>();
  private RaftNodes nodes;

  @AfterEach
  void stop() {
    nodes.close();
  }

  /** Takes no snapshots, and so is asked for them whenever one is wanted. */
  private final class Held extends SumReplica {
    @Override
    public long takeSnapshot(GroupLog log) {
      Runnable action = duringSnapshot.getAndSet(null);
      if (action != null) {
        action.run();
      }
      return -1;
    }
  }

  @Test
  void aSignalThatComesBetweenTheLookAndTheWaitIsGivenAgain() {
    nodes = new RaftNodes(1, directory, node -> RaftHost.MachineFactory.of(group -> new Held()));
    nodes.startAll();
    nodes.addGroup(GROUP);
    nodes.add(GROUP, 1);
    long fastest = Long.MAX_VALUE;
    for (int i = 0; i < ROUNDS; i++) {
      fastest = Math.min(fastest, round());
    }
    long nanos = fastest;
    assertTrue(nanos < LOST_NANOS / 2, () -> "applied after " + nanos + " ns");
  }

  /**
   * @return time between the signal and the answer
   */
  private long round() {
    RaftHost host = nodes.host(0);
    CompletableFuture<CompletableFuture<Submitted>> submitted = new CompletableFuture<>();
    long[] signalled = new long[1];
    CompletableFuture<Void> isListenedTo = new CompletableFuture<>();
    duringSnapshot.set(isListenedTo::join);
    // The first one is taken where the thread looks again afterwards. Its end is told by that
    // thread, so that the second one is wanted before that look, and taken behind it.
    host.forget(GROUP)
        .thenRun(
            () -> {
              duringSnapshot.set(
                  () -> {
                    submitted.complete(host.submit(GROUP, SumReplica.number(1)));
                    awaitSignal(host);
                    signalled[0] = System.nanoTime();
                  });
              host.forget(GROUP);
            });
    isListenedTo.complete(null);
    assertInstanceOf(
        Submitted.Applied.class,
        submitted.thenCompose(answer -> answer).orTimeout(60, TimeUnit.SECONDS).join());
    return System.nanoTime() - signalled[0];
  }

  private static void awaitSignal(RaftHost host) {
    RaftServer.Division member = host.division(GROUP);
    GroupNodes.await(
        "a commit",
        () ->
            member.getRaftLog().getLastCommittedIndex() == member.getRaftLog().getFlushIndex()
                && member.getRaftLog().getFlushIndex() > member.getInfo().getLastAppliedIndex());
    synchronized (member) {
      // Who commits an entry gives the signal under it.
    }
  }
}
