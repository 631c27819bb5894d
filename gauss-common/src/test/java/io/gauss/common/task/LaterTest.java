package io.gauss.common.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class LaterTest {
  private static final int MANY = 200;

  @Test
  void thoseThatWaitHoldUpNobody() throws Exception {
    CountDownLatch last = new CountDownLatch(1);
    CountDownLatch all = new CountDownLatch(MANY);
    for (int i = 0; i < MANY; i++) {
      Later.run(
          1,
          TimeUnit.MILLISECONDS,
          () -> {
            try {
              last.await();
              all.countDown();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          });
    }
    Later.run(20, TimeUnit.MILLISECONDS, last::countDown);
    all.await();
  }

  @Test
  void whatDependsOnOneTimeOutHoldsUpNoOther() throws Exception {
    CompletableFuture<String> second = new CompletableFuture<>();
    CompletableFuture<String> timed = new CompletableFuture<>();
    CompletableFuture<String> first = timed.exceptionally(failure -> second.join());
    Later.failAfter(timed, 1, TimeUnit.MILLISECONDS);
    Later.completeAfter(second, 20, TimeUnit.MILLISECONDS, () -> "late");
    assertEquals("late", first.get());
  }

  @Test
  void whatIsCompleteDoesNotTimeOut() throws Exception {
    CompletableFuture<String> done;
    do { // the machine may pause for longer than that
      done = new CompletableFuture<>();
      Later.failAfter(done, 20, TimeUnit.MILLISECONDS);
    } while (!done.complete("in time"));
    CompletableFuture<String> late = new CompletableFuture<>();
    Later.failAfter(late, 40, TimeUnit.MILLISECONDS);
    ExecutionException e = assertThrows(ExecutionException.class, late::get);
    assertInstanceOf(TimeoutException.class, e.getCause());
    assertEquals("in time", done.get());
    assertFalse(done.isCompletedExceptionally());
  }
}
