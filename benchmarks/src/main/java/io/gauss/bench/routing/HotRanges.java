package io.gauss.bench.routing;

import io.gauss.bench.ycsb.YcsbWorkload;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
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
  public Terminal newTerminal(Connection connection, int id, SplittableRandom random, UnitHint hint)
      throws SQLException {
    connection.setAutoCommit(false);
    return new RangeTerminal(connection, random, hint);
  }

  private final class RangeTerminal implements Terminal {
    private final Connection connection;
    private final SplittableRandom random;
    private final UnitHint hint;
    private final PreparedStatement read;
    private final PreparedStatement update;

    RangeTerminal(Connection connection, SplittableRandom random, UnitHint hint)
        throws SQLException {
      this.connection = connection;
      this.random = random;
      this.hint = hint;
      this.read = connection.prepareStatement("SELECT field0 FROM usertable WHERE ycsb_key = ?");
      this.update =
          connection.prepareStatement("UPDATE usertable SET field0 = ? WHERE ycsb_key = ?");
    }

    @Override
    public int runOne() throws SQLException {
      int range = nextRange(random);
      hint.begins(range);
      for (int i = 0; i < OPERATIONS; i++) {
        int key = nextKey(range, random);
        if (random.nextBoolean()) {
          read.setInt(1, key);
          try (ResultSet rows = read.executeQuery()) {
            rows.next();
          }
        } else {
          update.setString(1, "value " + random.nextInt());
          update.setInt(2, key);
          update.executeUpdate();
        }
      }
      connection.commit();
      return 0;
    }

    @Override
    public int currentKind() {
      return 0;
    }
  }
}
