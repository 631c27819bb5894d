package io.gauss.common.invariant;

import java.util.Objects;
import org.slf4j.LoggerFactory;

/**
 * States what must hold for the code to be right: the laws of the design, and what a structure
 * promises to those who use it. Unlike an {@code assert} it is checked in production, too. When one
 * is broken, the handler of the process is told first and a {@link BrokenInvariant} is thrown
 * afterwards, so that no dispatcher that catches errors can hide it. A server's handler ends the
 * process: other nodes recover its work, whereas a page that was changed by a process in an unknown
 * state is wrong for ever.
 *
 * <p>What is <i>not</i> an invariant, because ending this process would be the wrong answer to it:
 *
 * <ul>
 *   <li>what comes from outside: a damaged file, a page in the store that contradicts itself, a
 *       message of another node or a client that makes no sense, a replicated command that is
 *       unsound (every replica refuses it in the same way). These are exceptions;
 *   <li>a statement that a stateless translator (parser, binder, planner) does not know how to
 *       translate: it fails alone, with XX000, and nothing is damaged. Whoever sent it would send
 *       it to the next node;
 *   <li>a method called on something that is closed.
 * </ul>
 *
 * <p>Messages may contain {@code {}} for each argument. No string is built and nothing is allocated
 * while the condition holds; a caller whose message takes more writes {@code if (...) throw
 * Invariant.broken(...)}. Thread-safe.
 */
public final class Invariant {
  /** What a process does about a broken invariant. Called on the thread that found it. */
  @FunctionalInterface
  public interface Handler {
    void broken(BrokenInvariant found);
  }

  private static final Handler LOG =
      found -> LoggerFactory.getLogger(Invariant.class).error("an invariant is broken", found);

  private static volatile Handler handler = LOG;

  private Invariant() {}

  /**
   * From now on this one is told of broken invariants, whichever thread finds them. Until then they
   * are logged.
   *
   * @return the handler before
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

  /** As {@link #broken(String)}, for what was found by way of another error. */
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
