package io.gauss.compute.pgwire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.session.wire.ForwardLayout.Answer;
import io.netty.channel.DefaultEventLoop;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How long a session is asked for to which the connection is lost. */
@Timeout(300)
class OtherSessionEndTest {
  private static final int THERE = 2;
  private static final Answer TICKET = new Answer(5432, 7, 8, new byte[0]);

  private final DefaultEventLoop loop = new DefaultEventLoop();
  private final AtomicInteger asked = new AtomicInteger();

  @AfterEach
  void stop() {
    loop.shutdownGracefully();
  }

  private boolean end(IntPredicate isThere, List<CompletableFuture<Boolean>> answers) {
    return end(isThere, answers, TimeUnit.HOURS.toNanos(1));
  }

  private boolean end(
      IntPredicate isThere, List<CompletableFuture<Boolean>> answers, long patienceNanos) {
    Queue<CompletableFuture<Boolean>> left = new ArrayDeque<>(answers);
    CompletableFuture<Boolean> end = new CompletableFuture<>();
    OtherSessionEnd other =
        new OtherSessionEnd(
            loop,
            THERE,
            isThere,
            ticket -> {
              assertEquals(TICKET, ticket);
              asked.incrementAndGet();
              return left.remove();
            },
            TICKET,
            patienceNanos,
            end::complete);
    loop.execute(other::ask);
    return end.join();
  }

  @Test
  void itIsAskedForUntilItIsGone() {
    CompletableFuture<Boolean> there = CompletableFuture.completedFuture(false);
    CompletableFuture<Boolean> gone = CompletableFuture.completedFuture(true);
    assertTrue(end(slot -> slot == THERE, List.of(there, there, gone)));
    assertEquals(3, asked.get());
  }

  /** The cluster takes a node for dead after its lease. */
  @Test
  void aNodeThatLivesIsNotAskedForLongerThanTheClusterTakesForADeadOne() {
    CompletableFuture<Boolean> there = CompletableFuture.completedFuture(false);
    assertFalse(end(slot -> true, List.of(there), 0));
    assertEquals(1, asked.get());
  }

  @Test
  void aNodeThatDoesNotAnswerIsAskedAgainUntilItIsDead() {
    CompletableFuture<Boolean> silent =
        CompletableFuture.failedFuture(new IllegalStateException("no answer"));
    assertTrue(end(slot -> asked.get() < 2, List.of(silent, silent)));
    assertEquals(2, asked.get());
  }
}
