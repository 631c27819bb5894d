package client;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** What was seen, how long it took, what to do next: the same as book.py. */
final class Book {
  static final int INSTANCE = Integer.parseInt(System.getenv("INSTANCE"));

  private static final long END =
      System.nanoTime() + Long.parseLong(System.getenv("SECONDS")) * 1_000_000_000;
  private static final Random RANDOM = new Random(INSTANCE);
  private static final Set<String> SEEN = new HashSet<>();
  private static final AtomicLong LAST = new AtomicLong();
  private static final AtomicLong ADDED = new AtomicLong();

  private Book() {}

  /** Something that a client does; what it returns is told. */
  interface Step {
    Object run() throws Exception;
  }

  static int tenant() {
    return 1 + RANDOM.nextInt(12);
  }

  static int item() {
    return 1 + RANDOM.nextInt(1000);
  }

  static long number() {
    return INSTANCE * 10_000_000L + LAST.incrementAndGet();
  }

  static void added(int number) {
    ADDED.addAndGet(number);
  }

  static synchronized void tell(String name, Object outcome) {
    String line = (name + ": " + outcome).replaceAll("\\s+", " ");
    if (SEEN.add(line)) {
      System.out.println(line);
    }
  }

  private static SQLException cause(Throwable error) {
    for (Throwable e = error; e != null; e = e.getCause()) {
      if (e instanceof SQLException sql && sql.getSQLState() != null) {
        return sql;
      }
    }
    return null;
  }

  static String failure(Throwable error) {
    SQLException cause = cause(error);
    return error.getClass().getSimpleName()
        + (cause == null
            ? " " + error.getMessage()
            : " "
                + cause.getSQLState()
                + " "
                + cause.getMessage().split("\n")[0].replaceFirst("^.*ERROR: ", ""));
  }

  /** Steps in any order until the time is over, each at least twice. */
  static void run(Map<String, Step> steps) {
    List<String> names = new ArrayList<>(steps.keySet());
    List<Double> times = new ArrayList<>();
    Map<String, Integer> repeated = new HashMap<>();
    double most = 0;
    String slowest = "";
    for (int rounds = 0; rounds < 2 || System.nanoTime() < END; rounds++) {
      Collections.shuffle(names, RANDOM);
      for (String name : names) {
        long began = System.nanoTime();
        try {
          tell(name, steps.get(name).run());
        } catch (Exception e) {
          SQLException cause = cause(e);
          String state = cause == null ? "" : cause.getSQLState();
          if (state.equals("40001") || state.equals("40P01")) {
            repeated.merge(state, 1, Integer::sum);
          } else {
            tell(name, "ERROR " + failure(e));
          }
        }
        double took = (System.nanoTime() - began) / 1e6;
        times.add(took);
        if (took > most) {
          most = took;
          slowest = name;
        }
      }
    }
    Collections.sort(times);
    System.err.printf(
        "%d steps, ms p50 %.1f p99 %.0f most %.0f (%s), repeated %s%n",
        times.size(),
        times.get(times.size() / 2),
        times.get(times.size() * 99 / 100),
        most,
        slowest,
        repeated);
  }

  static void close() {
    System.out.println("= added " + ADDED.get());
  }
}
