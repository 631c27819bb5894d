package io.gauss.common.invariant;

import java.util.Objects;
import org.slf4j.LoggerFactory;

/**
 * Checks conditions that must hold for the code to be correct: the laws of the design, and the
 * guarantees of a structure to its users. Unlike an {@code assert} it is also checked in
 * production. When one is broken, the handler of the process is called first and a {@link
 * BrokenInvariant} is thrown afterwards, so that no dispatcher that catches errors can hide it. A
 * server's handler ends the process: other nodes recover its work, whereas a page that was changed
 * by a process in an unknown state is wrong for ever.
 *
 * <p>These are <i>not</i> invariants, because ending this process would be the wrong reaction:
 *
 * <ul>
 *   <li>external input: a damaged file, an inconsistent page in the store, an invalid message of
 *       another node or a client, an unsound replicated command (every replica refuses it in the
 *       same way). These cause exceptions;
 *   <li>a statement that a stateless translator (parser, binder, planner) cannot translate: only
 *       that statement fails, with XX000, and nothing is damaged. If the process ended, the client
 *       would send the statement to the next node;
 *   <li>a method called on a closed object.
 * </ul>
 *
 * <p>Messages may contain {@code {}} for each argument. No string is built and nothing is allocated
 * while the condition holds; a caller whose message is more expensive writes {@code if (...) throw
 * Invariant.broken(...)}. Thread-safe.
 */
public final class Invariant {
  /** The reaction of a process to a broken invariant. Called on the thread that found it. */
  @FunctionalInterface
  public interface Handler {
    void broken(BrokenInvariant found);
  }

  private static final Handler LOG =
      found -> LoggerFactory.getLogger(Invariant.class).error("an invariant is broken", found);

  private static volatile Handler handler = LOG;

  private Invariant() {}

  /**
   * From now on this handler is called for broken invariants on any thread. Until then they are
   * logged.
   *
   * @return the previous handler
   */
  public static Handler install(Handler newHandler) {
    Handler before = handler;
    handler = Objects.requireNonNull(newHandler);
    return before;
  }

  public static void check(boolean holds, String message) {
    if (!holds) {
      throw broken(message);
    }
  }

  public static void check(boolean holds, String message, long argument) {
    if (!holds) {
      throw broken(format(message, argument));
    }
  }

  public static void check(boolean holds, String message, long first, long second) {
    if (!holds) {
      throw broken(format(message, first, second));
    }
  }

  static void check(boolean holds, String message, long first, long second, long third) {
    if (!holds) {
      throw broken(format(message, first, second, third));
    }
  }

  public static void check(boolean holds, String message, Object argument) {
    if (!holds) {
      throw broken(format(message, argument));
    }
  }

  static void check(boolean holds, String message, Object first, Object second) {
    if (!holds) {
      throw broken(format(message, first, second));
    }
  }

  /** For a place that cannot be reached: {@code throw Invariant.broken(...)}. */
  public static BrokenInvariant broken(String message) {
    return broken(message, null);
  }

  /** As {@link #broken(String)}, for a broken invariant that was found through another error. */
  public static BrokenInvariant broken(String message, Throwable cause) {
    if (cause instanceof BrokenInvariant told) {
      return told;
    }
    BrokenInvariant found = new BrokenInvariant(message, cause);
    handler.broken(found);
    return found;
  }

  private static String format(String message, Object... arguments) {
    StringBuilder text = new StringBuilder(message.length() + 16 * arguments.length);
    int from = 0;
    for (Object argument : arguments) {
      int at = message.indexOf("{}", from);
      if (at < 0) {
        text.append(message, from, message.length()).append(' ').append(argument);
        from = message.length();
      } else {
        text.append(message, from, at).append(argument);
        from = at + 2;
      }
    }
    return text.append(message, from, message.length()).toString();
  }
}
