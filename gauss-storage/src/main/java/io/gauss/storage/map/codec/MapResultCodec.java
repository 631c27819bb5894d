package io.gauss.storage.map.codec;

import io.gauss.storage.map.codec.MapFrameLayout.Kind;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.command.MapResult.Refusal;
import io.gauss.storage.map.command.MapResult.RenewalAnswer;

/**
 * Results of commands in bytes. Payload of a {@link MapFrameLayout} of kind RESULT, by its first
 * byte: {@code 1} done; {@code 2} registered: u16 node, u8 slot, i32 epoch, i32 lease ms; {@code 3}
 * renewed: list of u8; {@code 4} refused: u8 why, text; {@code 5} done for all buckets but some:
 * these (u16 first byte, u16 bytes, bit set), u8 why, text.
 */
public final class MapResultCodec {
  private MapResultCodec() {}

  public static byte[] encode(MapResult result) {
    MapWriter to = new MapWriter();
    switch (result) {
      case MapResult.Done done -> to.u8(1);
      case MapResult.Registered r ->
          to.u8(2).u16(r.node()).u8(r.slot()).i32(r.epoch()).i32(r.leaseMillis());
      case MapResult.Renewed r -> to.u8(3).list(r.answers(), (w, a) -> w.u8(a.id()));
      case MapResult.AllBut r -> to.u8(5).buckets(r.skipped()).u8(r.why().id()).text(r.message());
      case MapResult.Refused r -> to.u8(4).u8(r.why().id()).text(r.message());
    }
    return MapFrameLayout.wrap(Kind.RESULT, to);
  }

  /**
   * The result of these bytes.
   *
   * @throws io.gauss.common.error.GaussException 0A000 for an unknown version, XX001 for damage
   */
  public static MapResult decode(byte[] bytes) {
    return MapReader.whole(Kind.RESULT, bytes, MapResultCodec::result);
  }

  private static MapResult result(MapReader from) {
    int type = from.u8();
    return switch (type) {
      case 1 -> MapResult.done();
      case 2 -> new MapResult.Registered(from.u16(), from.u8(), from.i32(), from.i32());
      case 3 -> new MapResult.Renewed(from.list(r -> RenewalAnswer.of(r.u8())));
      case 4 -> new MapResult.Refused(Refusal.of(from.u8()), from.text());
      case 5 -> new MapResult.AllBut(from.buckets(), Refusal.of(from.u8()), from.text());
      default -> throw new IllegalArgumentException("result " + type);
    };
  }
}
