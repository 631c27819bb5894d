package io.gauss.bench.routing;

import io.gauss.bench.ycsb.YcsbWorkload;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.SplittableRandom;

/**
 * YCSB's table with hot ranges of keys: a transaction reads and updates a few rows of one range,
 * half and half as in workload A. A fifth of the ranges, next to each other, get four fifths of the
 * transactions.
 */
public final class HotRanges extends OverTables {
  /** Rows that a transaction reads or updates. */
  static final int OPERATIONS = 4;

  private static final int HOT_PERCENT_OF_RANGES = 20;
  private static final int HOT_PERCENT_OF_LOAD = 80;

  private final int records;
  private final int ranges;
  private volatile int shift;

  /**
   * @param records rows, at least one for each range
   */
  public HotRanges(int records, int ranges) {
    super(new YcsbWorkload('a', records));
    this.records = records;
    this.ranges = ranges;
  }

  @Override
  public String name() {
    return "ycsb-hot-ranges";
  }

  @Override
  public List<String> kinds() {
    return List.of("read_update");
  }

  @Override
  public int units() {
    return ranges;
  }

  @Override
  public void moveHotSpot() {
    shift = (shift + ranges / 2) % ranges;
  }

  /** The range of the next transaction. */
  int nextRange(SplittableRandom random) {
    int hot = Math.max(1, ranges * HOT_PERCENT_OF_RANGES / 100);
    boolean isHot = random.nextInt(100) < HOT_PERCENT_OF_LOAD || hot == ranges;
    int range = isHot ? random.nextInt(hot) : hot + random.nextInt(ranges - hot);
    return (range + shift) % ranges;
  }

  /** A key of the range. */
  int nextKey(int range, SplittableRandom random) {
    int first = (int) ((long) records * range / ranges);
    int end = (int) ((long) records * (range + 1) / ranges);
    return random.nextInt(first, end);
  }

  @Override
  public String keyColumn() {
    return "usertable.ycsb_key";
  }

  @Override
  public Terminal newTerminal(Connection connection, int id, SplittableRandom random, UnitHint hint)
      throws SQLException {
    return new SimpleTerminal(connection, random, hint, this::readAndUpdate);
  }

  private void readAndUpdate(ClientStatements statements, SplittableRandom random, UnitHint hint)
      throws SQLException {
    int range = nextRange(random);
    int key = nextKey(range, random);
    hint.begins(range, key);
    for (int i = 0; i < OPERATIONS; i++) {
      if (random.nextBoolean()) {
        statements.read("SELECT field0 FROM usertable WHERE ycsb_key = ?", key);
      } else {
        statements.update(
            "UPDATE usertable SET field0 = ? WHERE ycsb_key = ?", "value " + random.nextInt(), key);
      }
      key = nextKey(range, random);
    }
  }
}
