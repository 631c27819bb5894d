package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.remote.ClusterStatus;
import io.gauss.storage.wire.LogHold;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What {@code gauss status} shows of logs that are kept for nodes without a replica. */
class StatusReportTest {
  private static StatusReport report(LogHold... holds) {
    ClusterStatus.Stream stream =
        new ClusterStatus.Stream(3, 1, 7, 100, 5000, 5000, List.of(), List.of(holds));
    return new StatusReport(List.of(), new ClusterStatus(List.of(), List.of(stream)), null, null);
  }

  @Test
  void whatHoldsALogIsShownWithItsBytesAndSinceWhen() {
    StatusReport report = report(new LogHold(204, 90, 100, 4900, 61_000_000_000L));
    List<String> words = List.of(report.text().lines().toList().getLast().trim().split("\\s+"));
    assertEquals(List.of("3", "204", "90", "100", "4900", "61"), words);
    Map<?, ?> stream = (Map<?, ?>) ((List<?>) report.json().get("streams")).getFirst();
    assertEquals(
        List.of(Map.of("node", 204, "tenure", 90L, "from", 100L, "bytes", 4900L, "millis", 61e3)),
        stream.get("holds"));
  }

  @Test
  void nothingIsShownWhereNothingIsHeld() {
    assertFalse(report().text().contains("kept for"));
    assertTrue(report().json().toString().contains("holds=[]"));
  }
}
