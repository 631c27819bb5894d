package io.gauss.memory.holder;

import io.gauss.common.invariant.Invariant;
import io.gauss.memory.coherence.DirectoryEvent;
import io.gauss.memory.coherence.HolderAction;
import io.gauss.memory.coherence.HolderReport;
import io.gauss.memory.wire.FromHolder;
import io.gauss.memory.wire.Outbox;
import io.gauss.memory.wire.ToHome;
import io.gauss.storage.map.api.PageBuckets;
import java.util.function.IntToLongFunction;

/**
 * The messages that a lane of this compute node sends about its pages. They carry the epochs of
 * their receivers and of the nodes they name, and are not sent to absent nodes. Belongs to the
 * lane's thread.
 */
final class HolderMessages {
  private final Outbox out;
  private final IntToLongFunction homeEpoch;
  private final int[] epochs;
  private final int[] newestEpochs;

  /**
   * @param homeEpoch epoch of a bucket's home
   * @param epochs of the present nodes, by slot; 0 = no node. Not copied
   * @param newestEpochs those, and of nodes that are gone the last ones. Not copied
   */
  HolderMessages(Outbox out, IntToLongFunction homeEpoch, int[] epochs, int[] newestEpochs) {
    this.out = out;
    this.homeEpoch = homeEpoch;
    this.epochs = epochs;
    this.newestEpochs = newestEpochs;
  }

  /** All pages of a bucket have been reported; this node's stream is durable up to the offset. */
  void reported(int bucket, int stream, long durableEnd) {
    toHome(new ToHome.Reported(epoch(bucket), bucket, stream, durableEnd));
  }

  /**
   * The page's bytes to another node.
   *
   * @param times see {@link io.gauss.memory.wire.TransferTimes}
   */
  void give(long page, HolderAction.Send send, long times, PageBytes copy) {
    long number = send.number();
    toCompute(
        send.to(),
        send.owned()
            ? new FromHolder.Given(page, number, copy.lsn(), times, copy.bytes())
            : new FromHolder.Copy(page, number, copy.lsn(), times, copy.bytes()));
  }

  /** Reports this node's holding of the page to a home that does not know it. */
  void report(long page, HolderReport report) {
    long home = epoch(PageBuckets.of(page));
    toHome(
        switch (report) {
          case HolderReport.Owns owns -> new ToHome.Owns(home, page, owns.number());
          case HolderReport.Leaving leaving ->
              new ToHome.Leaving(
                  home,
                  page,
                  leaving.taker(),
                  newestEpochs[leaving.taker()],
                  leaving.number(),
                  leaving.lsn());
        });
  }

  /**
   * Sends the home an event of this node.
   *
   * @param copy with the page's bytes; null = none go with it
   */
  void tellHome(long page, DirectoryEvent event, PageBytes copy) {
    long home = epoch(PageBuckets.of(page));
    toHome(
        switch (event) {
          case DirectoryEvent.Want want -> new ToHome.Want(home, page, want.mode());
          case DirectoryEvent.Refused refused ->
              new ToHome.Refused(home, page, refused.slot(), epochs[refused.slot()]);
          case DirectoryEvent.Confirm confirm ->
              new ToHome.Confirm(home, page, confirm.number(), confirm.lsn());
          case DirectoryEvent.Release release ->
              new ToHome.Release(
                  home, page, release.number(), release.lsn(), copy == null ? null : copy.bytes());
          case DirectoryEvent.Revoked revoked -> new ToHome.Dropped(home, page, revoked.number());
          case DirectoryEvent.Kept kept -> new ToHome.Kept(home, page, kept.number());
          case DirectoryEvent.Left left -> new ToHome.Left(home, page, left.number(), left.lsn());
          case DirectoryEvent.NotTaken notTaken ->
              new ToHome.NotTaken(home, page, notTaken.number());
          case DirectoryEvent.Died died -> throw Invariant.broken("a holder does not say that");
          case DirectoryEvent.ReportedLate late ->
              throw Invariant.broken("a holder does not say that");
          case DirectoryEvent.DropBytes drop ->
              throw Invariant.broken("a holder does not say that");
        });
  }

  private long epoch(int bucket) {
    return homeEpoch.applyAsLong(bucket);
  }

  private void toHome(ToHome.OfBucket message) {
    out.toHome(message.bucket(), message);
  }

  void toCompute(int slot, FromHolder message) {
    if (epochs[slot] == 0) {
      message.release();
    } else {
      out.toCompute(slot, epochs[slot], message);
    }
  }
}
