package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.redo.RedoType;
import io.gauss.storage.api.LogStream.AppendResult;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.api.TestMtrs;
import io.gauss.storage.node.ComputeStandIn;
import io.gauss.storage.node.StorageNodes;
import io.gauss.storage.remote.RemoteStorage;
import java.io.IOException;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code status} and {@code log cat} on a cluster with a storage node in this process. */
@Timeout(600)
class ClusterCommandsTest {
  @TempDir Path directory;
  private Path data;
  private StorageNodes nodes;

  @BeforeEach
  void start() throws IOException {
    nodes = new StorageNodes(directory, 1);
    nodes.start();
    nodes.awaitWell();
    data = directory.resolve("data");
    Path compute = Files.createDirectories(data.resolve("compute-1"));
    Properties properties = new Properties();
    properties.setProperty("cluster.key", nodes.key().toString());
    properties.setProperty(
        "storage.nodes",
        nodes.addresses().stream().map(StorageAddress::toString).collect(Collectors.joining(",")));
    try (Writer writer = Files.newBufferedWriter(compute.resolve("gauss.properties"))) {
      properties.store(writer, null);
    }
    new ClusterFile(List.of(ClusterFile.thisProcess(201, "storage", "127.0.0.1", port())))
        .write(data);
  }

  private int port() {
    return nodes.addresses().getFirst().port();
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  private static long append(ComputeStandIn compute, RemoteStorage storage) {
    byte[] format =
        ByteBuffer.allocate(18)
            .order(ByteOrder.LITTLE_ENDIAN)
            .put((byte) PageType.TREE)
            .putShort(16, (short) PageLayout.NO_HIGH_KEY)
            .array();
    long lsn = compute.clock.next(1);
    TestMtrs mtrs = new TestMtrs();
    mtrs.begin(lsn).record(RedoType.FORMAT, PageId.of(7, 3), 0, format);
    CompletableFuture<AppendResult> done = new CompletableFuture<>();
    storage.stream()
        .append(
            storage.epoch(), storage.stream().endOffset(), lsn, lsn, mtrs.take(), done::complete);
    assertInstanceOf(AppendResult.Appended.class, done.orTimeout(60, TimeUnit.SECONDS).join());
    return lsn;
  }

  private Commands.Outcome cat(String... more) {
    String[] all = new String[4 + more.length];
    System.arraycopy(new String[] {"log", "cat", "--data", data.toString()}, 0, all, 0, 4);
    System.arraycopy(more, 0, all, 4, more.length);
    return Commands.run(all);
  }

  /**
   * What a command says when a node has answered: it waits for two seconds, and nodes may stall.
   */
  private static Commands.Outcome answered(Supplier<Commands.Outcome> command) {
    return await(command, outcome -> !outcome.error().contains("no storage node answers"));
  }

  private static Commands.Outcome await(
      Supplier<Commands.Outcome> command, Predicate<Commands.Outcome> condition) {
    Commands.Outcome[] last = new Commands.Outcome[1];
    StorageNodes.await(
        "another answer than the last one",
        () -> {
          last[0] = command.get();
          return condition.test(last[0]);
        });
    return last[0];
  }

  @Test
  void aStreamIsShownWithoutFencingItsWriter() {
    try (ComputeStandIn compute = new ComputeStandIn(nodes, 1);
        RemoteStorage storage = compute.open()) {
      long first = append(compute, storage);
      long second = append(compute, storage);
      Commands.Outcome all = answered(this::cat);
      assertEquals(0, all.exitCode(), all.error());
      assertEquals(3, all.out().size());
      assertTrue(all.out().get(1).contains(" " + Lsn.toString(first) + " "), all.out().get(1));
      Commands.Outcome fromSecond = answered(() -> cat("--from-csn", Lsn.toString(second)));
      assertEquals(List.of(all.out().get(0), all.out().get(2)), fromSecond.out());
      assertTrue(append(compute, storage) > second, "the writer continues");
    }
  }

  @Test
  void whatTheStorageNodesHaveNotIsRefusedAndSilenceIsAnError() {
    Commands.Outcome none = answered(() -> cat("--stream", "9"));
    assertEquals(2, none.exitCode());
    assertTrue(none.error().contains("no such stream; they have: none"), none.error());
    try (ComputeStandIn compute = new ComputeStandIn(nodes, 1);
        RemoteStorage storage = compute.open()) {
      long lsn = append(compute, storage);
      Commands.Outcome behind = answered(() -> cat("--from-csn", "" + (lsn + 1)));
      assertEquals(2, behind.exitCode());
      assertTrue(behind.error().contains("no record at or above it yet"), behind.error());
    }
    nodes.stop(201);
    Commands.Outcome silent = cat();
    assertEquals(1, silent.exitCode());
    assertTrue(silent.error().contains("no storage node answers"), silent.error());
  }

  @Test
  void statusShowsTheStreamAndEndsWithItsExitCode() throws IOException {
    try (ComputeStandIn compute = new ComputeStandIn(nodes, 1);
        RemoteStorage storage = compute.open()) {
      append(compute, storage);
      long end = storage.stream().endOffset();
      Commands.Outcome text =
          await(
              () -> Commands.run("status", "--data", data.toString()),
              status ->
                  status.exitCode() == 0
                      && status.out().stream().anyMatch(line -> line.startsWith("cluster ")));
      assertTrue(
          text.out().stream().anyMatch(line -> line.matches("1 +201 leader +" + end + " .*")),
          text.out().toString());
      Commands.Outcome json =
          await(
              () -> Commands.run("status", "--json", "--data", data.toString()),
              status ->
                  status.exitCode() == 0
                      && status.out().stream().anyMatch(line -> line.contains("\"map\"")));
      JsonNode read = new ObjectMapper().readTree(String.join("\n", json.out()));
      JsonNode stream = read.get("streams").get(0);
      assertEquals(201, stream.get("leader").asInt());
      assertEquals(end, stream.get("durable").asLong());
      assertEquals(storage.epoch(), stream.get("epoch").asInt());
      assertEquals("leader", stream.get("replicas").get(0).get("state").asText());
      assertEquals("UP", read.get("map").get("nodes").get(0).get("state").asText());
    }
    nodes.stop(201);
    Commands.Outcome down = Commands.run("status", "--data", data.toString());
    assertEquals(3, down.exitCode());
    assertTrue(
        down.out().stream().anyMatch(line -> line.contains("does not answer")),
        down.out().toString());
  }
}
