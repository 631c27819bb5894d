package io.gauss.storage.map.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.map.ClusterMapTransitions.Applied;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Join;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.command.MapResult.Refusal;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ClusterMapStateTest {
  private static final MapCommand COMMAND = new MapCommand.ExpireLease(1, 1, 1);

  @Test
  void aCommandThatWouldMakeTheMapUnsoundIsRefusedAndChangesNothing() {
    ClusterMap before = ClusterMap.EMPTY;
    Applied applied = soundOrRefused(before, new Applied(withJoins(1), MapResult.done()));
    assertSame(before, applied.map());
    MapResult.Refused refused = assertInstanceOf(MapResult.Refused.class, applied.result());
    assertEquals(Refusal.INVALID, refused.why());
    assertTrue(refused.message().contains("without a joining node"), refused.message());
  }

  @Test
  void aCommandMayLeaveAnUnsoundMapAsItIsOrMendIt() {
    Applied same = new Applied(withJoins(2), MapResult.done());
    assertSame(same, soundOrRefused(withJoins(2), same));
    Applied repaired = new Applied(withJoins(1), MapResult.done());
    assertSame(repaired, soundOrRefused(withJoins(2), repaired));
  }

  private static Applied soundOrRefused(ClusterMap before, Applied applied) {
    return ClusterMapState.soundOrRefused(before, applied, COMMAND);
  }

  /** A map with this number of joins of unknown nodes. */
  private static ClusterMap withJoins(int joins) {
    TreeMap<Integer, Join> entries = new TreeMap<>();
    for (int i = 1; i <= joins; i++) {
      entries.put(i, new Join(i, i, new TreeSet<>(), 0));
    }
    ClusterMap empty = ClusterMap.EMPTY;
    return new ClusterMap(
        empty.version() + 1,
        empty.cluster(),
        empty.formatVersion(),
        empty.settings(),
        empty.nextNode(),
        empty.nextEpoch(),
        empty.clockFloor(),
        empty.nodes(),
        empty.streamGroups(),
        empty.streams(),
        entries,
        empty.deaths(),
        empty.buckets(),
        empty.suspensions(),
        empty.slices());
  }
}
