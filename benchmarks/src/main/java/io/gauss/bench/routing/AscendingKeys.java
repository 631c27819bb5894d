package io.gauss.bench.routing;

import io.gauss.bench.routing.RoutedWorkload.UnitHint;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Keys from a sequence, of which each client takes fifty at a time, as Hibernate does: a
 * transaction inserts a row and changes another one of the client's newest. All the rows that are
 * in use are on the last leaves, which clients share. Units are clients.
 */
public final class AscendingKeys extends OwnTables {
  /** Keys that a client takes at a time. */
  static final int BLOCK = 50;

  private static final int UNITS = 64;
  private static final int NEWEST = 200;
  private static final int MOST_POINTS = 100;
  private static final String NEXT = "SELECT nextval('event_id')";
  private static final String INSERT =
      "INSERT INTO event (id, client, points, note) VALUES (?, ?, ?, ?)";
  private static final String UPDATE = "UPDATE event SET points = points + 1 WHERE id = ?";

  private final int rows;

  /**
   * @param rows before, at least one
   */
  public AscendingKeys(int rows) {
    super(
        List.of(
            new FilledTable(
                "event",
                "id bigint PRIMARY KEY, client int NOT NULL, points int NOT NULL, note varchar(60)",
                rows,
                4,
                i -> new Object[] {(long) i, 0, 0, "event " + i})),
        true);
    this.rows = rows;
  }

  @Override
  public String name() {
    return "ascending-keys";
  }

  @Override
  public int units() {
    return UNITS;
  }

  @Override
  public String keyColumn() {
    return "event.id";
  }

  @Override
  public void createSchema(Connection connection) throws SQLException {
    super.createSchema(connection);
    try (Statement statement = connection.createStatement()) {
      statement.execute("DROP SEQUENCE IF EXISTS event_id");
      statement.execute("CREATE SEQUENCE event_id START " + rows + " INCREMENT " + BLOCK);
    }
  }

  @Override
  SimpleTerminal.Transaction transactions(int terminal) {
    return new Newest(terminal)::insertAndUpdate;
  }

  /** The keys of a client. */
  private static final class Newest {
    private final int terminal;
    private final long[] own = new long[NEWEST]; // the newest ones, in turn
    private int count;
    private long next;
    private long end;

    Newest(int terminal) {
      this.terminal = terminal;
    }

    void insertAndUpdate(ClientStatements statements, SplittableRandom random, UnitHint hint)
        throws SQLException {
      int unit = terminal % UNITS;
      if (next == end) {
        hint.begins(unit, end);
        next = statements.read(NEXT);
        end = next + BLOCK;
      } else {
        hint.begins(unit, next);
      }
      long id = next++;
      statements.update(INSERT, id, terminal, random.nextInt(MOST_POINTS), "event " + id);
      statements.update(UPDATE, count == 0 ? id : own[random.nextInt(Math.min(count, NEWEST))]);
      own[count++ % NEWEST] = id;
    }
  }
}
