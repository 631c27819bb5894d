package io.gauss.memory.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.memory.bucket.AppliedMarks;
import io.gauss.memory.bucket.PageBuckets;
import io.gauss.memory.cache.SlotLayout;
import io.gauss.memory.directory.PageDirectory;
import io.gauss.memory.wire.Outbox;
import io.gauss.memory.wire.PageMessage;
import io.gauss.memory.wire.PageMessageKind;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A bucket that comes to a home, and what two compute nodes say of it meanwhile. */
class BucketHomesTest {
  private static final long PAGE = (7L << 32) + 1;
  private static final int BUCKET = PageBuckets.of(PAGE);
  private static final long EPOCH = 9;
  private static final int FIRST = 1;
  private static final int SECOND = 2;

  private final PageDirectory directory = new PageDirectory("test", 1000);
  private final List<PageMessage> toSecond = new ArrayList<>();
  private final BucketHomes homes =
      new BucketHomes(
          directory,
          8 * SlotLayout.BYTES,
          new AppliedMarks(),
          new Outbox() {
            @Override
            public void toCompute(int slot, int epoch, PageMessage message) {
              if (slot == SECOND) {
                toSecond.add(message);
              }
            }

            @Override
            public void toHome(int bucket, PageMessage message) {
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

  private void says(int slot, PageMessageKind kind, long page, long number, long lsn) {
    homes.receive(slot, slot, new PageMessage(kind, EPOCH, page, slot, slot, number, lsn, null));
  }

  private void hasReported(int slot) {
    says(slot, PageMessageKind.REPORTED, BUCKET, 100, 0);
  }

  private PageMessage grantOfSecond() {
    return toSecond.stream()
        .filter(message -> message.kind() == PageMessageKind.GRANT_WRITE)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aPageThatWasGivenBackBeforeAllHadReportedIsNobodysAfterwards() {
    says(FIRST, PageMessageKind.OWNS, PAGE, 5, 0);
    hasReported(FIRST);
    says(FIRST, PageMessageKind.RELEASE, PAGE, 5, 123);
    hasReported(SECOND);
    assertTrue(homes.isOpen(BUCKET));
    says(SECOND, PageMessageKind.WANT_WRITE, PAGE, 0, 0);
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
    says(FIRST, PageMessageKind.OWNS, PAGE, 5, 0);
    hasReported(FIRST);
    hasReported(SECOND);
    says(SECOND, PageMessageKind.WANT_WRITE, PAGE + 1, 0, 0);
    assertEquals(2, homes.pages().held());
    says(FIRST, PageMessageKind.RELEASE, PAGE, 5, 123);
    assertEquals(1, homes.pages().held());
    homes.give(BUCKET);
    assertEquals(0, homes.pages().held());
  }

  @Test
  void whatWasGivenBackToAnAttemptThatFailedIsReportedByNobody() {
    says(FIRST, PageMessageKind.OWNS, PAGE, 5, 0);
    says(FIRST, PageMessageKind.RELEASE, PAGE, 5, 123);
    homes.died(FIRST, FIRST, 200);
    homes.receive(
        SECOND,
        SECOND,
        new PageMessage(PageMessageKind.REPORTED, EPOCH + 1, BUCKET, SECOND, SECOND, 100, 0, null));
    assertTrue(homes.isOpen(BUCKET));
    homes.receive(
        SECOND,
        SECOND,
        new PageMessage(PageMessageKind.WANT_WRITE, EPOCH + 1, PAGE, 0, 0, 0, 0, null));
    assertEquals(0, grantOfSecond().lsn());
  }
}
