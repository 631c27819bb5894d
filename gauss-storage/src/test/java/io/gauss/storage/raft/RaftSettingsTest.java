package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class RaftSettingsTest {
  private static final long GB = 1L << 30;

  @Test
  void entriesInMemoryAreAShareOfTheHeap() {
    assertEquals(16 << 20, RaftSettings.segmentBytes(2 * GB));
    assertEquals(32 << 20, RaftSettings.segmentBytes(16 * GB), "no more than is of use");
    assertEquals(8 << 20, RaftSettings.segmentBytes(GB / 4), "an entry has to fit");
    long streams = 8;
    assertTrue(3L * RaftSettings.segmentBytes(2 * GB) * streams <= 2 * GB / 5);
    RaftSettings settings = RaftSettings.of(0, "127.0.0.1", 1, Path.of("raft"), RaftNodes.KEY);
    assertEquals(
        RaftSettings.segmentBytes(Runtime.getRuntime().maxMemory()), settings.segmentBytes());
    assertEquals(settings.segmentBytes(), settings.cacheBytes());
  }
}
