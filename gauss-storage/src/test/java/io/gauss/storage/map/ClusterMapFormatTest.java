package io.gauss.storage.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.storage.map.api.BucketMap;
import io.gauss.storage.map.api.BucketSet;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.ClusterSettings;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.Join;
import io.gauss.storage.map.api.Lease;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.MapStream;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.api.Slice;
import io.gauss.storage.map.api.SliceMap;
import io.gauss.storage.map.api.StreamGroup;
import io.gauss.storage.map.codec.ClusterMapCodec;
import io.gauss.storage.map.codec.MapCommandCodec;
import io.gauss.storage.map.codec.MapFrameLayout;
import io.gauss.storage.map.codec.MapMessageCodec;
import io.gauss.storage.map.codec.MapResultCodec;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.message.MapAnswer;
import io.gauss.storage.map.message.MapRequest;
import io.gauss.storage.map.message.MapSnapshot;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Golden bytes of the cluster map, its commands and results. */
class ClusterMapFormatTest {
  private static void assertGolden(String expected, byte[] actual) {
    assertEquals(expected.replaceAll("\\s", ""), HexFormat.of().formatHex(actual));
  }

  private static ClusterMap example() {
    TreeMap<Integer, MapNode> nodes = new TreeMap<>();
    Endpoint peer = new Endpoint(Endpoint.Purpose.PEER, "h1", 7001);
    nodes.put(
        1,
        new MapNode(
            1,
            Set.of(Role.STORAGE),
            0,
            "z",
            List.of(peer),
            11,
            1,
            NodeState.UP,
            Lease.NONE,
            false));
    nodes.put(
        2,
        new MapNode(
            2,
            Set.of(Role.COMPUTE, Role.MEMORY),
            1,
            "",
            List.of(peer, new Endpoint(Endpoint.Purpose.SQL, "h2", 5432)),
            0x0102030405060708L,
            4,
            NodeState.JOINING,
            new Lease(3000, 9),
            true));
    int[] homes = new int[BucketMap.BUCKETS];
    Arrays.fill(homes, 100, 4096, 2);
    BucketMap.Move move = new BucketMap.Move(3, 6);
    TreeMap<Integer, BucketMap.Move> moves = new TreeMap<>(Map.of(101, move, 120, move));
    TreeMap<Long, BucketMap.Rebuild> rebuilds = new TreeMap<>();
    rebuilds.put(
        6L,
        new BucketMap.Rebuild(6, new TreeSet<>(Set.of(2)), new TreeSet<>(Set.of(200, 201, 300))));
    return new ClusterMap(
        7,
        MapRun.CLUSTER,
        1,
        ClusterSettings.DEFAULTS.with(ClusterSetting.LEASE_DURATION, 4000),
        3,
        5,
        0x2200,
        nodes,
        new TreeMap<>(Map.of(1, StreamGroup.founded(1, List.of(1), 1))),
        new TreeMap<>(
            Map.of(3, MapStream.open(3, 1).sealedAt(0x1000, 0x2200), 4, MapStream.open(4, 1))),
        new TreeMap<>(Map.of(4, new Join(4, 2, new TreeSet<>(Set.of(9)), 0x300))),
        new TreeMap<>(
            Map.of(
                3,
                new Death(
                    3,
                    2,
                    1,
                    Death.Evidence.PROOF_OF_EXIT,
                    new TreeSet<>(Set.of(2)),
                    new TreeSet<>(),
                    0x400,
                    2,
                    true))),
        new BucketMap(homes, moves, rebuilds),
        new TreeMap<>(Map.of(4, 6L)),
        SliceMap.NONE);
  }

  @Test
  void clusterMap() {
    byte[] bytes = ClusterMapCodec.encode(example());
    assertGolden(
        "474d4150020001003e01000007000000000000001817161514131211282726252423222101000000"
            + "0300000005000000002200000000000001000100a00f000002000100040001007a01000102006831"
            + "591b0b00000000000000010000000200000000000000000000000000020003010000020001020068"
            + "31591b0202006832381508070605040302010400000001b80b000009000000000000000101000101"
            + "00010001000100010002000300000001010010000000000000002200000000000004000000010000"
            + "00000000000000000000000000000001000400000002000100090000030000000000000100030000"
            + "000200010201000200000000040000000000000200010200640000009c0f02000100030006000000"
            + "000000000c0004002000000101000600000000000000010002000200c80002002c01010001000400"
            + "00000600000000000000c30d1632",
        bytes);
    assertEquals(example(), ClusterMapCodec.decode(bytes));
  }

