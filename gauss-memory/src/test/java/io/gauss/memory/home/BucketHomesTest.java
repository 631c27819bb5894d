package io.gauss.memory.home;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.Lsn;
import io.gauss.memory.bucket.AppliedMarks;
import io.gauss.memory.cache.SlotLayout;
import io.gauss.memory.coherence.Mode;
import io.gauss.memory.directory.PageDirectory;
import io.gauss.memory.wire.FromHome;
import io.gauss.memory.wire.Outbox;
import io.gauss.memory.wire.ToCompute;
import io.gauss.memory.wire.ToHome;
import io.gauss.storage.map.api.PageBuckets;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
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

  private static final int ROOM = 40;
  private static final long LAST = PAGE + ROOM;

  private final PageDirectory directory = new PageDirectory("test", ROOM);
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

  private void wantsIt(int slot) {
    says(slot, new ToHome.Want(EPOCH, PAGE, Mode.WRITE));
  }

  /** The page is under way from the first node to the second, and only the giver has reported. */
  private void thePageIsUnderWay() {
    says(FIRST, new ToHome.Leaving(EPOCH, PAGE, SECOND, SECOND, 5, 100));
    hasReported(SECOND);
  }

  @Test
  void whatTheTakerChangedBeforeAllHadReportedIsNotForgotten() {
    thePageIsUnderWay();
    says(SECOND, new ToHome.Confirm(EPOCH, PAGE, 5, 100));
    says(SECOND, new ToHome.Release(EPOCH, PAGE, 5, 123, null));
    hasReported(FIRST);
    says(SECOND, new ToHome.NotTaken(EPOCH, PAGE, 5)); // the giver's probe
    wantsIt(SECOND);
    assertEquals(123, grantOfSecond().lsn());
  }

  @Test
  void aTakerIsTheOwnerAsSoonAsAllHaveReported() {
    thePageIsUnderWay();
    says(SECOND, new ToHome.Confirm(EPOCH, PAGE, 5, 100));
    hasReported(FIRST);
    says(FIRST, new ToHome.Want(EPOCH, PAGE, Mode.WRITE));
    assertTrue(toSecond.stream().anyMatch(FromHome.Transfer.class::isInstance));
  }

  /** The home knows the taker's next process, and the giver does not yet: it could not probe it. */
  @Test
  void aGiverWhoseTakerIsDeadIsAskedAlsoWhenTheTakersNodeIsBack() {
    homes.died(FIRST, FIRST, 200);
    homes.joined(FIRST, 7);
    says(SECOND, new ToHome.Leaving(EPOCH + 1, PAGE, FIRST, FIRST, 5, 100));
    says(SECOND, new ToHome.Reported(EPOCH + 1, BUCKET, SECOND, 100));
    assertTrue(toSecond.contains(new FromHome.Ask(EPOCH + 1, PAGE, 5)), toSecond::toString);
    says(SECOND, new ToHome.Left(EPOCH + 1, PAGE, 5, 100));
    says(SECOND, new ToHome.Want(EPOCH + 1, PAGE, Mode.WRITE));
    assertEquals(100, grantOfSecond().lsn());
  }

  /**
   * A node that joins while the bucket is rebuilt need not report before it opens, and may be
   * probed before it has heard where the home is: its answer goes nowhere.
   */
  @Test
  void aTakerThatJoinedDuringTheRebuildIsProbedAgainOnceItHasReported() {
    homes.died(FIRST, FIRST, 200);
    homes.joined(FIRST, 7);
    says(SECOND, new ToHome.Leaving(EPOCH + 1, PAGE, FIRST, 7, 5, 100));
    says(SECOND, new ToHome.Reported(EPOCH + 1, BUCKET, SECOND, 100));
    assertTrue(homes.isOpen(BUCKET));
    FromHome.Trace trace = new FromHome.Trace(EPOCH + 1, PAGE, FIRST, 7, 5);
    assertTrue(toSecond.remove(trace), toSecond::toString);
    homes.receive(FIRST, 7, new ToHome.Reported(EPOCH + 1, BUCKET, FIRST, 200));
    assertTrue(toSecond.contains(trace), toSecond::toString);
    homes.receive(FIRST, 7, new ToHome.NotTaken(EPOCH + 1, PAGE, 5));
    says(SECOND, new ToHome.Want(EPOCH + 1, PAGE, Mode.WRITE));
    assertEquals(100, grantOfSecond().lsn());
  }

  /** The giver has installed the taker's death; others have not, and may have copies from it. */
  @Test
  void aGiverWhoseTakerIsDeadIsAskedOnlyWhenAllHaveInstalledItsDeath() {
    hasReported(FIRST);
    says(SECOND, new ToHome.Leaving(EPOCH, PAGE, FIRST, FIRST, 5, 100));
    hasReported(SECOND);
    assertTrue(homes.isOpen(BUCKET));
    assertTrue(toSecond.stream().noneMatch(FromHome.Ask.class::isInstance), toSecond::toString);
    homes.died(FIRST, FIRST, 200);
    assertTrue(toSecond.contains(new FromHome.Ask(EPOCH, PAGE, 5)), toSecond::toString);
  }

  /** As before; the giver knows the taker's next process already, and this home does not. */
  @Test
  void norWhenTheGiverKnowsTheTakersNextProcess() {
    hasReported(FIRST);
    says(SECOND, new ToHome.Leaving(EPOCH, PAGE, FIRST, 7, 5, 100));
    hasReported(SECOND);
    assertTrue(toSecond.stream().noneMatch(FromHome.Ask.class::isInstance), toSecond::toString);
    homes.died(FIRST, FIRST, 200);
    assertTrue(toSecond.contains(new FromHome.Ask(EPOCH, PAGE, 5)), toSecond::toString);
  }

  @Test
  void aBucketWithoutRoomTriesAgainUnderTheSameEpochAndOpensWhenThereIsRoom() {
    for (int i = 0; i < ROOM; i++) {
      says(FIRST, new ToHome.Owns(EPOCH, PAGE + i, 5));
    }
    says(FIRST, new ToHome.Owns(EPOCH, LAST, 6));
    hasReported(FIRST);
    hasReported(SECOND);
    for (int i = 0; i < 1000; i++) {
      homes.retry();
    }
    assertEquals(1, homes.shut());
    assertEquals(Set.of(EPOCH), epochs());
    says(FIRST, new ToHome.Release(EPOCH, LAST, 6, Lsn.of(100, FIRST), null));
    homes.retry();
    assertEquals(1, homes.shut(), "page stores may be behind it");
    homes.pages().applied(FIRST, 5000, Lsn.of(100, FIRST));
    homes.retry();
    assertTrue(homes.isOpen(BUCKET));
    assertEquals(Set.of(EPOCH), epochs());
    says(SECOND, new ToHome.Want(EPOCH, LAST, Mode.WRITE));
    assertTrue(
        toSecond.stream().noneMatch(FromHome.Grant.class::isInstance), "the directory is full");
    says(FIRST, new ToHome.Release(EPOCH, PAGE, 5, Lsn.of(99, FIRST), null));
    while (homes.pages().sweep()) {
      toSecond.clear();
    }
    says(SECOND, new ToHome.Want(EPOCH, LAST, Mode.WRITE));
    assertTrue(
        toSecond.contains(new FromHome.Floor(EPOCH, BUCKET, FIRST, 5000)), toSecond::toString);
  }

  @Test
  void aPageThatItsTakerHasGivenBackNeedsNoRoomEither() {
    for (int i = 0; i < ROOM; i++) {
      says(FIRST, new ToHome.Owns(EPOCH, PAGE + i, 5));
    }
    says(SECOND, new ToHome.Leaving(EPOCH, LAST, FIRST, FIRST, 6, 90));
    hasReported(FIRST);
    hasReported(SECOND);
    assertEquals(1, homes.shut());
    says(FIRST, new ToHome.Confirm(EPOCH, LAST, 6, 90));
    says(FIRST, new ToHome.Release(EPOCH, LAST, 6, Lsn.of(100, FIRST), null));
    homes.pages().applied(FIRST, 5000, Lsn.of(100, FIRST));
    homes.retry();
    assertTrue(homes.isOpen(BUCKET));
    assertTrue(toSecond.contains(new FromHome.Confirmed(EPOCH, LAST, 6)), "the giver may forget");
  }

  private Set<Long> epochs() {
    return toSecond.stream()
        .filter(FromHome.class::isInstance)
        .map(message -> ((FromHome) message).homeEpoch())
        .collect(Collectors.toSet());
  }

  @Test
  void aBucketWithTwoOwnersOfAPageIsNotServed() {
    says(FIRST, new ToHome.Owns(EPOCH, PAGE, 5));
    says(SECOND, new ToHome.Owns(EPOCH, PAGE, 6));
    says(SECOND, new ToHome.Owns(EPOCH, PAGE + 1, 7));
    hasReported(FIRST);
    hasReported(SECOND);
    assertFalse(homes.isOpen(BUCKET));
    homes.retry();
    assertEquals(1, homes.shut());
    homes.died(FIRST, FIRST, 200);
    says(SECOND, new ToHome.Owns(EPOCH + 1, PAGE, 6));
    says(SECOND, new ToHome.Owns(EPOCH + 1, PAGE + 1, 7));
    says(SECOND, new ToHome.Reported(EPOCH + 1, BUCKET, SECOND, 100));
    assertTrue(homes.isOpen(BUCKET));
    assertEquals(2, homes.pages().held());
  }

  @Test
  void floorsOfNodesThatDiedBeforeTheLastAttemptStay() {
    homes.joined(3, 3);
    homes.died(FIRST, FIRST, 200);
    homes.died(3, 3, 300);
    says(SECOND, new ToHome.Reported(EPOCH + 2, BUCKET, SECOND, 100));
    says(SECOND, new ToHome.Want(EPOCH + 2, PAGE, Mode.WRITE));
    assertTrue(toSecond.contains(new FromHome.Floor(EPOCH + 2, BUCKET, FIRST, 200)));
    assertTrue(toSecond.contains(new FromHome.Floor(EPOCH + 2, BUCKET, 3, 300)));
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
