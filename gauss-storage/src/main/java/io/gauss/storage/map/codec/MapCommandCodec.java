package io.gauss.storage.map.codec;

import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.codec.MapFrameLayout.Kind;
import io.gauss.storage.map.command.MapCommand;

/**
 * Commands in bytes, as they are in the map's Raft log. Payload of a {@link MapFrameLayout} of kind
 * COMMAND: {@code u8 type}, then the fields of the record in their order (numbers of nodes u16,
 * slots and counts of replicas u8, epochs i32, clocks, offsets, incarnations, renewals and versions
 * i64, lists as count u16 and elements, sets of buckets or slices as u16 first byte, u16 bytes and
 * a bit set). Those from 29 on are in frames of version 3.
 *
 * <pre>
 *  1 InitCluster         9 DeclareExited      17 ChangeReplicas
 *  2 ChangeSetting      10 Leave              18 AcknowledgeDeath
 *  3 Register           11 Drain              19 TakeOver
 *  4 AcknowledgeJoin    12 RetireStorage      20 FinishRecovery
 *  5 FinishJoin         13 RemoveNode         21 MoveBuckets
 *  6 RenewLeases        14 StreamSealed       22 FinishBucketMoves
 *  7 Suspect            15 ForgetStream       23 CancelBucketMoves
 *  8 Evict              16 ExpireLease        24 AcknowledgeRebuild
 * 25 Suspend            26 Resume             27 GiveBuckets
 * 28 OpenToClients        29 ListSlices          30 MoveSlices
 * 31 FinishSliceMoves     32 CancelSliceMoves    33 GiveUpReplicas
 * </pre>
 */
public final class MapCommandCodec {
  private MapCommandCodec() {}

  public static byte[] encode(MapCommand command) {
    MapWriter to = new MapWriter();
    switch (command) {
      case MapCommand.InitCluster c -> {
        to.u8(1).uuid(c.cluster()).i32(c.formatVersion());
        ClusterMapCodec.settings(to, c.settings());
      }
      case MapCommand.ChangeSetting c -> to.u8(2).u16(c.setting().id()).i32(c.value());
      case MapCommand.Register c -> {
        to.u8(3)
            .uuid(c.cluster())
            .u16(c.node())
            .i32(c.follows())
            .u8(Role.bits(c.roles()))
            .text(c.zone());
        ClusterMapCodec.endpoints(to, c.endpoints());
        to.i64(c.incarnation()).i32(c.lowestFormat()).i32(c.highestFormat());
      }
      case MapCommand.AcknowledgeJoin c ->
          to.u8(4).u16(c.node()).i32(c.epoch()).i32(c.joiningEpoch()).i64(c.clock());
      case MapCommand.FinishJoin c -> to.u8(5).u16(c.node()).i32(c.epoch()).i64(c.clock());
      case MapCommand.RenewLeases c ->
          to.u8(6).list(c.renewals(), (w, r) -> w.u16(r.node()).i32(r.epoch()).i64(r.number()));
      case MapCommand.Suspect c -> to.u8(7).u16(c.node()).i32(c.epoch()).i64(c.renewal());
      case MapCommand.Evict c -> to.u8(8).u16(c.node()).i32(c.epoch());
      case MapCommand.DeclareExited c -> to.u8(9).u16(c.node()).i32(c.epoch()).i64(c.incarnation());
      case MapCommand.Leave c -> to.u8(10).u16(c.node()).i32(c.epoch());
      case MapCommand.Drain c -> to.u8(11).u16(c.node()).i32(c.epoch());
      case MapCommand.RetireStorage c -> to.u8(12).u16(c.node());
      case MapCommand.RemoveNode c -> to.u8(13).u16(c.node());
      case MapCommand.StreamSealed c -> to.u8(14).i32(c.epoch()).i64(c.end()).i64(c.lastLsn());
      case MapCommand.ForgetStream c -> to.u8(15).i32(c.epoch());
      case MapCommand.ExpireLease c -> to.u8(16).u16(c.node()).i32(c.epoch()).i64(c.renewal());
      case MapCommand.ChangeReplicas c ->
          to.u8(17).u8(c.slot()).ids(c.replicas()).u16(c.preferredLeader());
      case MapCommand.AcknowledgeDeath c ->
          to.u8(18).u16(c.node()).i32(c.epoch()).i32(c.deadEpoch()).i64(c.clock());
      case MapCommand.TakeOver c ->
          to.u8(19).u16(c.node()).i32(c.epoch()).i32(c.deadEpoch()).i64(c.clock());
      case MapCommand.FinishRecovery c -> to.u8(20).u16(c.node()).i32(c.epoch()).i32(c.deadEpoch());
      case MapCommand.MoveBuckets c -> to.u8(21).u16(c.to()).buckets(c.buckets());
      case MapCommand.FinishBucketMoves c ->
          to.u8(22).u16(c.node()).i32(c.epoch()).i64(c.known()).buckets(c.buckets());
      case MapCommand.CancelBucketMoves c -> to.u8(23).buckets(c.buckets());
      case MapCommand.AcknowledgeRebuild c ->
          to.u8(24).u16(c.node()).i32(c.epoch()).i64(c.rebuild());
      case MapCommand.Suspend c ->
          to.u8(25).u16(c.node()).i32(c.epoch()).u16(c.other()).i32(c.otherEpoch()).i64(c.known());
      case MapCommand.Resume c ->
          to.u8(26).u16(c.node()).i32(c.epoch()).i64(c.number()).i32(c.newestEpoch());
      case MapCommand.GiveBuckets c ->
          to.u8(27).u16(c.node()).i32(c.epoch()).i64(c.known()).buckets(c.buckets());
      case MapCommand.OpenToClients c -> {
        to.u8(28).u16(c.node()).i32(c.epoch());
        ClusterMapCodec.endpoint(to, c.at());
      }
      case MapCommand.ListSlices c -> slices(to, 29).ids(c.nodes());
      case MapCommand.MoveSlices c -> slices(to, 30).u16(c.from()).u16(c.to()).buckets(c.slices());
      case MapCommand.FinishSliceMoves c ->
          slices(to, 31).u16(c.node()).i32(c.epoch()).i64(c.since()).buckets(c.slices());
      case MapCommand.CancelSliceMoves c -> slices(to, 32).buckets(c.slices());
      case MapCommand.GiveUpReplicas c ->
          slices(to, 33).u16(c.node()).i64(c.known()).u8(c.remaining()).buckets(c.slices());
    }
    return MapFrameLayout.wrap(Kind.COMMAND, to);
  }

