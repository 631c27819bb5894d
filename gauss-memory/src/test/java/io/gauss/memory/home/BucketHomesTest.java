package io.gauss.memory.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.memory.bucket.AppliedMarks;
import io.gauss.memory.bucket.PageBuckets;
import io.gauss.memory.cache.SlotLayout;
import io.gauss.memory.coherence.Mode;
import io.gauss.memory.directory.PageDirectory;
import io.gauss.memory.wire.FromHome;
import io.gauss.memory.wire.Outbox;
import io.gauss.memory.wire.ToCompute;
import io.gauss.memory.wire.ToHome;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A bucket that moves to a home, and the messages of two compute nodes about it meanwhile. */
class BucketHomesTest {
  private static final long PAGE = (7L << 32) + 1;
  private static final int BUCKET = PageBuckets.of(PAGE);
  private static final long EPOCH = 9;
  private static final int FIRST = 1;
  private static final int SECOND = 2;

  private final PageDirectory directory = new PageDirectory("test", 1000);
  private final List<ToCompute> toSecond = new ArrayList<>();
  private final BucketHomes homes =
      new BucketHomes(
          directory,
          8 * SlotLayout.BYTES,
          new AppliedMarks(),
          new Outbox() {
            @Override
            public void toCompute(int slot, int epoch, ToCompute message) {
              if (slot == SECOND) {
                toSecond.add(message);
              }
            }

            @Override
            public void toHome(int bucket, ToHome message) {
              throw new IllegalStateException("homes do not talk to each other");
            }
          },
          new UnpooledByteBufAllocator(false));

  @BeforeEach
  void twoNodesAndABucket() {
    homes.joined(FIRST, 1);
    homes.joined(SECOND, 2);
    homes.take(BUCKET, EPOCH);
  }

  @AfterEach
  void close() {
    directory.close();
  }

  private void says(int slot, ToHome.OfBucket message) {
    homes.receive(slot, slot, message);
  }

  private void hasReported(int slot) {
    says(slot, new ToHome.Reported(EPOCH, BUCKET, slot, 100));
  }

  private FromHome.Grant grantOfSecond() {
    return toSecond.stream()
        .filter(FromHome.Grant.class::isInstance)
        .map(FromHome.Grant.class::cast)
        .filter(FromHome.Grant::owned)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aPageThatWasGivenBackBeforeAllHadReportedIsNobodysAfterwards() {
    says(FIRST, new ToHome.Owns(EPOCH, PAGE, 5));
    hasReported(FIRST);
    says(FIRST, new ToHome.Release(EPOCH, PAGE, 5, 123, null));
    hasReported(SECOND);
    assertTrue(homes.isOpen(BUCKET));
    says(SECOND, new ToHome.Want(EPOCH, PAGE, Mode.WRITE));
    assertEquals(123, grantOfSecond().lsn());
  }

  @Test
  void aBucketIsOpenAndSaysSoWhenNobodyIsLeftThatHasNotReported() {
    List<Integer> opened = new ArrayList<>();
    homes.onOpen(opened::add);
    hasReported(FIRST);
    assertEquals(List.of(), homes.unreported(FIRST));
    assertEquals(List.of(BUCKET), homes.unreported(SECOND));
    assertEquals(List.of(), opened);
    hasReported(SECOND);
    assertEquals(List.of(), homes.unreported(SECOND));
    assertEquals(List.of(BUCKET), opened);
  }

  @Test
  void pagesThatSomebodyHasAreCountedAlsoWhenTheBucketGoes() {
    says(FIRST, new ToHome.Owns(EPOCH, PAGE, 5));
    hasReported(FIRST);
    hasReported(SECOND);
    says(SECOND, new ToHome.Want(EPOCH, PAGE + 1, Mode.WRITE));
    assertEquals(2, homes.pages().held());
    says(FIRST, new ToHome.Release(EPOCH, PAGE, 5, 123, null));
    assertEquals(1, homes.pages().held());
    homes.give(BUCKET);
    assertEquals(0, homes.pages().held());
  }

  @Test
  void whatWasGivenBackToAnAttemptThatFailedIsReportedByNobody() {
    says(FIRST, new ToHome.Owns(EPOCH, PAGE, 5));
    says(FIRST, new ToHome.Release(EPOCH, PAGE, 5, 123, null));
    homes.died(FIRST, FIRST, 200);
    says(SECOND, new ToHome.Reported(EPOCH + 1, BUCKET, SECOND, 100));
    assertTrue(homes.isOpen(BUCKET));
    says(SECOND, new ToHome.Want(EPOCH + 1, PAGE, Mode.WRITE));
    assertEquals(0, grantOfSecond().lsn());
  }
}
