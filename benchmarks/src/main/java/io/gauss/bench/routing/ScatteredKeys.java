package io.gauss.bench.routing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Members of tenants: the rows of a tenant lie together, but transactions refer to members by ids
 * in another order, so that neighbouring ids belong to different tenants. An exact map of ids to
 * nodes has a range of ten bytes for nearly each of them: with 400,000 ids four times the megabyte
 * that a table may have.
 *
 * <p>A transaction reads one member and updates two more of the same tenant.
 */
public final class ScatteredKeys implements RoutedWorkload {
  /** In which order ids are given to tenants. */
  public enum Order {
    /** In turn, as by a sequence: there is a rule that can be learned. */
    DEALT,
    /** At random: there is none. */
    SHUFFLED
  }

  private static final int PART_ROWS = 20_000;
  private static final int BATCH = 500;
  private static final int UPDATES = 2;
  private static final long SHUFFLING_SEED = 42;

  private final Order order;
  private final int tenants;
  private final int[] places; // by id
  private final int[] ids; // by place

  /**
   * @param members a multiple of {@code tenants}
   */
  public ScatteredKeys(Order order, int members, int tenants) {
    if (members % tenants != 0) {
      throw new IllegalArgumentException(members + " members for " + tenants + " tenants");
    }
    this.order = order;
    this.tenants = tenants;
    this.places = places(order, members, tenants);
    this.ids = new int[members];
    for (int id = 0; id < members; id++) {
      ids[places[id]] = id;
    }
  }

  private static int[] places(Order order, int members, int tenants) {
    int[] places = new int[members];
    int each = members / tenants;
    for (int id = 0; id < members; id++) {
      places[id] = order == Order.DEALT ? id % tenants * each + id / tenants : id;
    }
    if (order == Order.SHUFFLED) {
      SplittableRandom random = new SplittableRandom(SHUFFLING_SEED);
      for (int i = members - 1; i > 0; i--) {
        int other = random.nextInt(i + 1);
        int place = places[i];
        places[i] = places[other];
        places[other] = place;
      }
    }
    return places;
  }

  /** The tenant to which a member belongs. */
  int tenant(int id) {
    return places[id] / (ids.length / tenants);
  }

  @Override
  public String name() {
    return order == Order.DEALT ? "keys-dealt" : "keys-shuffled";
  }

  @Override
  public List<String> kinds() {
    return List.of("update");
  }

  @Override
  public int units() {
    return tenants;
  }

  private String table() {
    return order == Order.DEALT ? "member_dealt" : "member_shuffled";
  }

  @Override
  public void createSchema(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS " + table());
      statement.execute(
          "CREATE TABLE "
              + table()
              + " (place int PRIMARY KEY, id int NOT NULL, points int NOT NULL, note varchar(30))");
    }
  }

  @Override
  public int loadParts() {
    return (ids.length + PART_ROWS - 1) / PART_ROWS;
  }

  @Override
  public void loadPart(Connection connection, int part, SplittableRandom random)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO " + table() + " VALUES (?, ?, 0, ?)")) {
      int end = Math.min(ids.length, (part + 1) * PART_ROWS);
      for (int place = part * PART_ROWS; place < end; place++) {
        insert.setInt(1, place);
        insert.setInt(2, ids[place]);
        insert.setString(3, "member of tenant " + tenant(ids[place]));
        insert.addBatch();
        if ((place + 1) % BATCH == 0 || place == end - 1) {
          insert.executeBatch();
          connection.commit();
        }
      }
    }
  }

  @Override
  public void finishLoad(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("CREATE UNIQUE INDEX ON " + table() + " (id)");
      statement.execute("ANALYZE " + table());
    }
  }

  @Override
  public boolean isLoaded(Connection connection) {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT count(*) FROM " + table())) {
      return rows.next() && rows.getInt(1) == ids.length;
    } catch (SQLException e) {
      return false;
    }
  }

  @Override
  public List<String> violations(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT count(*) FROM " + table())) {
      rows.next();
      return rows.getInt(1) == ids.length
          ? List.of()
          : List.of("members: " + rows.getInt(1) + " instead of " + ids.length);
    }
  }

  @Override
  public Terminal newTerminal(Connection connection, int id, SplittableRandom random, UnitHint hint)
      throws SQLException {
    connection.setAutoCommit(false);
    return new MemberTerminal(connection, random, hint);
  }

  private final class MemberTerminal implements Terminal {
    private final Connection connection;
    private final SplittableRandom random;
    private final UnitHint hint;
    private final PreparedStatement read;
    private final PreparedStatement update;

    MemberTerminal(Connection connection, SplittableRandom random, UnitHint hint)
        throws SQLException {
      this.connection = connection;
      this.random = random;
      this.hint = hint;
      this.read = connection.prepareStatement("SELECT points FROM " + table() + " WHERE id = ?");
      this.update =
          connection.prepareStatement(
              "UPDATE " + table() + " SET points = points + 1 WHERE id = ?");
    }

    @Override
    public int runOne() throws SQLException {
      int first = random.nextInt(ids.length);
      int tenant = tenant(first);
      hint.begins(tenant);
      read.setInt(1, first);
      try (ResultSet rows = read.executeQuery()) {
        rows.next();
      }
      int each = ids.length / tenants;
      for (int i = 0; i < UPDATES; i++) {
        update.setInt(1, ids[tenant * each + random.nextInt(each)]);
        update.executeUpdate();
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
