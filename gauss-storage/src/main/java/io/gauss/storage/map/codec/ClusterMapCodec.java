package io.gauss.storage.map.codec;

import io.gauss.storage.map.api.BucketMap;
import io.gauss.storage.map.api.BucketMap.Move;
import io.gauss.storage.map.api.BucketMap.Rebuild;
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
import io.gauss.storage.map.api.SliceMap;
import io.gauss.storage.map.api.StreamGroup;
import io.gauss.storage.map.codec.MapFrameLayout.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;

/**
 * The cluster map in bytes, as in its snapshot and in messages to watchers. Payload of a {@link
 * MapFrameLayout} of kind MAP; fields in this order, lists as count (u16) and elements:
 *
 * <pre>
 * i64 version | uuid cluster | i32 format version | i32 next node | i32 next epoch | i64 clock floor
 * settings       u16 number, i32 value                              those that differ from defaults
 * nodes          u16 id, u8 roles, u8 slot, text zone, list of endpoints (u8 purpose, text host,
 *                u16 port), i64 incarnation, i32 epoch, u8 state, i32 lease ms, i64 renewals,
 *                u8 evicted
 * stream groups  u8 slot, list of u16 replicas, u16 preferred leader
 * streams        i32 epoch, u8 slot, u8 sealed, i64 end, i64 last LSN
 * joins          i32 epoch, u16 node, list of u16 pending, i64 clock
 * deaths         i32 epoch, u16 node, u8 slot, u8 evidence, list of u16 install pending,
 *                list of u16 raise pending, i64 clock, u16 recoverer, u8 taken over
 * bucket homes   runs: u16 buckets, u16 node                        together 4,096 buckets
 * bucket moves   u16 to, i64 since, u16 first byte, u16 bytes, bit set: those that began together
 * rebuilds       i64 number, list of u16 pending, runs: u16 first bucket, u16 buckets
 * suspensions    i32 epoch, i64 number
 * from version 3 of the frame on, which a map has only with a list of slices; runs: u16 first, u16 length
 * holders        u16 node, i64 since
 * tenures        u16 node, i64 since, runs: the slices for which it was named then
 * slice moves    u16 from, u16 to, runs: those that move between the two
 * </pre>
 */
public final class ClusterMapCodec {
  private ClusterMapCodec() {}

  public static byte[] encode(ClusterMap map) {
    MapWriter to = new MapWriter();
    to.i64(map.version()).uuid(map.cluster()).i32(map.formatVersion());
    to.i32(map.nextNode()).i32(map.nextEpoch()).i64(map.clockFloor());
    settings(to, map.settings());
    to.list(map.nodes().values(), ClusterMapCodec::node);
    to.list(
        map.streamGroups().values(),
        (w, g) -> w.u8(g.slot()).ids(g.replicas()).u16(g.preferredLeader()).ids(g.founders()));
    to.list(
        map.streams().values(),
        (w, s) -> w.i32(s.epoch()).u8(s.slot()).bool(s.sealed()).i64(s.end()).i64(s.lastLsn()));
    to.list(
        map.joins().values(),
        (w, j) -> w.i32(j.epoch()).u16(j.node()).ids(j.pending()).i64(j.clock()));
    to.list(map.deaths().values(), ClusterMapCodec::death);
    buckets(to, map.buckets());
    to.list(map.suspensions().entrySet(), (w, e) -> w.i32(e.getKey()).i64(e.getValue()));
    if (map.slices().isListed()) {
      SliceMapCodec.write(to.needs(MapFrameLayout.WITH_SLICES), map.slices());
    }
    return MapFrameLayout.wrap(Kind.MAP, to);
  }

  /**
   * The map of these bytes.
   *
   * @throws io.gauss.common.error.GaussException 0A000 for an unknown version, XX001 for damage
   */
  public static ClusterMap decode(byte[] bytes) {
    return MapReader.whole(Kind.MAP, bytes, ClusterMapCodec::map);
  }

  private static ClusterMap map(MapReader from) {
    long version = from.i64();
    UUID cluster = from.uuid();
    int formatVersion = from.i32();
    int nextNode = from.i32();
    int nextEpoch = from.i32();
    long clockFloor = from.i64();
    return new ClusterMap(
        version,
        cluster,
        formatVersion,
        settings(from),
        nextNode,
        nextEpoch,
        clockFloor,
        byKey(from.list(ClusterMapCodec::node), MapNode::id),
        byKey(
            from.list(
                r ->
                    new StreamGroup(
                        r.u8(), r.list(MapReader::u16), r.u16(), r.list(MapReader::u16))),
            StreamGroup::slot),
        byKey(
            from.list(r -> new MapStream(r.i32(), r.u8(), r.bool(), r.i64(), r.i64())),
            MapStream::epoch),
        byKey(from.list(r -> new Join(r.i32(), r.u16(), r.ids(), r.i64())), Join::epoch),
        byKey(from.list(ClusterMapCodec::death), Death::epoch),
        buckets(from),
        suspensions(from),
        from.version() < MapFrameLayout.WITH_SLICES ? SliceMap.NONE : SliceMapCodec.read(from));
  }

  private static SortedMap<Integer, Long> suspensions(MapReader from) {
    TreeMap<Integer, Long> suspensions = new TreeMap<>();
    from.list(r -> suspensions.put(r.i32(), r.i64()));
    return suspensions;
  }

