package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterFileTest {
  private static final int PORT = 1;

  @TempDir Path data;

  private static ClusterFile.Node here(int id, String role) {
    return ClusterFile.thisProcess(id, role, "127.0.0.1", PORT);
  }

  private static ClusterFile.Node dead(int id, String role) {
    return new ClusterFile.Node(id, role, "127.0.0.1", PORT, Integer.MAX_VALUE, 0, "UP");
  }

  private void write(String directory, ClusterFile.Node... nodes) throws IOException {
    new ClusterFile(List.of(nodes)).write(Files.createDirectories(data.resolve(directory)));
  }

  private List<String> found() throws IOException {
    return ClusterFile.find(data).orElseThrow().nodes().stream()
        .map(node -> node.role() + " " + node.id() + (node.process().isPresent() ? "" : " dead"))
        .toList();
  }

  @Test
  void whereNothingWasStartedThereIsNothing() throws IOException {
    assertTrue(ClusterFile.find(data).isEmpty());
    assertTrue(ClusterFile.find(data.resolve("missing")).isEmpty());
  }

  @Test
  void nodesThatWereStartedOneByOneAreFound() throws IOException {
    write(".");
    write("storage-201", here(201, "storage"));
    write("compute-1", dead(1, "compute"));
    assertEquals(List.of("storage 201"), found());
  }

  @Test
  void aNodeThatWasStartedAgainTakesThePlaceOfItsDeadProcess() throws IOException {
    write(".", dead(1, "compute"), dead(201, "storage"));
    write("storage-201", here(201, "storage"));
    assertEquals(List.of("compute 1 dead", "storage 201"), found());
  }

  @Test
  void computeNodesComeFirstSinceTheyNeedTheOthersToStop() throws IOException {
    write(".", dead(201, "storage"), dead(101, "memory"), dead(1, "compute"));
    assertEquals(List.of("compute 1 dead", "memory 101 dead", "storage 201 dead"), found());
  }
}
