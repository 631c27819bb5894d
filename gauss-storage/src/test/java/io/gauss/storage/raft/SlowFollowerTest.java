package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.raft.LossyTransport.Fate;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A follower that does not take what is sent to it does not fill the memory of its leader. */
@Timeout(180)
class SlowFollowerTest {
  private static final int GROUPS = 6;
  private static final int ENTRIES = 5;
  private static final int ENTRY_BYTES = 1 << 20;

  /** To one node, of all groups; and for each group another request. */
  private static final long MOST_BYTES = (16 << 20) + GROUPS * (ENTRY_BYTES + 1024L);

  @TempDir Path directory;
  private final AtomicLong held = new AtomicLong();
  private volatile int slowPort;
  private RaftNodes nodes;

  @BeforeEach
  void start() {
    nodes =
        new RaftNodes(
            3,
            directory,
            node -> RaftHost.MachineFactory.of(group -> new SumReplica()),
            // One leader stays, though one follower hears nothing of it.
            settings -> settings.withElectionTimeout(Duration.ofSeconds(2), Duration.ofSeconds(3)),
            transport -> new LossyTransport(transport, (to, bytes) -> fate(to.port(), bytes)));
    nodes.startAll();
  }

  private Fate fate(int port, int bytes) {
    if (port != slowPort) {
      return Fate.ANSWERED;
    }
    held.addAndGet(bytes);
    return Fate.HELD;
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  /** A number with many zeros in front. */
  private static byte[] large() {
    byte[] number = new byte[ENTRY_BYTES];
    Arrays.fill(number, (byte) '0');
    number[ENTRY_BYTES - 1] = '1';
    return number;
  }

  @Test
  void whatIsUnderWayToItIsBoundedForAllGroupsTogether() {
    List<GroupId> groups = new ArrayList<>();
    for (int i = 0; i < GROUPS; i++) {
      GroupId group = GroupId.stream(i + 1);
      nodes.addGroup(group);
      groups.add(group);
    }
    for (GroupId group : groups) {
      GroupNodes.await("node 0 to lead " + group, () -> nodes.host(0).leads(group));
      nodes.add(group, 1);
      nodes.awaitSame(group);
    }
    slowPort = nodes.settings(2).port();
    List<CompletableFuture<Submitted>> answers = new ArrayList<>();
    for (int i = 0; i < ENTRIES; i++) {
      for (GroupId group : groups) {
        answers.add(nodes.host(0).submit(group, large()));
      }
    }
    for (CompletableFuture<Submitted> answer : answers) {
      assertInstanceOf(Submitted.Applied.class, answer.orTimeout(60, TimeUnit.SECONDS).join());
    }
    assertTrue(held.get() > ENTRY_BYTES, () -> "sent " + held);
    assertTrue(held.get() <= MOST_BYTES, () -> held + " bytes under way to a slow follower");
  }
}
