package io.gauss.common.history;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * What the clients of one seed do: a pure function of the seed.
 *
 * @param oneSnapshot whether transactions are REPEATABLE READ, else READ COMMITTED
 * @param keys lists that they append to
 * @param clients transactions of each
 */
public record ClientScript(
    long seed, boolean oneSnapshot, List<Integer> keys, List<List<Transaction>> clients) {
  /** Rows of the table of lists, of which each seed uses a few. */
  public static final int LISTS = 400;

  public static final int ACCOUNTS = 40;
  public static final int PARENTS = 20;
  public static final int INDEXED = 200;

  private static final int KEYS = 6;
  private static final int TAKEN = 40;

  /**
   * @param node number of the compute node
   */
  public record Transaction(int node, List<Step> steps, boolean rollsBack) {}

  /** What a transaction does. */
  public sealed interface Step {
    /** Reads a list. */
    record Read(int key) implements Step {}

    /** Puts a value at the end of a list; none is appended twice. */
    record Append(int key, long value) implements Step {}

    /** Moves money. */
    record Transfer(int from, int to, int amount) implements Step {}

    /** Counts the money. */
    record Count() implements Step {}

    /** Takes a name that only one can have, by one of two keys. */
    record Take(int key) implements Step {}

    /** A sequence's next value. */
    record Next() implements Step {}

    /** Anything that has to keep an invariant; may fail with errors of constraints. */
    record Change(String sql) implements Step {}
  }

  /** Whether foreign keys and unique names are checked when transactions commit. */
  public boolean defersConstraints() {
    return seed % 2 != 0;
  }

  /**
   * @param nodes number of compute nodes
   */
  public static ClientScript of(long seed, int clients, int nodes, int transactions) {
    SplittableRandom random = new SplittableRandom(~seed);
    List<Integer> keys =
        IntStream.range(0, KEYS).map(i -> 1 + random.nextInt(LISTS)).boxed().toList();
    boolean oneSnapshot = random.nextBoolean();
    List<List<Transaction>> all = new ArrayList<>();
    Maker maker = new Maker(random, keys);
    for (int client = 0; client < clients; client++) {
      List<Transaction> own = new ArrayList<>();
      for (int i = 0; i < transactions; i++) {
        own.add(new Transaction(1 + random.nextInt(nodes), maker.steps(), random.nextInt(12) == 0));
      }
      all.add(List.copyOf(own));
    }
    return new ClientScript(seed, oneSnapshot, keys, List.copyOf(all));
  }

  /** Makes up transactions. */
  private static final class Maker {
    private final SplittableRandom random;
    private final List<Integer> keys;
    private long values;

    Maker(SplittableRandom random, List<Integer> keys) {
      this.random = random;
      this.keys = keys;
    }

    List<Step> steps() {
      return switch (random.nextInt(10)) {
        case 0 -> List.of(transfer(), new Step.Next());
        case 1 -> List.of(transfer(), new Step.Count());
        case 2 -> List.of(new Step.Take(random.nextInt(TAKEN)));
        case 3 -> List.of(new Step.Change(family()));
        case 4 -> List.of(new Step.Change(indexed()), new Step.Change(indexed()));
        default -> lists();
      };
    }

    private List<Step> lists() {
      List<Step> steps = new ArrayList<>();
      for (int i = 1 + random.nextInt(4); i > 0; i--) {
        int key = keys.get(random.nextInt(keys.size()));
        steps.add(random.nextBoolean() ? new Step.Read(key) : new Step.Append(key, ++values));
      }
      return List.copyOf(steps);
    }

    private Step transfer() {
      return new Step.Transfer(
          1 + random.nextInt(ACCOUNTS), 1 + random.nextInt(ACCOUNTS), random.nextInt(20));
    }

    private String family() {
      int parent = 1 + random.nextInt(PARENTS);
      int child = random.nextInt(300);
      return switch (random.nextInt(4)) {
        case 0 -> "DELETE FROM parent WHERE id = " + parent;
        case 1 -> "INSERT INTO parent VALUES (" + parent + ")";
        case 2 -> "DELETE FROM child WHERE p = " + parent;
        default -> "INSERT INTO child VALUES (" + child + ", " + parent + ")";
      };
    }

    private String indexed() {
      int id = 1 + random.nextInt(INDEXED);
      int v = random.nextInt(50);
      return switch (random.nextInt(4)) {
        case 0 -> "DELETE FROM indexed WHERE id = " + id;
        case 1 ->
            "INSERT INTO indexed VALUES (%d, %d, 'w%d') ON CONFLICT (id) DO UPDATE SET v = %d"
                .formatted(id, v, id, v);
        case 2 -> "UPDATE indexed SET v = v + 1 WHERE v = " + v;
        default -> "UPDATE indexed SET v = %d, w = 'x%d' WHERE id = %d".formatted(v, v, id);
      };
    }
  }
}
