package io.gauss.compute.mtr;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * The key of working state that a layer above keeps with each context, such as a tree's cursor: of
 * one type, created at its first use in a context, and living as long as that context. A layer
 * keeps its key in a static field; there are only a few in the process. The key is thread-safe, the
 * state belongs to the context's thread.
 */
public final class Attachment<T> {
  private static final AtomicInteger COUNT = new AtomicInteger();

  private final int index = COUNT.getAndIncrement();
  private final Function<EngineContext, T> factory;

  /**
   * @param factory makes the state for a context
   */
  public Attachment(Function<EngineContext, T> factory) {
    this.factory = factory;
  }

  /** The context's state, which is created now if there is none. */
  public T of(EngineContext ctx) {
    T state = orNull(ctx);
    if (state == null) {
      state = factory.apply(ctx);
      ctx.attach(index, state);
    }
    return state;
  }

  /** The context's state, null if {@link #of} has not been called for it. */
  @SuppressWarnings("unchecked") // the object at the index was made by this key's factory
  public T orNull(EngineContext ctx) {
    return (T) ctx.attached(index);
  }
}
