package io.gauss.memory.holder;

import io.gauss.common.invariant.Invariant;
import io.gauss.memory.bucket.PageBuckets;
import io.gauss.memory.coherence.HolderAction;
import io.gauss.memory.coherence.HolderReport;
import io.gauss.memory.coherence.HomeEvent;
import io.gauss.memory.coherence.Mode;
import io.gauss.memory.coherence.Slots;
import io.gauss.memory.wire.Outbox;
import io.gauss.memory.wire.PageMessage;
import io.gauss.memory.wire.PageMessageKind;
import io.netty.buffer.ByteBuf;
import java.util.function.IntToLongFunction;

/**
 * What a lane of this compute node says about its pages, as messages: with the epochs of whom they
 * are for and about, and not to nodes that are not there. Belongs to the lane's thread.
 */
final class HolderMessages {
  private final Outbox out;
  private final IntToLongFunction homeEpoch;
  private final int[] epochs;

  /**
   * @param homeEpoch epoch of a bucket's home
   * @param epochs of the nodes that are there, by slot; 0 = nobody is. Not copied
   */
  HolderMessages(Outbox out, IntToLongFunction homeEpoch, int[] epochs) {
    this.out = out;
    this.homeEpoch = homeEpoch;
    this.epochs = epochs;
  }

  /** All pages of a bucket have been reported; up to there the own stream is durable. */
  void reported(int bucket, int stream, long durableEnd) {
    toHome(bucket, PageMessageKind.REPORTED, bucket, stream, durableEnd, 0, null);
  }

  /**
   * The page's bytes to another node.
   *
   * @param times see {@link io.gauss.memory.wire.TransferTimes}
   */
  void give(long page, HolderAction.Send send, long times, PageMessage copy) {
    toCompute(
        send.to(),
        new PageMessage(copy.kind(), times, page, 0, 0, send.number(), copy.lsn(), copy.bytes()));
  }

  /** What this node has, to a home that does not know it. */
  void report(long page, HolderReport report) {
    int bucket = PageBuckets.of(page);
    switch (report) {
      case HolderReport.Owns owns ->
          toHome(bucket, PageMessageKind.OWNS, page, 0, owns.number(), 0, null);
      case HolderReport.Leaving leaving ->
          toHome(
              bucket,
              PageMessageKind.LEAVING,
              page,
              leaving.taker(),
              leaving.number(),
              leaving.lsn(),
              null);
    }
  }

  /**
   * What has happened here.
   *
   * @param copy with the page's bytes; null = none go with it
   */
  void tellHome(long page, HomeEvent event, PageMessage copy) {
    ByteBuf bytes = copy == null ? null : copy.bytes();
    switch (event) {
      case HomeEvent.Want want ->
          toHome(
              page,
              want.mode() == Mode.READ ? PageMessageKind.WANT_READ : PageMessageKind.WANT_WRITE,
              0,
              0,
              0,
              null);
      case HomeEvent.Refused refused ->
          toHome(page, PageMessageKind.REFUSED, refused.slot(), 0, 0, null);
      case HomeEvent.Confirm confirm ->
          toHome(page, PageMessageKind.CONFIRM, 0, confirm.number(), 0, null);
      case HomeEvent.Release release ->
          toHome(page, PageMessageKind.RELEASE, 0, release.number(), release.lsn(), bytes);
      case HomeEvent.Revoked revoked ->
          toHome(page, PageMessageKind.DROPPED, 0, revoked.number(), 0, null);
      case HomeEvent.Kept kept -> toHome(page, PageMessageKind.KEPT, 0, kept.number(), 0, null);
      case HomeEvent.Left left ->
          toHome(page, PageMessageKind.LEFT, 0, left.number(), left.lsn(), null);
      case HomeEvent.NotTaken notTaken ->
          toHome(page, PageMessageKind.NOT_TAKEN, 0, notTaken.number(), 0, null);
      case HomeEvent.Died died -> throw Invariant.broken("a holder does not say that");
      case HomeEvent.DropBytes drop -> throw Invariant.broken("a holder does not say that");
    }
  }

  private void toHome(
      long page, PageMessageKind kind, int slot, long number, long lsn, ByteBuf bytes) {
    toHome(PageBuckets.of(page), kind, page, slot, number, lsn, bytes);
  }

  private void toHome(
      int bucket, PageMessageKind kind, long page, int slot, long number, long lsn, ByteBuf bytes) {
    long epoch = homeEpoch.applyAsLong(bucket);
    int slotEpoch = slot <= Slots.MAX ? epochs[slot] : 0;
    out.toHome(bucket, new PageMessage(kind, epoch, page, slot, slotEpoch, number, lsn, bytes));
  }

  void toCompute(int slot, PageMessageKind kind, long page, long number) {
    toCompute(slot, new PageMessage(kind, 0, page, 0, 0, number, 0, null));
  }

  private void toCompute(int slot, PageMessage message) {
    if (epochs[slot] == 0) {
      message.release();
    } else {
      out.toCompute(slot, epochs[slot], message);
    }
  }
}