  private static <K, V> SortedMap<K, V> byKey(List<V> values, Function<V, K> key) {
    TreeMap<K, V> map = new TreeMap<>();
    values.forEach(v -> map.put(key.apply(v), v));
    return map;
  }

  static void settings(MapWriter to, ClusterSettings settings) {
    to.list(settings.changed().entrySet(), (w, e) -> w.u16(e.getKey().id()).i32(e.getValue()));
  }

  static ClusterSettings settings(MapReader from) {
    Map<ClusterSetting, Integer> changed = new EnumMap<>(ClusterSetting.class);
    from.list(r -> changed.put(ClusterSetting.of(r.u16()), r.i32()));
    return new ClusterSettings(changed);
  }

  private static void node(MapWriter to, MapNode node) {
    to.u16(node.id()).u8(Role.bits(node.roles())).u8(node.slot()).text(node.zone());
    endpoints(to, node.endpoints());
    to.i64(node.incarnation()).i32(node.epoch()).u8(node.state().id());
    to.i32(node.lease().durationMillis()).i64(node.lease().renewals()).bool(node.evicted());
  }

  private static MapNode node(MapReader from) {
    return new MapNode(
        from.u16(),
        Role.of(from.u8()),
        from.u8(),
        from.text(),
        endpoints(from),
        from.i64(),
        from.i32(),
        NodeState.of(from.u8()),
        new Lease(from.i32(), from.i64()),
        from.bool());
  }

  static void endpoints(MapWriter to, Collection<Endpoint> endpoints) {
    to.list(endpoints, ClusterMapCodec::endpoint);
  }

  static List<Endpoint> endpoints(MapReader from) {
    return from.list(ClusterMapCodec::endpoint);
  }

  static void endpoint(MapWriter to, Endpoint endpoint) {
    to.u8(endpoint.purpose().id()).text(endpoint.host()).u16(endpoint.port());
  }

  static Endpoint endpoint(MapReader from) {
    return new Endpoint(Endpoint.Purpose.of(from.u8()), from.text(), from.u16());
  }

  private static void death(MapWriter to, Death death) {
    to.i32(death.epoch()).u16(death.node()).u8(death.slot()).u8(death.evidence().id());
    to.ids(death.installPending()).ids(death.raisePending());
    to.i64(death.clock()).u16(death.recoverer()).bool(death.takenOver());
  }

  private static Death death(MapReader from) {
    return new Death(
        from.i32(),
        from.u16(),
        from.u8(),
        Death.Evidence.of(from.u8()),
        from.ids(),
        from.ids(),
        from.i64(),
        from.u16(),
        from.bool());
  }

  /** Buckets with the same home, one after another. */
  private record Run(int count, int value) {}

  private static void buckets(MapWriter to, BucketMap buckets) {
    to.list(runs(buckets.homes()), (w, r) -> w.u16(r.count()).u16(r.value()));
    to.list(
        together(buckets.moves()).entrySet(),
        (w, e) ->
            w.u16(e.getKey().to()).i64(e.getKey().since()).buckets(BucketSet.of(e.getValue())));
    to.list(
        buckets.rebuilds().values(),
        (w, r) -> w.i64(r.number()).ids(r.pending()).runs(BucketSet.of(r.buckets())));
  }

  private static SortedMap<Move, BitSet> together(SortedMap<Integer, Move> moves) {
    TreeMap<Move, BitSet> together =
        new TreeMap<>(Comparator.comparing(Move::since).thenComparing(Move::to));
    moves.forEach((bucket, move) -> together.computeIfAbsent(move, m -> new BitSet()).set(bucket));
    return together;
  }

  private static List<Run> runs(int[] values) {
    List<Run> runs = new ArrayList<>();
    int first = 0;
    for (int i = 1; i <= values.length; i++) {
      if (i == values.length || values[i] != values[first]) {
        runs.add(new Run(i - first, values[first]));
        first = i;
      }
    }
    return runs;
  }

  private static BucketMap buckets(MapReader from) {
    int[] homes = new int[BucketMap.BUCKETS];
    int next = 0;
    for (Run run : from.list(r -> new Run(r.u16(), r.u16()))) {
      if (run.count() == 0 || next + run.count() > homes.length) {
        throw new IllegalArgumentException("run of " + run.count() + " buckets at " + next);
      }
      Arrays.fill(homes, next, next + run.count(), run.value());
      next += run.count();
    }
    if (next != homes.length) {
      throw new IllegalArgumentException(next + " buckets");
    }
    TreeMap<Integer, Move> moves = new TreeMap<>();
    from.list(
        r -> {
          Move move = new Move(r.u16(), r.i64());
          r.buckets().forEach(bucket -> moves.put(bucket, move));
          return move;
        });
    return new BucketMap(homes, moves, byKey(from.list(ClusterMapCodec::rebuild), Rebuild::number));
  }

  private static Rebuild rebuild(MapReader from) {
    long number = from.i64();
    SortedSet<Integer> pending = from.ids();
    SortedSet<Integer> chosen = new TreeSet<>();
    from.runs().forEach(chosen::add);
    return new Rebuild(number, pending, chosen);
  }
}
