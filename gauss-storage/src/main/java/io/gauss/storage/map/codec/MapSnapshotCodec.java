package io.gauss.storage.map.codec;

import io.gauss.storage.map.codec.MapFrameLayout.Kind;
import io.gauss.storage.map.message.MapSnapshot;

/**
 * A {@link MapSnapshot} in bytes: payload of a {@link MapFrameLayout} of kind SNAPSHOT, {@code i64
 * term, i64 index}, the map as a whole frame after its length (i32).
 */
public final class MapSnapshotCodec {
  private MapSnapshotCodec() {}

  public static byte[] encode(MapSnapshot snapshot) {
    MapWriter to = new MapWriter().i64(snapshot.term()).i64(snapshot.index());
    return MapFrameLayout.wrap(Kind.SNAPSHOT, to.blob(ClusterMapCodec.encode(snapshot.map())));
  }

  /**
   * The snapshot of these bytes.
   *
   * @throws io.gauss.common.error.GaussException 0A000 for an unknown version, XX001 for damage
   */
  public static MapSnapshot decode(byte[] bytes) {
    return MapReader.whole(
        Kind.SNAPSHOT,
        bytes,
        r -> new MapSnapshot(r.i64(), r.i64(), ClusterMapCodec.decode(r.blob())));
  }
}
