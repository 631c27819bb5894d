package io.gauss.bench.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class NodeMetersTest {
  @Test
  void metersOfAnotherProcessAreRead() throws IOException, InterruptedException {
    Process process = CountingProcess.start();
    try (NodeMeters meters = NodeMeters.of(process.pid()).orElseThrow()) {
      assertEquals(
          Map.of(
              NodeCounts.SENT + "page.request",
              11L,
              NodeCounts.SENT + "page.granted",
              7L, // of two roles
              NodeCounts.RAFT_FORCES,
              5L,
              NodeCounts.LOG_FORCES,
              7L),
          meters.read().orElseThrow().meters());
      process.destroyForcibly();
      process.waitFor();
      assertEquals(Optional.empty(), meters.read());
    } finally {
      process.destroyForcibly();
    }
    assertTrue(NodeMeters.of(process.pid()).isEmpty());
  }

  @Test
  void aProcessWithoutSuchMetersHasNoCounts() {
    try (NodeMeters meters = NodeMeters.of(ProcessHandle.current().pid()).orElseThrow()) {
      assertEquals(Optional.empty(), meters.read());
    }
  }
}
