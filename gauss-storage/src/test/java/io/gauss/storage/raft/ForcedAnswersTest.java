package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An answer promises no more than what is forced. */
class ForcedAnswersTest {
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final ForcedAnswers answers = new ForcedAnswers(timer, Duration.ofMinutes(1));
  private final AtomicLong flushed = new AtomicLong();

  @AfterEach
  void stop() {
    timer.shutdownNow();
  }

  private static AppendEntriesReplyProto reply(AppendResult result, long match) {
    return AppendEntriesReplyProto.newBuilder().setResult(result).setMatchIndex(match).build();
  }

  @Test
  void whatIsForcedIsAcknowledgedAtOnce() {
    flushed.set(9);
    AppendEntriesReplyProto reply = reply(AppendResult.SUCCESS, 9);
    assertSame(reply, answers.onceForced(flushed::get, reply).getNow(null));
  }

  @Test
  void whatIsInMemoryWaitsForItsForce() {
    flushed.set(8);
    AppendEntriesReplyProto reply = reply(AppendResult.SUCCESS, 9);
    CompletableFuture<AppendEntriesReplyProto> answer = answers.onceForced(flushed::get, reply);
    assertFalse(answer.isDone());
    assertEquals(1, answers.waiting());
    flushed.set(9);
    assertSame(reply, answer.orTimeout(30, TimeUnit.SECONDS).join());
    assertEquals(0, answers.waiting());
  }

  @Test
  void aRefusalWaitsForNothing() {
    AppendEntriesReplyProto reply = reply(AppendResult.INCONSISTENCY, 9);
    assertTrue(answers.onceForced(flushed::get, reply).isDone());
  }

  @Test
  void aDiskThatDoesNotComeBackIsAnError() {
    ForcedAnswers hasty = new ForcedAnswers(timer, Duration.ofMillis(5));
    CompletableFuture<AppendEntriesReplyProto> answer =
        hasty.onceForced(flushed::get, reply(AppendResult.SUCCESS, 9));
    CompletionException failed = assertThrows(CompletionException.class, answer::join);
    assertInstanceOf(TimeoutException.class, failed.getCause());
  }
}
