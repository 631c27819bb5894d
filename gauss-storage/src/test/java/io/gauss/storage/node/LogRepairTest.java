package io.gauss.storage.node;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.storage.api.LogStream.LogReader;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.wire.NodeStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three storage nodes; a bit flips in the log of the one that leads a stream. */
@Timeout(180)
class LogRepairTest {
  /** About 67 MB, so that the first segment of the log is closed and not in memory any more. */
  private static final int WRITES = 140;

  private static final int PAGES = 60;

  @TempDir Path directory;
  private StorageNodes nodes;
  private PageWriter writer;

  @BeforeEach
  void start() throws IOException {
    nodes = new StorageNodes(directory, 3);
    nodes.start();
    nodes.awaitWell();
    writer = new PageWriter(nodes, 1, new PageWriter.SharedPages());
    for (int i = 0; i < WRITES; i++) {
      writer.writeOwn(PAGES);
    }
  }

  @AfterEach
  void stop() {
    writer.close();
    nodes.close();
  }

  /** Whom the map prefers: it gets the lead back when it loses it for a moment. */
  private int leader() {
    int preferred = writer.compute.map().streamGroups().get(writer.stream()).preferredLeader();
    StorageNodes.await(
        "storage node " + preferred + " leads",
        () ->
            nodes.node(preferred).status().replicas().stream().anyMatch(NodeStatus.Replica::leads));
    return preferred;
  }

  private Path firstSegment(int node) throws IOException {
    Path group =
        nodes
            .directory(node)
            .resolve("raft")
            .resolve(GroupId.stream(writer.stream()).uuid().toString());
    try (var files = Files.list(group.resolve("current"))) {
      return files
          .filter(file -> file.getFileName().toString().matches("log_\\d+-\\d+"))
          .min(Comparator.comparing(file -> file.getFileName().toString().length()))
          .orElseThrow();
    }
  }

  private long repaired(int node) {
    return (long) nodes.meters(node).get("gauss.log.repaired").functionCounter().count();
  }

  private long bytesThatAreRead() {
    long bytes = 0;
    try (LogReader reader = writer.readAll()) {
      while (reader.next()) {
        assertEquals(bytes, reader.offset());
        bytes += reader.bytes().remaining();
      }
    }
    return bytes;
  }

  @Test
  void whoLedRepairsItsLogOnceSomebodyReadsTheDamage() throws IOException {
    int leader = leader();
    Path segment = firstSegment(leader);
    byte[] whole = Files.readAllBytes(segment);
    byte[] damaged = whole.clone();
    damaged[damaged.length / 2] ^= 1;
    Files.write(segment, damaged, StandardOpenOption.WRITE);
    StorageNodes.await(
        "the damage is read and repaired",
        () -> {
          assertEquals(writer.end(), bytesThatAreRead(), "whoever reads has everything meanwhile");
          return repaired(leader) == 1;
        });
    assertArrayEquals(whole, Files.readAllBytes(segment));
    nodes.awaitWell();
    nodes.stop(leader);
    nodes.start(leader);
    nodes.awaitWell();
    assertEquals(writer.end(), bytesThatAreRead());
  }
}
