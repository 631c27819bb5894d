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
  private final Deque<String> events = new ArrayDeque<>();
  private long hash = 0xcbf29ce484222325L;

  /**
   * @param kept events whose words are kept
   */
  Trace(int kept) {
    this.kept = kept;
  }

  void step(long now, SimulatedThread thread) {
    mix(now);
    mix(thread.number());
  }

  /** Something that happened, as it is to be read. */
  public void event(long now, String what) {
    mix(now);
    mix(what.hashCode());
    if (kept > 0) {
      if (events.size() == kept) {
        events.removeFirst();
      }
      events.addLast("%,15d us  %s".formatted(now / 1_000, what));
    }
  }

  /** Takes a number into the hash. */
  public void mix(long value) {
    hash = (hash ^ value) * FNV_PRIME;
    hash ^= hash >>> 29;
  }

  /** Of everything until now. */
  public long hash() {
    return hash;
  }

  /** The last events, oldest first. */
  public List<String> events() {
    return List.copyOf(events);
  }
}
