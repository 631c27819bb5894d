package io.gauss.storage.map.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.transport.EpochGuard;
import io.gauss.storage.map.command.MapResult.RenewalAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The holder's side of a lease, with a clock that the test sets. */
class LeaseHolderTest {
  private static final long DURATION = 3_000;
  private static final long INTERVAL = 1_000;

  private final AtomicLong clock = new AtomicLong();
  private final List<CompletableFuture<RenewalAnswer>> sent = new ArrayList<>();
  private final List<String> lost = new ArrayList<>();
  private final LeaseHolder lease =
      new LeaseHolder(DURATION, INTERVAL, 0, clock::get, this::renew, lost::add);

  private CompletableFuture<RenewalAnswer> renew(long number) {
    assertEquals(sent.size() + 1, number);
    CompletableFuture<RenewalAnswer> answer = new CompletableFuture<>();
    sent.add(answer);
    return answer;
  }

  private void at(long time) {
    clock.set(time);
    lease.tick();
  }

  @Test
  void aLeaseIsGoodFromTheRegistrationOnAndRunsOut() {
    assertTrue(lease.isValid());
    clock.set(DURATION - 1);
    assertTrue(lease.isValid());
    clock.set(DURATION);
    assertFalse(lease.isValid());
    lease.tick();
    assertEquals(List.of(), lost, "the epoch may be alive yet");
  }

  @Test
  void aRenewalCountsFromWhenItWasSent() {
    at(1_000);
    clock.set(2_500);
    sent.get(0).complete(RenewalAnswer.GRANTED);
    clock.set(3_999);
    assertTrue(lease.isValid());
    clock.set(4_000);
    assertFalse(lease.isValid());
  }

  /** The process stood still, and reads an old answer first. */
  @Test
  void anAnswerThatIsReadLateDoesNotPutOffTheNextRenewal() {
    at(1_000);
    clock.set(3_500);
    sent.get(0).complete(RenewalAnswer.GRANTED);
    lease.tick();
    assertEquals(2, sent.size());
  }

  @Test
  void aLeaseThatRanOutComesBackByARenewalThatWasSentLaterAndByNoOther() {
    at(1_000);
    at(2_000);
    at(5_100);
    assertFalse(lease.isValid());
    sent.get(0).complete(RenewalAnswer.GRANTED);
    sent.get(1).complete(RenewalAnswer.GRANTED);
    assertFalse(lease.isValid(), "they were sent too long ago");
    sent.get(2).complete(RenewalAnswer.GRANTED);
    assertTrue(lease.isValid());
    clock.set(8_099);
    assertTrue(lease.isValid());
    clock.set(8_100);
    assertFalse(lease.isValid());
    assertEquals(List.of(), lost);
  }

  /** The answer may belong to an attempt whose registration was committed long ago. */
  @Test
  void aLeaseWhoseRegistrationTookLongerThanItLastsIsGoodOnlyOnceItIsRenewed() {
    clock.set(10_000);
    assertFalse(lease.isValid());
    lease.tick();
    sent.get(0).complete(RenewalAnswer.GRANTED);
    assertTrue(lease.isValid());
  }

  @Test
  void aLeaseThatRanOutAndIsRefusedIsOver() {
    at(4_000);
    sent.get(0).complete(RenewalAnswer.DEAD);
    assertEquals(List.of("the cluster map has declared this epoch dead"), lost);
    assertEquals(-1, lease.tick());
  }

  @Test
  void anAnswerToAnOlderRenewalDoesNotShortenTheLease() {
    at(1_000);
    at(2_000);
    sent.get(1).complete(RenewalAnswer.GRANTED);
    sent.get(0).complete(RenewalAnswer.GRANTED);
    clock.set(4_999);
    assertTrue(lease.isValid());
  }

  @Test
  void aRefusedRenewalEndsTheLeaseAtOnceAndTheListenerHearsOnce() {
    at(1_000);
    at(2_000);
    sent.get(0).complete(RenewalAnswer.DEAD);
    assertFalse(lease.isValid());
    sent.get(1).complete(RenewalAnswer.GRANTED);
    assertFalse(lease.isValid());
    assertEquals(List.of("the cluster map has declared this epoch dead"), lost);
    assertEquals(-1, lease.tick());
  }

  @Test
  void aProcessThatIsNotLetInBecauseItsEpochIsDeadHasLostIt() {
    at(1_000);
    sent.get(0)
        .completeExceptionally(new GaussException(EpochGuard.DEAD, "epoch 1 of node 2 is dead"));
    assertFalse(lease.isValid());
    assertEquals(1, lost.size());
  }

  /** So that it comes together with those of other nodes that were answered with it. */
  @Test
  void theNextRenewalCountsFromTheAnswer() {
    at(1_000);
    clock.set(1_080);
    sent.get(0).complete(RenewalAnswer.GRANTED);
    at(1_979);
    assertEquals(1, sent.size());
    at(1_980);
    assertEquals(2, sent.size());
    at(2_979);
    assertEquals(2, sent.size());
    at(2_980); // no answer has come
    assertEquals(3, sent.size());
  }

  @Test
  void aFailedRenewalIsRepeatedSoon() {
    at(1_000);
    sent.get(0).completeExceptionally(new IllegalStateException("no leader"));
    at(1_000 + INTERVAL / 8);
    assertEquals(2, sent.size());
  }

  @Test
  void aClosedLeaseIsOverAndNobodyIsTold() {
    lease.close();
    assertFalse(lease.isValid());
    assertEquals(List.of(), lost);
  }

  @Test
  void theThreadRenewsAndTellsTheLossByItself() throws InterruptedException {
    CountDownLatch renewals = new CountDownLatch(3);
    CountDownLatch over = new CountDownLatch(1);
    LeaseHolder holder =
        new LeaseHolder(
            TimeUnit.MINUTES.toNanos(10),
            1_000_000,
            System.nanoTime(),
            System::nanoTime,
            number -> {
              renewals.countDown();
              return CompletableFuture.completedFuture(
                  number < 3 ? RenewalAnswer.GRANTED : RenewalAnswer.EVICTED);
            },
            why -> over.countDown());
    holder.start("test-lease");
    assertTrue(renewals.await(1, TimeUnit.MINUTES));
    assertTrue(over.await(1, TimeUnit.MINUTES));
    assertFalse(holder.isValid());
  }
}
