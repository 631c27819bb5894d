package io.gauss.storage.map.codec;

import io.gauss.storage.map.codec.MapFrameLayout.Kind;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.message.MapAnswer;
import io.gauss.storage.map.message.MapRequest;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Requests and answers in bytes, each in a {@link MapFrameLayout} of kind REQUEST or ANSWER. Maps,
 * commands and results are embedded as whole frames, after their length (i32).
 *
 * <pre>
 * request  1 watch: i64 version, i32 wait ms       answer  1 new map: map
 *          2 propose: command                              2 unchanged
 *          3 renew: u16 node, i32 epoch, i64 number        3 result: result, i64 version
 *          4 report exit: u16 node, i64 incarnation        4 noted
 *          5 report unreachable: u16 reporter,             5 not leader: u16 leader, 0 = unknown
 *            i32 its epoch, u16 target, i32 its epoch      6 status: map, u16 leader,
 *          6 status                                          list of u16 node, i32 lease ms
 *          7 snapshot                                      7 snapshot: snapshot
 *          8 who are you                                   8 incarnation: i64
 * </pre>
 */
public final class MapMessageCodec {
  private MapMessageCodec() {}

  public static byte[] encode(MapRequest request) {
    MapWriter to = new MapWriter();
    switch (request) {
      case MapRequest.Watch r -> to.u8(1).i64(r.version()).i32(r.waitMillis());
      case MapRequest.Propose r -> to.u8(2).blob(MapCommandCodec.encode(r.command()));
      case MapRequest.Renew(MapCommand.Renewal r) ->
          to.u8(3).u16(r.node()).i32(r.epoch()).i64(r.number());
      case MapRequest.ReportExit r -> to.u8(4).u16(r.node()).i64(r.incarnation());
      case MapRequest.ReportUnreachable r ->
          to.u8(5).u16(r.reporter()).i32(r.reporterEpoch()).u16(r.target()).i32(r.targetEpoch());
      case MapRequest.Status r -> to.u8(6);
      case MapRequest.Snapshot r -> to.u8(7);
      case MapRequest.WhoAreYou r -> to.u8(8);
    }
    return MapFrameLayout.wrap(Kind.REQUEST, to);
  }

  /**
   * The request of these bytes.
   *
   * @throws io.gauss.common.error.GaussException 0A000 for an unknown version, XX001 for damage
   */
  public static MapRequest decodeRequest(byte[] bytes) {
    return MapReader.whole(Kind.REQUEST, bytes, MapMessageCodec::request);
  }

  private static MapRequest request(MapReader from) {
    int type = from.u8();
    return switch (type) {
      case 1 -> new MapRequest.Watch(from.i64(), from.i32());
      case 2 -> new MapRequest.Propose(MapCommandCodec.decode(from.blob()));
      case 3 -> new MapRequest.Renew(new MapCommand.Renewal(from.u16(), from.i32(), from.i64()));
      case 4 -> new MapRequest.ReportExit(from.u16(), from.i64());
      case 5 -> new MapRequest.ReportUnreachable(from.u16(), from.i32(), from.u16(), from.i32());
      case 6 -> new MapRequest.Status();
      case 7 -> new MapRequest.Snapshot();
      case 8 -> new MapRequest.WhoAreYou();
      default -> throw new IllegalArgumentException("request " + type);
    };
  }

  public static byte[] encode(MapAnswer answer) {
    MapWriter to = new MapWriter();
    switch (answer) {
      case MapAnswer.NewMap a -> to.u8(1).blob(ClusterMapCodec.encode(a.map()));
      case MapAnswer.Unchanged a -> to.u8(2);
      case MapAnswer.Result a -> to.u8(3).blob(MapResultCodec.encode(a.result())).i64(a.version());
      case MapAnswer.Noted a -> to.u8(4);
      case MapAnswer.NotLeader a -> to.u8(5).u16(a.leader());
      case MapAnswer.Status a ->
          to.u8(6)
              .blob(ClusterMapCodec.encode(a.map()))
              .u16(a.leader())
              .list(a.leaseMillis().entrySet(), (w, e) -> w.u16(e.getKey()).i32(e.getValue()));
      case MapAnswer.Incarnation a -> to.u8(8).i64(a.incarnation());
      case MapAnswer.Snapshot a -> to.u8(7).blob(MapSnapshotCodec.encode(a.snapshot()));
    }
    return MapFrameLayout.wrap(Kind.ANSWER, to);
  }

  /**
   * The answer of these bytes.
   *
   * @throws io.gauss.common.error.GaussException 0A000 for an unknown version, XX001 for damage
   */
  public static MapAnswer decodeAnswer(byte[] bytes) {
    return MapReader.whole(Kind.ANSWER, bytes, MapMessageCodec::answer);
  }

  private static MapAnswer answer(MapReader from) {
    int type = from.u8();
    return switch (type) {
      case 1 -> new MapAnswer.NewMap(ClusterMapCodec.decode(from.blob()));
      case 2 -> new MapAnswer.Unchanged();
      case 3 -> new MapAnswer.Result(MapResultCodec.decode(from.blob()), from.i64());
      case 4 -> new MapAnswer.Noted();
      case 5 -> new MapAnswer.NotLeader(from.u16());
      case 6 -> {
        var map = ClusterMapCodec.decode(from.blob());
        int leader = from.u16();
        SortedMap<Integer, Integer> leases = new TreeMap<>();
        from.list(r -> leases.put(r.u16(), r.i32()));
        yield new MapAnswer.Status(map, leader, leases);
      }
      case 8 -> new MapAnswer.Incarnation(from.i64());
      case 7 -> new MapAnswer.Snapshot(MapSnapshotCodec.decode(from.blob()));
      default -> throw new IllegalArgumentException("answer " + type);
    };
  }
}
