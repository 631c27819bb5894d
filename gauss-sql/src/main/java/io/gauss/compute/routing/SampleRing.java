package io.gauss.compute.routing;

import io.gauss.compute.routing.data.AccessSample;
import java.util.ArrayList;
import java.util.List;

/**
 * The last samples, numbered from 0. A new sample replaces the oldest when there is no room.
 * Thread-safe.
 */
final class SampleRing {
  private final AccessSample[] ring;
  private long end; // number of the next sample
  private long taken; // number of the first that take() has not returned
  private long dropped;

  SampleRing(int capacity) {
    this.ring = new AccessSample[capacity];
  }

  synchronized void add(AccessSample sample) {
    ring[(int) (end % ring.length)] = sample;
    end++;
    if (end - taken > ring.length) {
      taken++;
      dropped++;
    }
  }

  /** The oldest samples that have not been returned yet; {@link #all} still returns them. */
  synchronized List<AccessSample> take(int most) {
    List<AccessSample> found = new ArrayList<>();
    while (taken < end && found.size() < most) {
      found.add(ring[(int) (taken % ring.length)]);
      taken++;
    }
    return found;
  }

  /** All samples in the ring, oldest first. */
  synchronized List<AccessSample> all() {
    List<AccessSample> found = new ArrayList<>();
    for (long i = Math.max(0, end - ring.length); i < end; i++) {
      found.add(ring[(int) (i % ring.length)]);
    }
    return found;
  }

  /** Number of samples added. */
  synchronized long added() {
    return end;
  }

  /** Samples that were replaced before {@link #take} returned them. */
  synchronized long dropped() {
    return dropped;
  }
}