  @Test
  void commands() {
    assertGolden(
        "474d4150020002001f00000006020002000400000009000000000000000300050000000100000000"
            + "000000befbf79e",
        MapCommandCodec.encode(
            new MapCommand.RenewLeases(
                List.of(new MapCommand.Renewal(2, 4, 9), new MapCommand.Renewal(3, 5, 1)))));
    assertGolden(
        "474d4150020002003a00000003181716151413121128272625242322210000000000000100000100"
            + "0109003132372e302e302e31581b0700000000000000010000000100000078c6ae00",
        MapCommandCodec.encode(MapRun.register(0, 0, 7, Role.COMPUTE)));
    assertGolden(
        "474d4150020002001300000012020004000000030000000022000000000000ec40d7f2",
        MapCommandCodec.encode(new MapCommand.AcknowledgeDeath(2, 4, 3, 0x2200)));
    assertGolden(
        "474d41500200020015000000190200040000000300050000000900000000000000e1351b7b",
        MapCommandCodec.encode(new MapCommand.Suspend(2, 4, 3, 5, 9)));
    assertGolden(
        "474d415002000200130000001a0300050000000c00000000000000040000000b957d5a",
        MapCommandCodec.encode(new MapCommand.Resume(3, 5, 12, 4)));
    assertGolden(
        "474d415002000200160000001b020004000000090000000000000000000300800240d6ac266a",
        MapCommandCodec.encode(new MapCommand.GiveBuckets(2, 4, 9, BucketSet.of(7, 9, 22))));
    assertGolden(
        "474d4150020002000900000015030010000200ff01d484142b",
        MapCommandCodec.encode(
            new MapCommand.MoveBuckets(
                3, BucketSet.of(128, 129, 130, 131, 132, 133, 134, 135, 136))));
    assertGolden(
        "474d4150020002000e0000001c02000400000002020068323815419f4652",
        MapCommandCodec.encode(
            new MapCommand.OpenToClients(2, 4, new Endpoint(Endpoint.Purpose.SQL, "h2", 5432))));
  }

  /** A build without slices knows version 2, and refuses these by name. */
  @Test
  void commandsForSlices() {
    assertGolden(
        "474d415003000200090000001d030001000200030022fed086",
        MapCommandCodec.encode(new MapCommand.ListSlices(List.of(1, 2, 3))));
    assertGolden(
        "474d4150030002000a0000001e030004000200010002b1b3d554",
        MapCommandCodec.encode(new MapCommand.MoveSlices(3, 4, BucketSet.of(17))));
    assertGolden(
        "474d415003000200140000001f04000900000077000000000000000200010002d4a84a0a",
        MapCommandCodec.encode(new MapCommand.FinishSliceMoves(4, 9, 0x77, BucketSet.of(17))));
    assertGolden(
        "474d415003000200060000002002000100023e11d098",
        MapCommandCodec.encode(new MapCommand.CancelSliceMoves(BucketSet.of(17))));
    assertGolden(
        "474d4150030002001100000021040078000000000000000102000100029ce09c5d",
        MapCommandCodec.encode(new MapCommand.GiveUpReplicas(4, 0x78, 1, BucketSet.of(17))));
  }

  /** What follows the map of version 2, in which nothing else changes. */
  @Test
  void slices() {
    Slice moving =
        new Slice(
            List.of(
                new Slice.Tenure(1, 0),
                new Slice.Tenure(2, 0),
                new Slice.Tenure(3, 0),
                new Slice.Tenure(4, 6)),
            3,
            4);
    ClusterMap map =
        withSlices(SliceMap.allAt(List.of(1, 2, 3)).with(Map.of(17, moving, 18, moving), 6));
    byte[] bytes = ClusterMapCodec.encode(map);
    byte[] without = ClusterMapCodec.encode(example());
    assertEquals(3, bytes[MapFrameLayout.VERSION]);
    assertEquals(2, without[MapFrameLayout.VERSION]);
    int end = without.length - MapFrameLayout.CHECKSUM_BYTES;
    assertEquals(
        HexFormat.of().formatHex(without, MapFrameLayout.PAYLOAD, end),
        HexFormat.of().formatHex(bytes, MapFrameLayout.PAYLOAD, end));
    assertGolden(
        """
        0400 0100 0000000000000000 0200 0000000000000000 0300 0000000000000000
             0400 0600000000000000
        0400 0100 0000000000000000 0100 0000 0010
             0200 0000000000000000 0100 0000 0010
             0300 0000000000000000 0100 0000 0010
             0400 0600000000000000 0100 1100 0200
        0100 0300 0400 0100 1100 0200
        """,
        Arrays.copyOfRange(bytes, end, bytes.length - MapFrameLayout.CHECKSUM_BYTES));
    assertEquals(map, ClusterMapCodec.decode(bytes));
  }

  private static ClusterMap withSlices(SliceMap slices) {
    ClusterMap map = example();
    return new ClusterMap(
        map.version(),
        map.cluster(),
        map.formatVersion(),
        map.settings(),
        map.nextNode(),
        map.nextEpoch(),
        map.clockFloor(),
        map.nodes(),
        map.streamGroups(),
        map.streams(),
        map.joins(),
        map.deaths(),
        map.buckets(),
        map.suspensions(),
        slices);
  }

  /** Node 9 has slices and is no holder. */
  @Test
  void slicesThatContradictThemselvesAreDamage() {
    byte[] bytes = ClusterMapCodec.encode(withSlices(SliceMap.allAt(List.of(1, 2, 3))));
    int tenures = bytes.length - MapFrameLayout.CHECKSUM_BYTES - 2 - 3 * (2 + 8 + 2 + 2 + 2);
    bytes[tenures] = 9; // node 9 in the place of node 1, which is a holder
    seal(bytes);
    GaussException e = assertThrows(GaussException.class, () -> ClusterMapCodec.decode(bytes));
    assertEquals(SqlState.DATA_CORRUPTED, e.state());
  }

