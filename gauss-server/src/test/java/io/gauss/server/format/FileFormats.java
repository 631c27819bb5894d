package io.gauss.server.format;

import io.gauss.jdbc.routing.model.ColumnProfile;
import io.gauss.jdbc.routing.model.Publication;
import io.gauss.jdbc.routing.model.RoutingTable;
import io.gauss.server.format.Format.Space;
import io.gauss.storage.local.log.LogBatchLayout;
import io.gauss.storage.local.log.LogControlLayout;
import io.gauss.storage.local.log.LogExamples;
import io.gauss.storage.local.log.LogSegmentLayout;
import io.gauss.storage.local.pages.PageKeyExamples;
import io.gauss.storage.local.pages.PageKeyLayout;
import io.gauss.storage.map.api.BucketMap;
import io.gauss.storage.map.api.BucketSet;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSettings;
import io.gauss.storage.map.api.Slice;
import io.gauss.storage.map.api.SliceMap;
import io.gauss.storage.map.codec.ClusterMapCodec;
import io.gauss.storage.map.codec.MapCommandCodec;
import io.gauss.storage.map.codec.MapFrameLayout;
import io.gauss.storage.map.codec.MapMessageCodec;
import io.gauss.storage.map.codec.MapResultCodec;
import io.gauss.storage.map.codec.MapSnapshotCodec;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.message.MapAnswer;
import io.gauss.storage.map.message.MapRequest;
import io.gauss.storage.map.message.MapSnapshot;
import io.gauss.storage.raft.stream.StreamEntry;
import io.gauss.storage.raft.stream.StreamEntryLayout;
import io.gauss.storage.raft.stream.StreamSnapshot;
import io.gauss.storage.raft.stream.Subscriptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** Files, what lies in stores, and what the cluster map is written in. */
final class FileFormats {
  private FileFormats() {}

  static List<Format> all() {
    List<Format> all = new ArrayList<>();
    all.addAll(streams());
    all.addAll(map());
    all.addAll(files());
    return all;
  }

  private static List<Format> streams() {
    return List.of(
        stream(
            "append",
            StreamEntryLayout.append(
                3, 9, 0x1122, 0x501, 0x601, 0x1000, ByteBuffer.wrap(new byte[] {1, 2, 3}))),
        stream("seal", StreamEntryLayout.command(new StreamEntry.Seal(3, 9))),
        stream("open an epoch", StreamEntryLayout.command(new StreamEntry.Open(3, 9, 0xABCD))),
        stream("trim", StreamEntryLayout.command(new StreamEntry.Trim(3, 9, 0x1122))),
        subscription("subscribe", new StreamEntry.Subscribe(3, 202, 90, 0x1122)),
        subscription("raise a subscription", new StreamEntry.Raise(3, 202, 90, 0x1122)),
        subscription("unsubscribe", new StreamEntry.Unsubscribe(3, 202, 90)));
  }

  private static Format stream(String name, byte[] example) {
    return stream(StreamEntryLayout.VERSION_VALUE, name, example);
  }

  private static Format subscription(String name, StreamEntry.Command command) {
    return stream(
        StreamEntryLayout.SUBSCRIPTIONS_VERSION, name, StreamEntryLayout.command(command));
  }

  private static Format stream(int version, String name, byte[] example) {
    int id = StreamEntryLayout.id(StreamEntryLayout.read(ByteBuffer.wrap(example)));
    return Format.of(Space.STREAM, id, version, name, "StreamEntryLayout", example);
  }

  private static ClusterMap map(int version, SliceMap slices) {
    return new ClusterMap(
        7,
        new UUID(0x0102030405060708L, 0x1112131415161718L),
        version,
        ClusterSettings.DEFAULTS,
        3,
        5,
        0x2200,
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new BucketMap(new int[BucketMap.BUCKETS], new TreeMap<>(), new TreeMap<>()),
        new TreeMap<>(),
        slices);
  }

  /** Nodes 1 to 3 have all slices, and one of them moves from 3 to 4. */
  private static SliceMap slices() {
    Slice moving =
        new Slice(
            List.of(
                new Slice.Tenure(1, 0),
                new Slice.Tenure(2, 0),
                new Slice.Tenure(3, 0),
                new Slice.Tenure(4, 6)),
            3,
            4);
    return SliceMap.allAt(List.of(1, 2, 3)).with(Map.of(17, moving), 6);
  }

