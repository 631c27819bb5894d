package io.gauss.simulation;

import java.io.BufferedOutputStream;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * What has happened in a run: a hash of all of it, which is equal whenever the seed is run, and the
 * last events in words. Only the threads of the simulation use it.
 *
 * <p>The system property {@value #FILE} names a file, to which a number is added for each run of
 * the JVM, that gets all of it in words, and who draws random numbers: the first line in which two
 * runs of a seed differ is near to what they differ by.
 */
public final class Trace {
  private static final String FILE = "gauss.simulation.trace";
  private static final int FILE_BUFFER_BYTES = 1 << 20;
  private static int files;

  private static final long FNV_PRIME = 0x100000001b3L;

  private final int kept;
  private final Deque<Event> events = new ArrayDeque<>();
  private final PrintStream words; // null = not written
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
    this.words = file(System.getProperty(FILE));
  }

  private static PrintStream file(String name) {
    if (name == null) {
      return null;
    }
    try {
      FileOutputStream file = new FileOutputStream(name + "." + ++files);
      return new PrintStream(
          new BufferedOutputStream(file, FILE_BUFFER_BYTES), false, StandardCharsets.UTF_8);
    } catch (FileNotFoundException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Random numbers whose draws are written, too. */
  Random drawing(String name, long seed) {
    return words == null ? new Random(seed) : new Drawn(name, seed);
  }

  private final class Drawn extends Random {
    private final String name;

    private Drawn(String name, long seed) {
      super(seed);
      this.name = name;
    }

    @Override
    protected int next(int bits) {
      if (name != null) { // not of the constructor
        words.println("    " + name + " draws");
      }
      return super.next(bits);
    }
  }

  /** Nothing happens any more. */
  void end() {
    if (words != null) {
      words.close();
    }
  }

  void step(long now, SimulatedThread thread) {
    mix(now);
    mix(thread.number());
    if (words != null) {
      words.println(now + " " + thread);
    }
  }

  /**
   * Something that happened.
   *
   * @param what with a hash code and words that are the same in every run
   */
  void event(long now, Object what) {
    mix(now);
    mix(what.hashCode());
    if (words != null) {
      words.println("  " + what + " " + what.hashCode());
    }
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
