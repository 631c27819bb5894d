package io.gauss.compute.pgwire;

import io.gauss.common.runtime.Environment;
import io.gauss.compute.session.wire.ForwardLayout.Answer;
import io.netty.channel.EventLoop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntPredicate;

/**
 * Has a session on another node end to which the connection is lost, though the node need not be:
 * until then it keeps the locks of its transaction, for which the same transaction would wait here.
 * The node is asked over the channel between nodes until the session is not there any more, the
 * cluster has taken the node for dead, or it was asked for long enough. Belongs to one event loop.
 */
final class OtherSessionEnd {
  /** Between the first two questions, while the session rolls back; each later one is longer. */
  private static final long PAUSE_MILLIS = 20;

  /** A node that has died may have had the transactions of many clients, who all ask. */
  private static final long LONGEST_PAUSE_MILLIS = 500;

  private final EventLoop loop;
  private final int slot;
  private final IntPredicate isThere;
  private final Function<Answer, CompletableFuture<Boolean>> question;
  private final Answer ticket;
  private final long patienceNanos;
  private final Consumer<Boolean> then;
  private final long startNanos = Environment.nanoTime();
  private long pauseMillis = PAUSE_MILLIS;

  /**
   * @param isThere whether the node of a slot is alive, as far as the cluster knows
   * @param question has the session end that a ticket has let in; whether it is gone
   * @param patienceNanos for how long the node is asked: longer than the cluster takes to find out
   *     that it is dead
   * @param then is told, on the event loop, whether it is gone
   */
  OtherSessionEnd(
      EventLoop loop,
      int slot,
      IntPredicate isThere,
      Function<Answer, CompletableFuture<Boolean>> question,
      Answer ticket,
      long patienceNanos,
      Consumer<Boolean> then) {
    this.loop = loop;
    this.slot = slot;
    this.isThere = isThere;
    this.question = question;
    this.ticket = ticket;
    this.patienceNanos = patienceNanos;
    this.then = then;
  }

  void ask() {
    if (!isThere.test(slot)) {
      loop.execute(() -> then.accept(true)); // never within the step that asks
      return;
    }
    question
        .apply(ticket)
        .whenComplete((isGone, failure) -> loop.execute(() -> heard(failure == null && isGone)));
  }

  private void heard(boolean isGone) {
    if (isGone) {
      then.accept(true);
    } else if (Environment.nanoTime() - startNanos >= patienceNanos) {
      then.accept(false);
    } else {
      loop.schedule(this::ask, pauseMillis, TimeUnit.MILLISECONDS);
      pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
    }
  }
}
