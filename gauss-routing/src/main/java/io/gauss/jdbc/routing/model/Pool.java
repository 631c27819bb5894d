package io.gauss.jdbc.routing.model;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

/**
 * A few reusable objects, without locks and also for virtual threads (thread-locals would create
 * one for each of those). A caller that finds none creates a new one.
 *
 * @param <T> type of the objects; they carry no state from one user to the next
 */
final class Pool<T> {
  /** Distance at which places do not share a cache line. */
  private static final int STRIDE = 16;

  private static final int PLACES = 16;

  private final AtomicReferenceArray<T> places = new AtomicReferenceArray<>(PLACES * STRIDE);
  private final Supplier<T> maker;

  Pool(Supplier<T> maker) {
    this.maker = maker;
  }

  /** An object that no other thread uses. */
  T take() {
    T kept = places.getAndSet(place(), null);
    return kept == null ? maker.get() : kept;
  }

  /** Gives it back. */
  void give(T used) {
    places.setRelease(place(), used);
  }

  @SuppressWarnings("deprecation") // Thread.threadId() exists from Java 19 on
  private static int place() {
    long id = Thread.currentThread().getId();
    return (int) (id & PLACES - 1) * STRIDE;
  }
}