  @Test
  void results() {
    assertGolden(
        "474d4150020003000c0000000202000104000000b80b0000da4d62c6",
        MapResultCodec.encode(new MapResult.Registered(2, 1, 4, 3000)));
    assertGolden(
        "474d41500200030008000000040404006c61746582ef9d63",
        MapResultCodec.encode(new MapResult.Refused(MapResult.Refusal.RENEWED, "late")));
    assertGolden(
        "474d4150020003000d00000005ff010100800304006c6174654bd510d0",
        MapResultCodec.encode(
            new MapResult.AllBut(BucketSet.of(4095), MapResult.Refusal.NOT_YET, "late")));
  }

  @Test
  void messages() {
    assertGolden(
        "474d4150020004000d0000000107000000000000008813000009dbe2b1",
        MapMessageCodec.encode(new MapRequest.Watch(7, 5000)));
    assertGolden(
        "474d415002000500030000000503008c8e65e7",
        MapMessageCodec.encode(new MapAnswer.NotLeader(3)));
    assertGolden(
        "474d41500200050009000000080807060504030201d1f7afa0",
        MapMessageCodec.encode(new MapAnswer.Incarnation(0x0102030405060708L)));
  }

  @Test
  void everyMessageIsReadAsItWasWritten() {
    for (MapRequest request :
        List.of(
            new MapRequest.Watch(7, 5000),
            new MapRequest.Propose(new MapCommand.Drain(2, 4)),
            new MapRequest.Renew(new MapCommand.Renewal(2, 4, 9)),
            new MapRequest.ReportExit(2, -5),
            new MapRequest.ReportUnreachable(2, 4, 3, 5),
            new MapRequest.Status(),
            new MapRequest.Snapshot(),
            new MapRequest.WhoAreYou())) {
      assertEquals(request, MapMessageCodec.decodeRequest(MapMessageCodec.encode(request)));
    }
    for (MapAnswer answer :
        List.of(
            new MapAnswer.NewMap(example()),
            new MapAnswer.Unchanged(),
            new MapAnswer.Result(MapResult.done(), 8),
            new MapAnswer.Result(
                new MapResult.AllBut(BucketSet.of(0, 4095), MapResult.Refusal.NOT_YET, "late"), 8),
            new MapAnswer.Noted(),
            new MapAnswer.NotLeader(3),
            new MapAnswer.Status(example(), 1, new TreeMap<>(Map.of(2, 2900))),
            new MapAnswer.Snapshot(new MapSnapshot(3, 77, example())),
            new MapAnswer.Incarnation(-5))) {
      assertEquals(answer, MapMessageCodec.decodeAnswer(MapMessageCodec.encode(answer)));
    }
  }

  @Test
  void aBucketThatDoesNotExistIsDamage() {
    byte[] bytes =
        MapCommandCodec.encode(
            new MapCommand.CancelBucketMoves(BucketSet.of(BucketMap.BUCKETS - 1)));
    int firstByte = MapFrameLayout.PAYLOAD + 1;
    bytes[firstByte + 1]++; // the high byte
    seal(bytes);
    GaussException e = assertThrows(GaussException.class, () -> MapCommandCodec.decode(bytes));
    assertEquals(SqlState.DATA_CORRUPTED, e.state());
  }

  private static void seal(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, bytes.length - 4);
    ByteBuffer.wrap(bytes)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(bytes.length - 4, (int) crc.getValue());
  }

  @Test
  void everyDamagedByteIsNoticed() {
    byte[] bytes = ClusterMapCodec.encode(example());
    for (int i = 0; i < bytes.length; i++) {
      byte[] damaged = bytes.clone();
      damaged[i] ^= 0x10;
      assertThrows(GaussException.class, () -> ClusterMapCodec.decode(damaged));
      byte[] cut = Arrays.copyOf(bytes, i);
      assertThrows(GaussException.class, () -> ClusterMapCodec.decode(cut));
    }
  }

  @Test
  void anUnknownVersionIsRefusedByName() {
    byte[] bytes = ClusterMapCodec.encode(example());
    bytes[MapFrameLayout.VERSION] = 1;
    GaussException e = assertThrows(GaussException.class, () -> ClusterMapCodec.decode(bytes));
    assertEquals(SqlState.FEATURE_NOT_SUPPORTED, e.state());
    assertEquals("cluster map format version 1; this build knows 2 to 3", e.getMessage());
    bytes[MapFrameLayout.VERSION] = 4;
    e = assertThrows(GaussException.class, () -> ClusterMapCodec.decode(bytes));
    assertEquals(SqlState.FEATURE_NOT_SUPPORTED, e.state());
  }

  @Test
  void aResultIsNoCommand() {
    byte[] bytes = MapResultCodec.encode(MapResult.done());
    assertThrows(GaussException.class, () -> MapCommandCodec.decode(bytes));
  }
}