  private static MapWriter slices(MapWriter to, int type) {
    return to.needs(MapFrameLayout.WITH_SLICES).u8(type);
  }

  /**
   * The command of these bytes.
   *
   * @throws io.gauss.common.error.GaussException 0A000 for an unknown version, XX001 for damage and
   *     unknown commands
   */
  public static MapCommand decode(byte[] bytes) {
    return MapReader.whole(Kind.COMMAND, bytes, MapCommandCodec::command);
  }

  private static MapCommand command(MapReader r) {
    int type = r.u8();
    return switch (type) {
      case 1 -> new MapCommand.InitCluster(r.uuid(), r.i32(), ClusterMapCodec.settings(r));
      case 2 -> new MapCommand.ChangeSetting(ClusterSetting.of(r.u16()), r.i32());
      case 3 ->
          new MapCommand.Register(
              r.uuid(),
              r.u16(),
              r.i32(),
              Role.of(r.u8()),
              r.text(),
              ClusterMapCodec.endpoints(r),
              r.i64(),
              r.i32(),
              r.i32());
      case 4 -> new MapCommand.AcknowledgeJoin(r.u16(), r.i32(), r.i32(), r.i64());
      case 5 -> new MapCommand.FinishJoin(r.u16(), r.i32(), r.i64());
      case 6 ->
          new MapCommand.RenewLeases(
              r.list(e -> new MapCommand.Renewal(e.u16(), e.i32(), e.i64())));
      case 7 -> new MapCommand.Suspect(r.u16(), r.i32(), r.i64());
      case 8 -> new MapCommand.Evict(r.u16(), r.i32());
      case 9 -> new MapCommand.DeclareExited(r.u16(), r.i32(), r.i64());
      case 10 -> new MapCommand.Leave(r.u16(), r.i32());
      case 11 -> new MapCommand.Drain(r.u16(), r.i32());
      case 12 -> new MapCommand.RetireStorage(r.u16());
      case 13 -> new MapCommand.RemoveNode(r.u16());
      case 14 -> new MapCommand.StreamSealed(r.i32(), r.i64(), r.i64());
      case 15 -> new MapCommand.ForgetStream(r.i32());
      case 16 -> new MapCommand.ExpireLease(r.u16(), r.i32(), r.i64());
      case 17 -> new MapCommand.ChangeReplicas(r.u8(), r.list(MapReader::u16), r.u16());
      case 18 -> new MapCommand.AcknowledgeDeath(r.u16(), r.i32(), r.i32(), r.i64());
      case 19 -> new MapCommand.TakeOver(r.u16(), r.i32(), r.i32(), r.i64());
      case 20 -> new MapCommand.FinishRecovery(r.u16(), r.i32(), r.i32());
      case 21 -> new MapCommand.MoveBuckets(r.u16(), r.buckets());
      case 22 -> new MapCommand.FinishBucketMoves(r.u16(), r.i32(), r.i64(), r.buckets());
      case 23 -> new MapCommand.CancelBucketMoves(r.buckets());
      case 24 -> new MapCommand.AcknowledgeRebuild(r.u16(), r.i32(), r.i64());
      case 25 -> new MapCommand.Suspend(r.u16(), r.i32(), r.u16(), r.i32(), r.i64());
      case 26 -> new MapCommand.Resume(r.u16(), r.i32(), r.i64(), r.i32());
      case 27 -> new MapCommand.GiveBuckets(r.u16(), r.i32(), r.i64(), r.buckets());
      case 28 -> new MapCommand.OpenToClients(r.u16(), r.i32(), ClusterMapCodec.endpoint(r));
      case 29 -> new MapCommand.ListSlices(r.list(MapReader::u16));
      case 30 -> new MapCommand.MoveSlices(r.u16(), r.u16(), r.buckets());
      case 31 -> new MapCommand.FinishSliceMoves(r.u16(), r.i32(), r.i64(), r.buckets());
      case 32 -> new MapCommand.CancelSliceMoves(r.buckets());
      case 33 -> new MapCommand.GiveUpReplicas(r.u16(), r.i64(), r.u8(), r.buckets());
      default -> throw new IllegalArgumentException("command " + type);
    };
  }
}
