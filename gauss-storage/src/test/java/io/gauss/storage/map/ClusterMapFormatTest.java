package io.gauss.storage.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.storage.map.api.BucketMap;
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
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
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
    TreeMap<Integer, Integer> moves = new TreeMap<>(Map.of(101, 3));
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
        new TreeMap<>(Map.of(4, 6L)));
  }

  @Test
  void clusterMap() {
    byte[] bytes = ClusterMapCodec.encode(example());
    assertGolden(
        "474d4150010001003001000007000000000000001817161514131211282726252423222101000000"
            + "0300000005000000002200000000000001000100a00f000002000100040001007a01000102006831"
            + "591b0b00000000000000010000000200000000000000000000000000020003010000020001020068"
            + "31591b0202006832381508070605040302010400000001b80b000009000000000000000101000101"
            + "00010001000100010002000300000001010010000000000000002200000000000004000000010000"
            + "00000000000000000000000000000001000400000002000100090000030000000000000100030000"
            + "000200010201000200000000040000000000000200010200640000009c0f02000100650003000100"
            + "0600000000000000010002000200c80002002c0101000100040000000600000000000000205272bc",
        bytes);
    assertEquals(example(), ClusterMapCodec.decode(bytes));
  }

  @Test
  void commands() {
    assertGolden(
        "474d4150010002001f00000006020002000400000009000000000000000300050000000100000000"
            + "0000003cf8f5ff",
        MapCommandCodec.encode(
            new MapCommand.RenewLeases(
                List.of(new MapCommand.Renewal(2, 4, 9), new MapCommand.Renewal(3, 5, 1)))));
    assertGolden(
        "474d4150010002003a0000000318171615141312112827262524232221000000000000"
            + "01000001000109003132372e302e302e31581b07000000000000000100000001000000ebc1e9ab",
        MapCommandCodec.encode(MapRun.register(0, 0, 7, Role.COMPUTE)));
    assertGolden(
        "474d41500100020013000000120200040000000300000000220000000000" + "000cf79410",
        MapCommandCodec.encode(new MapCommand.AcknowledgeDeath(2, 4, 3, 0x2200)));
    assertGolden(
        "474d415001000200150000001902000400000003000500000009000000000000007f1e9b66",
        MapCommandCodec.encode(new MapCommand.Suspend(2, 4, 3, 5, 9)));
    assertGolden(
        "474d415001000200130000001a0300050000000c0000000000000004000000eb223eb8",
        MapCommandCodec.encode(new MapCommand.Resume(3, 5, 12, 4)));
    assertGolden(
        "474d415001000200090000001b0200040000000700da3d53ef",
        MapCommandCodec.encode(new MapCommand.GiveBucket(2, 4, 7)));
    assertGolden(
        "474d4150010002000e0000001c020004000000020200683238159dac78b6",
        MapCommandCodec.encode(
            new MapCommand.OpenToClients(2, 4, new Endpoint(Endpoint.Purpose.SQL, "h2", 5432))));
  }

  @Test
  void results() {
    assertGolden(
        "474d4150010003000c0000000202000104000000b80b00001d55a69f",
        MapResultCodec.encode(new MapResult.Registered(2, 1, 4, 3000)));
    assertGolden(
        "474d41500100030008000000040404006c617465718f6570",
        MapResultCodec.encode(new MapResult.Refused(MapResult.Refusal.RENEWED, "late")));
  }

  @Test
  void messages() {
    assertGolden(
        "474d4150010004000d000000010700000000000000881300003e5dfca6",
        MapMessageCodec.encode(new MapRequest.Watch(7, 5000)));
    assertGolden(
        "474d415001000500030000000503003ee01b5b",
        MapMessageCodec.encode(new MapAnswer.NotLeader(3)));
    assertGolden(
        "474d4150010005000900000008080706050403020130938240",
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
            new MapAnswer.Noted(),
            new MapAnswer.NotLeader(3),
            new MapAnswer.Status(example(), 1, new TreeMap<>(Map.of(2, 2900))),
            new MapAnswer.Snapshot(new MapSnapshot(3, 77, example())),
            new MapAnswer.Incarnation(-5))) {
      assertEquals(answer, MapMessageCodec.decodeAnswer(MapMessageCodec.encode(answer)));
    }
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
    bytes[MapFrameLayout.VERSION] = 2;
    GaussException e = assertThrows(GaussException.class, () -> ClusterMapCodec.decode(bytes));
    assertEquals(SqlState.FEATURE_NOT_SUPPORTED, e.state());
    assertEquals("cluster map format version 2; this build knows 1", e.getMessage());
  }

  @Test
  void aResultIsNoCommand() {
    byte[] bytes = MapResultCodec.encode(MapResult.done());
    assertThrows(GaussException.class, () -> MapCommandCodec.decode(bytes));
  }
}
