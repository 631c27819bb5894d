package io.gauss.common.transport.link;

import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.TransportException;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A call with one reply. */
final class ReplyCall extends Outbound {
  private final ReplyFuture future;

  /** The caller's future: cancelling it cancels the call. */
  private static final class ReplyFuture extends CompletableFuture<ByteBuf> {
    private Runnable onCancel;

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      boolean first = super.cancel(mayInterruptIfRunning);
      if (first) {
        onCancel.run();
      }
      return first || isCancelled();
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
      return new CompletableFuture<>();
    }
  }

  /**
   * @param onCancel called, on any thread, when the caller cancels
   */
  ReplyCall(
      MessageType type,
      ByteBuf payload,
      long startNanos,
      long deadlineNanos,
      Consumer<Outbound> onCancel) {
    super(type, payload, startNanos, true, deadlineNanos);
    this.future = new ReplyFuture();
    future.onCancel = () -> onCancel.accept(this);
  }

  CompletableFuture<ByteBuf> future() {
    return future;
  }

  @Override
  int kind() {
    return MessageKind.REQUEST;
  }

  @Override
  boolean abandoned() {
    return future.isDone();
  }

  @Override
  void fail(TransportException failure) {
    future.completeExceptionally(failure);
  }

  @Override
  void reply(ByteBuf reply) {
    if (!future.complete(reply)) {
      reply.release();
    }
  }
}
