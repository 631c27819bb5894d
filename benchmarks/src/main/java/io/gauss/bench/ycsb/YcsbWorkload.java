package io.gauss.bench.ycsb;

import io.gauss.bench.Workload;
import io.gauss.bench.Zipf;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * YCSB's core workloads A to F over one table of ten fields, every operation a separate
 * transaction. Keys are chosen by a scrambled Zipf distribution; workload D reads the newest rows.
 */
public final class YcsbWorkload implements Workload {
  private static final int FIELDS = 10;
  private static final int FIELD_LENGTH = 100;
  private static final int PART_ROWS = 10_000;
  private static final int BATCH = 500;
  private static final int LONGEST_SCAN = 100;
  private static final double SKEW = 0.99;

  /** Shares in percent of read, update, insert, scan and read-modify-write. */
  private record Mix(int read, int update, int insert, int scan) {}

  private static Mix mix(char letter) {
    return switch (letter) {
      case 'a' -> new Mix(50, 50, 0, 0);
      case 'b' -> new Mix(95, 5, 0, 0);
      case 'c' -> new Mix(100, 0, 0, 0);
      case 'd' -> new Mix(95, 0, 5, 0);
      case 'e' -> new Mix(0, 0, 5, 95);
      case 'f' -> new Mix(50, 0, 0, 0);
      default -> throw new IllegalArgumentException("workload " + letter + ": a to f are known");
    };
  }

  private final char letter;
  private final Mix mix;
  private final int records;
  private final AtomicInteger nextKey;

  public YcsbWorkload(char letter, int records) {
    this.letter = letter;
    this.mix = mix(letter);
    this.records = records;
    this.nextKey = new AtomicInteger(records);
  }

  @Override
  public String name() {
    return "ycsb-" + letter;
  }

  @Override
  public List<String> kinds() {
    return List.of("read", "update", "insert", "scan", "read_modify_write");
  }

  @Override
  public void createSchema(Connection connection) throws SQLException {
    StringBuilder sql = new StringBuilder("CREATE TABLE usertable (ycsb_key int PRIMARY KEY");
    for (int i = 0; i < FIELDS; i++) {
      sql.append(", field").append(i).append(" varchar(").append(FIELD_LENGTH).append(')');
    }
    try (Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS usertable");
      statement.execute(sql.append(')').toString());
    }
  }

  @Override
  public int loadParts() {
    return (records + PART_ROWS - 1) / PART_ROWS;
  }

  @Override
  public void loadPart(Connection connection, int part, SplittableRandom random)
      throws SQLException {
    try (PreparedStatement insert = insert(connection)) {
      int end = Math.min(records, (part + 1) * PART_ROWS);
      for (int key = part * PART_ROWS; key < end; key++) {
        fill(insert, key, random);
        insert.addBatch();
        if ((key + 1) % BATCH == 0 || key == end - 1) {
          insert.executeBatch();
          connection.commit();
        }
      }
    }
  }

  private static PreparedStatement insert(Connection connection) throws SQLException {
    return connection.prepareStatement(
        "INSERT INTO usertable VALUES (?" + ", ?".repeat(FIELDS) + ")");
  }

  private static void fill(PreparedStatement insert, int key, SplittableRandom random)
      throws SQLException {
    insert.setInt(1, key);
    for (int i = 0; i < FIELDS; i++) {
      insert.setString(2 + i, value(random));
    }
  }

  private static String value(SplittableRandom random) {
    char[] text = new char[FIELD_LENGTH];
    for (int i = 0; i < FIELD_LENGTH; i++) {
      text[i] = (char) (' ' + 1 + random.nextInt(94));
    }
    return new String(text);
  }

  @Override
  public void finishLoad(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("ANALYZE usertable");
    }
  }

  @Override
  public boolean isLoaded(Connection connection) {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT count(*), max(ycsb_key) FROM usertable")) {
      if (!rows.next() || rows.getInt(1) < records) {
        return false;
      }
      nextKey.set(rows.getInt(2) + 1);
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  @Override
  public Terminal newTerminal(Connection connection, int id, SplittableRandom random)
      throws SQLException {
    connection.setAutoCommit(letter != 'f');
    return new YcsbTerminal(connection, random);
  }

  @Override
  public List<String> violations(Connection connection) throws SQLException {
    List<String> found = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT count(*) FROM usertable")) {
      rows.next();
      if (rows.getInt(1) < records) {
        found.add("rows are missing: " + rows.getInt(1) + " of " + records);
      }
    }
    return found;
  }

  private final class YcsbTerminal implements Terminal {
    private final Connection connection;
    private final SplittableRandom random;
    private final Zipf zipf;
    private final PreparedStatement read;
    private final PreparedStatement[] updates = new PreparedStatement[FIELDS];
    private final PreparedStatement insert;
    private final PreparedStatement scan;
    private int kind;

    YcsbTerminal(Connection connection, SplittableRandom random) throws SQLException {
      this.connection = connection;
      this.random = random;
      this.zipf = new Zipf(records, SKEW, random);
      this.read = connection.prepareStatement("SELECT * FROM usertable WHERE ycsb_key = ?");
      for (int i = 0; i < FIELDS; i++) {
        updates[i] =
            connection.prepareStatement(
                "UPDATE usertable SET field" + i + " = ? WHERE ycsb_key = ?");
      }
      this.insert = insert(connection);
      this.scan =
          connection.prepareStatement(
              "SELECT * FROM usertable WHERE ycsb_key >= ? ORDER BY ycsb_key LIMIT ?");
    }

    @Override
    public int currentKind() {
      return kind;
    }

    @Override
    public int runOne() throws SQLException {
      int dice = random.nextInt(100);
      if (dice < mix.read()) {
        kind = 0;
        read(key());
      } else if (dice < mix.read() + mix.update()) {
        kind = 1;
        update(key());
      } else if (dice < mix.read() + mix.update() + mix.insert()) {
        kind = 2;
        fill(insert, nextKey.getAndIncrement(), random);
        insert.executeUpdate();
      } else if (dice < mix.read() + mix.update() + mix.insert() + mix.scan()) {
        kind = 3;
        scan.setInt(1, key());
        scan.setInt(2, 1 + random.nextInt(LONGEST_SCAN));
        drain(scan);
      } else {
        kind = 4;
        int key = key();
        read(key);
        update(key);
      }
      if (!connection.getAutoCommit()) {
        connection.commit();
      }
      return kind;
    }

    private int key() {
      int rank = zipf.next();
      if (letter == 'd') {
        return Math.max(0, nextKey.get() - 1 - rank);
      }
      // Scrambled, so that the hot keys do not lie side by side.
      long hash = rank * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 32;
      return (int) Long.remainderUnsigned(hash * 0xD6E8FEB86659FD93L, records);
    }

    private void read(int key) throws SQLException {
      read.setInt(1, key);
      drain(read);
    }

    private void update(int key) throws SQLException {
      PreparedStatement update = updates[random.nextInt(FIELDS)];
      update.setString(1, value(random));
      update.setInt(2, key);
      update.executeUpdate();
    }

    private static void drain(PreparedStatement query) throws SQLException {
      try (ResultSet rows = query.executeQuery()) {
        while (rows.next()) {
          for (int i = 1; i <= FIELDS + 1; i++) {
            rows.getString(i);
          }
        }
      }
    }
  }
}
