package io.gauss.jdbc.routing.model;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

/**
 * Objects to be used again, a few of them, without locks and for virtual threads too (thread-locals
 * would make one for each of those). Who finds nothing makes a new one.
 *
 * @param <T> what is kept; carries nothing from one user to the next
 */
final class Pool<T> {
  /** Far enough apart not to share a cache line. */
  private static final int STRIDE = 16;

  private static final int PLACES = 16;

  private final AtomicReferenceArray<T> places = new AtomicReferenceArray<>(PLACES * STRIDE);
  private final Supplier<T> maker;

  Pool(Supplier<T> maker) {
    this.maker = maker;
  }

  /** One that nobody else uses. */
  T take() {
    T kept = places.getAndSet(place(), null);
    return kept == null ? maker.get() : kept;
  }

  /** Gives it back. */
  void give(T used) {
    places.setRelease(place(), used);
  }

  @SuppressWarnings("deprecation") // Thread.threadId() is there from Java 19 on
  private static int place() {
    long id = Thread.currentThread().getId();
    return (int) (id & PLACES - 1) * STRIDE;
  }
}