  private static List<Format> map() {
    ClusterMap map = map(ClusterMap.FORMAT_VERSION, SliceMap.NONE);
    return List.of(
        frame(
            "the map",
            MapFrameLayout.WITH_SLICES,
            "ClusterMapCodec SliceMapCodec",
            ClusterMapCodec.encode(map),
            ClusterMapCodec.encode(map(ClusterMap.FORMAT_WITH_SLICES, slices()))),
        frame(
            "command",
            MapFrameLayout.WITH_SLICES,
            "MapCommandCodec",
            MapCommandCodec.encode(new MapCommand.AcknowledgeDeath(2, 4, 3, 0x2200)),
            MapCommandCodec.encode(new MapCommand.MoveSlices(3, 4, BucketSet.of(17)))),
        frame(
            "result",
            MapFrameLayout.VERSION_VALUE,
            "MapResultCodec",
            MapResultCodec.encode(new MapResult.Registered(2, 1, 4, 3000))),
        frame(
            "request",
            MapFrameLayout.VERSION_VALUE,
            "MapMessageCodec",
            MapMessageCodec.encode(new MapRequest.Watch(7, 5000))),
        frame(
            "answer",
            MapFrameLayout.VERSION_VALUE,
            "MapMessageCodec",
            MapMessageCodec.encode(new MapAnswer.NotLeader(3))),
        frame(
            "snapshot",
            MapFrameLayout.VERSION_VALUE,
            "MapSnapshotCodec",
            MapSnapshotCodec.encode(new MapSnapshot(3, 77, map))));
  }

  private static Format frame(String name, int version, String codecs, Object... examples) {
    int kind =
        ByteBuffer.wrap((byte[]) examples[0])
            .order(ByteOrder.LITTLE_ENDIAN)
            .getShort(MapFrameLayout.KIND);
    return Format.of(Space.MAP, kind, version, name, "MapFrameLayout " + codecs, examples);
  }

  private static List<Format> files() {
    RoutingTable table =
        new RoutingTable(
            5,
            List.of(
                new RoutingTable.Entry(
                    42,
                    2,
                    1,
                    ColumnProfile.Kind.NUMBER,
                    "",
                    new double[] {10},
                    new short[] {1, 2})));
    return List.of(
        Format.of(
            Space.FILE,
            "GAUSSLOG",
            LogSegmentLayout.VERSION_VALUE,
            "head of a log segment",
            "LogSegmentLayout",
            LogExamples.logSegment()),
        Format.of(
            Space.FILE,
            "GLB1",
            LogBatchLayout.VERSION_VALUE,
            "frame of a log segment",
            "LogBatchLayout",
            LogExamples.logFrame()),
        Format.of(
            Space.FILE,
            "GAUSSCTL",
            LogControlLayout.VERSION_VALUE,
            "slot of the log's control file",
            "LogControlLayout",
            LogExamples.logControl()),
        Format.of(
            Space.FILE,
            "GSS1",
            2,
            "snapshot of a log stream; without subscriptions in version 1",
            "StreamSnapshot",
            new StreamSnapshot(3, 2, 77, 100, 5000, 0x901, 6, 5, 0xABCD, Subscriptions.NONE)
                .encode(),
            new StreamSnapshot(
                    3,
                    2,
                    77,
                    100,
                    5000,
                    0x901,
                    6,
                    5,
                    0xABCD,
                    new Subscriptions(List.of(new Subscriptions.Subscription(4, 90, 1000))))
                .encode()),
        Format.of(
            Space.FILE,
            "m",
            PageKeyLayout.VERSION,
            "page store: its format",
            "PageKeyLayout",
            PageKeyExamples.metaKey(),
            PageKeyExamples.metaValue()),
        Format.of(
            Space.FILE,
            "p",
            PageKeyLayout.VERSION,
            "page store: a page",
            "PageKeyLayout",
            PageKeyExamples.pageKey()),
        Format.of(
            Space.FILE,
            "s",
            PageKeyLayout.VERSION,
            "page store: a stream's checkpoint",
            "PageKeyLayout",
            PageKeyExamples.streamKey(),
            PageKeyExamples.streamValue()),
        Format.of(
            Space.FILE,
            "0x47525001",
            1,
            "what drivers route by: model (1), table (2); among compute nodes whose values these"
                + " have (3)",
            "PublicationLayout",
            Publication.write(table)));
  }
}
