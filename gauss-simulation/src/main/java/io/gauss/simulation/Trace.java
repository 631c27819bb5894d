package io.gauss.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * What has happened in a run: a hash of all of it, which is equal whenever the seed is run, and the
 * last events in words. Only the threads of the simulation use it.
 */
public final class Trace {
  private static final long FNV_PRIME = 0x100000001b3L;

  private final int kept;
  private final Deque<Event> events = new ArrayDeque<>();
  private long hash = 0xcbf29ce484222325L;

  private record Event(long now, Object what) {
    @Override
    public String toString() {
      return "%,17.3f us  %s".formatted(now / 1e3, what);
    }
  }

  /**
   * @param kept so many events are kept; at least 1
   */
  Trace(int kept) {
    this.kept = kept;
  }

  void step(long now, SimulatedThread thread) {
    mix(now);
    mix(thread.number());
  }

  /**
   * Something that happened.
   *
   * @param what with a hash code and words that are the same in every run
   */
  void event(long now, Object what) {
    mix(now);
    mix(what.hashCode());
    if (events.size() == kept) {
      events.removeFirst();
    }
    events.addLast(new Event(now, what));
  }

  /** Takes a number into the hash. */
  void mix(long value) {
    hash = (hash ^ value) * FNV_PRIME;
    hash ^= hash >>> 29;
  }

  /** Of everything until now. */
  public long hash() {
    return hash;
  }

  /** The last events, oldest first. */
  public List<String> events() {
    return events.stream().map(Event::toString).toList();
  }
}
