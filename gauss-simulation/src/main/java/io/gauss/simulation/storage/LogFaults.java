package io.gauss.simulation.storage;

import io.gauss.common.runtime.Environment;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * How unkind the simulated groups are. Each is a chance in a thousand, at each opportunity.
 *
 * @param refused a leader refuses a command because it is overloaded
 * @param leadLost a leader loses the lead when a command arrives
 * @param answerLost the answer to a committed command is lost: its outcome is unknown
 * @param answerLate an answer comes late
 * @param slow a message or a force takes long
 * @param behind a replica stands still for a while before it applies the next entry
 * @param latest of what is late, slow or behind; nanoseconds
 */
public record LogFaults(
    int refused, int leadLost, int answerLost, int answerLate, int slow, int behind, long latest) {
  private static final long USUAL_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

  /** Nothing is late, refused or lost, except by what happens to nodes and connections. */
  public static LogFaults none() {
    return new LogFaults(0, 0, 0, 0, 0, 0, 0);
  }

  /** Now and then something of everything. */
  public static LogFaults some() {
    return new LogFaults(5, 2, 3, 10, 10, 10, TimeUnit.MILLISECONDS.toNanos(300));
  }

  static boolean happens(int perMille) {
    return perMille > 0 && random().nextInt(1000) < perMille;
  }

  /** Duration of a message or a force. */
  long duration() {
    return happens(slow) ? late() : 1 + random().nextLong(USUAL_NANOS);
  }

  /** Duration of what takes long. */
  long late() {
    return 1 + random().nextLong(Math.max(1, latest));
  }

  static RandomGenerator random() {
    return Environment.random();
  }
}
