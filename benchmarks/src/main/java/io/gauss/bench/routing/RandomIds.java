package io.gauss.bench.routing;

import java.util.List;

/**
 * Rows with ids given at random, as UUIDs are: a transaction reads and updates one of them. There
 * are far more ids than transactions in a run, so that most have never been seen, and rows were
 * inserted in another order than that of their ids, so that neighbouring ids are in page groups
 * that have nothing to do with each other. Units are ranges of ids.
 */
public final class RandomIds extends OwnTables {
  private static final int UNITS = 60;
  private static final long SEED = 42;
  private static final String READ = "SELECT points FROM voucher WHERE id = ?";
  private static final String UPDATE = "UPDATE voucher SET points = points + 1 WHERE id = ?";

  private final int rows;

  /**
   * @param rows at least one
   */
  public RandomIds(int rows) {
    super(
        List.of(
            new FilledTable(
                "voucher",
                "id bigint PRIMARY KEY, points int NOT NULL, note varchar(60)",
                rows,
                3,
                i -> new Object[] {id(i), 0, "row %d of those that were inserted".formatted(i)})),
        false);
    this.rows = rows;
  }

  /** The id of the i-th row: a mixed number is another one for each. */
  static long id(int i) {
    long z = (i + SEED) * 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return (z ^ (z >>> 31)) >>> 1;
  }

  /** The range of an id. */
  static int unit(long id) {
    return (int) Math.multiplyHigh(id, 2L * UNITS);
  }

  @Override
  public String name() {
    return "ids-at-random";
  }

  @Override
  public int units() {
    return UNITS;
  }

  @Override
  public String keyColumn() {
    return "voucher.id";
  }

  @Override
  SimpleTerminal.Transaction transactions(int terminal) {
    return (statements, random, hint) -> {
      long id = id(random.nextInt(rows));
      hint.begins(unit(id), id);
      statements.read(READ, id);
      statements.update(UPDATE, id);
    };
  }
}
