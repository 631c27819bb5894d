package io.gauss.memory.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.common.id.PageId;
import io.gauss.memory.coherence.Mode;
import io.gauss.memory.directory.PageDirectory;
import io.gauss.memory.lock.LockMode;
import io.gauss.memory.lock.LockName;
import io.gauss.memory.lock.NodeLockTransitions.Message;
import io.gauss.memory.node.BucketServer.LockMessage;
import io.gauss.memory.wire.ToHome;
import io.gauss.storage.map.api.PageBuckets;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Locks of a bucket that comes to an event loop while a node dies. */
class BucketServerTest {
  private static final LockName TABLE = new LockName(LockName.Kind.TABLE, 42);
  private static final int BUCKET = TABLE.bucket();
  private static final int DEAD = 11;
  private static final int HEIR = 12;
  private static final int OTHER = 13;
  private static final long HOME_EPOCH = 9 << 8;

  private final ComputeLinks links = new ComputeLinks(null, null); // nothing is sent
  private final BucketServer server =
      new BucketServer(
              "test",
              100,
              new PageDirectory("test", 1000),
              1 << 20,
              10,
              links,
              UnpooledByteBufAllocator.DEFAULT)
          .start();

  @AfterEach
  void close() {
    server.close();
    links.close();
  }

  private void theBucketComes() {
    server.joined(1, DEAD);
    server.joined(2, HEIR);
    server.joined(3, OTHER);
    BitSet bucket = new BitSet(PageBuckets.BUCKETS);
    bucket.set(BUCKET);
    server.assign(bucket, new BitSet(), HOME_EPOCH, Map.of());
  }

  private void reports(int slot, int epoch, long homeEpoch) {
    server.pages(slot, epoch, List.of(new ToHome.Reported(homeEpoch, BUCKET, slot, 0)));
  }

  private void dies() {
    server.installDeath(DEAD, HEIR).join();
    server.died(1, 1, 100);
    reports(2, HEIR, HOME_EPOCH + 1);
    reports(3, OTHER, HOME_EPOCH + 1);
  }

  private void says(int epoch, Message what) {
    server.locks(epoch, BUCKET, List.of(new LockMessage(TABLE, what)));
  }

  private int leasesOfOther() {
    says(OTHER, new Message.Request(1, LockMode.ROW_EXCLUSIVE, false, false));
    server.done().join();
    return (int)
        server.locks().lock(TABLE).leases().stream()
            .filter(lease -> lease.epoch() == OTHER && !lease.orphan())
            .count();
  }

  @Test
  void whoDiesBeforeItHasReportedMayHaveHadEveryLock() {
    theBucketComes();
    reports(2, HEIR, HOME_EPOCH);
    dies();
    assertEquals(0, leasesOfOther(), "until the dead node is recovered");
    server.recovered(DEAD);
    assertEquals(1, leasesOfOther());
  }

  @Test
  void whoHasReportedBeforeItDiesHadWhatItReported() {
    theBucketComes();
    reports(1, DEAD, HOME_EPOCH);
    dies();
    assertEquals(1, leasesOfOther());
  }

  @Test
  void whatANodeHasSentBeforeItsDeathIsNotProcessedAfterIt() {
    theBucketComes();
    reports(1, DEAD, HOME_EPOCH);
    reports(2, HEIR, HOME_EPOCH);
    reports(3, OTHER, HOME_EPOCH);
    server.installDeath(DEAD, HEIR).join();
    says(DEAD, new Message.Request(7, LockMode.ACCESS_EXCLUSIVE, false, false));
    says(DEAD, new Message.Report(LockMode.ACCESS_EXCLUSIVE, 3));
    assertEquals(1, leasesOfOther(), "before the death is over");
    server.died(1, 1, 100);
    server.recovered(DEAD);
    says(DEAD, new Message.Request(8, LockMode.ACCESS_EXCLUSIVE, false, false));
    server.done().join();
    assertEquals(1, server.locks().lock(TABLE).leases().size(), "nor after its recovery");
    assertEquals(0, server.locks().lock(TABLE).waiting().size(), "nor after its recovery");
  }

  @Test
  void aMessageThatFailsDoesNotTakeTheOthersOfItsFrameWithIt() {
    theBucketComes();
    reports(1, DEAD, HOME_EPOCH);
    reports(2, HEIR, HOME_EPOCH);
    CompletableFuture<Void> open = server.open(BUCKET);
    reports(3, OTHER, HOME_EPOCH);
    open.join();
    long page = pageOf(BUCKET);
    server.pages(
        3,
        OTHER,
        List.of(
            new ToHome.Owns(HOME_EPOCH, page, 1), // all have reported
            new ToHome.Want(HOME_EPOCH, page, Mode.WRITE)));
    server.done().join();
    assertEquals(1, server.pages().held());
  }

  private static long pageOf(int bucket) {
    long page = PageId.of(9, 0);
    while (PageBuckets.of(page) != bucket) {
      page += PageBuckets.EXTENT_PAGES;
    }
    return page;
  }

  @Test
  void aBucketIsOpenWhenAllHaveReported() {
    theBucketComes();
    CompletableFuture<Void> open = server.open(BUCKET);
    reports(1, DEAD, HOME_EPOCH);
    reports(2, HEIR, HOME_EPOCH);
    server.done().join();
    assertEquals(List.of(false, 1, 0L), List.of(open.isDone(), server.closed(), server.rebuilt()));
    reports(3, OTHER, HOME_EPOCH);
    server.done().join();
    assertEquals(List.of(true, 0, 1L), List.of(open.isDone(), server.closed(), server.rebuilt()));
  }
}
