package io.gauss.storage.raft;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A member whose log is to begin anew behind a state that was fetched, and that ends before. */
@Timeout(120)
class BegunAnewTest {
  private static final GroupId STREAM = GroupId.stream(7);
  private static final int BEHIND = 2;

  @TempDir Path directory;
  private final Map<Integer, SumReplica> replicas = new ConcurrentHashMap<>();
  private RaftNodes nodes;

  @BeforeEach
  void start() {
    nodes =
        new RaftNodes(
            3,
            directory,
            node ->
                group -> {
                  SumReplica replica = new SumReplica();
                  replicas.put(node, replica);
                  return new GroupMachine(replica);
                });
    nodes.startAll();
    nodes.addGroup(STREAM);
    RaftNodes.await("node 0 to lead", () -> nodes.host(0).leads(STREAM));
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  private void add(long value) {
    nodes.add(STREAM, value);
  }

  private Path snapshotOf(int node) {
    return GroupDirectories.current(nodes.settings(node).directory(), STREAM)
        .resolveSibling("sm")
        .resolve("sum.snapshot");
  }

  /** It saves the state, and the entries that the state contains are in its log only in part. */
  @Test
  void itGoesOnBehindTheState() throws Exception {
    add(1);
    add(2);
    RaftNodes.await("node 2 to have all", () -> replicas.get(BEHIND).sum() == 3);
    nodes.stop(BEHIND);
    add(3);
    add(4);
    RaftNodes.await("node 0 to have all", () -> replicas.get(0).sum() == 10);
    nodes.host(0).forget(STREAM).orTimeout(30, TimeUnit.SECONDS).join();
    Files.copy(snapshotOf(0), snapshotOf(BEHIND), StandardCopyOption.REPLACE_EXISTING);
    nodes.start(BEHIND);
    add(5);
    RaftNodes.await("node 2 to have all again", () -> replicas.get(BEHIND).sum() == 15);
    nodes.stop(BEHIND);
    nodes.start(BEHIND);
    add(6);
    RaftNodes.await("node 2 to have all once more", () -> replicas.get(BEHIND).sum() == 21);
    RaftNodes.await("node 0 to have the same", () -> replicas.get(0).sum() == 21);
  }
}
