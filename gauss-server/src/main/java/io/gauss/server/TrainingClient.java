package io.gauss.server;

import io.gauss.common.error.SqlState;
import java.io.IOException;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.SplittableRandom;
import org.postgresql.PGConnection;

/**
 * A client of a {@link TrainingLoad}: transactions of an application that keeps accounts. Most are
 * short and prepared; some search, report, load rows, or fail. For one thread.
 */
final class TrainingClient implements AutoCloseable {
  static final List<String> DROP = List.of("DROP TABLE entry, account, total");

  private static final int ACCOUNTS = 2_000;
  private static final int BRANCHES = 100;
  private static final int TOTALS = 50;
  private static final int LOOKS = 4;
  private static final int LINES = 4;
  private static final int COPIED = 100;
  private static final int SEED = 4711;

  /** So many transactions have one of each of the rarer kinds. */
  private static final int ROUND = 40;

  private final Connection connection;
  private final Statement plain;
  private final PreparedStatement look;
  private final PreparedStatement lock;
  private final PreparedStatement change;
  private final PreparedStatement addTotal;
  private final PreparedStatement addEntry;
  private final PreparedStatement entries;
  private final PreparedStatement remove;
  private final PreparedStatement move;
  private final SplittableRandom random;
  private final int firstAccount;

  /** Tables with accounts for a number of clients. */
  static List<String> schema(int clients) {
    return List.of(
        "CREATE TABLE account (id int PRIMARY KEY, branch int NOT NULL, balance numeric(12, 2) NOT"
            + " NULL, name varchar(40), changed timestamptz)",
        "CREATE INDEX account_branch ON account (branch)",
        "CREATE TABLE total (id int PRIMARY KEY, amount bigint NOT NULL)",
        "CREATE TABLE entry (id bigserial PRIMARY KEY, account int NOT NULL REFERENCES account,"
            + " line int NOT NULL, amount numeric(12, 2) CHECK (amount <> 0), note text)",
        "CREATE INDEX entry_account ON entry (account, line)",
        "INSERT INTO total SELECT i, 0 FROM generate_series(0, %d) i".formatted(TOTALS - 1),
        "INSERT INTO account SELECT i, i %% %d, 10, 'name ' || i, now() FROM generate_series(0, %d) i"
            .formatted(BRANCHES, clients * ACCOUNTS - 1),
        "ANALYZE");
  }

  /**
   * @param connection in autocommit mode
   * @param client its number, which says which accounts are its own
   */
  TrainingClient(Connection connection, int client) throws SQLException {
    this.connection = connection;
    this.random = new SplittableRandom(SEED + client);
    this.firstAccount = client * ACCOUNTS;
    plain = connection.createStatement();
    look = connection.prepareStatement("SELECT balance, name FROM account WHERE id = ?");
    lock = connection.prepareStatement("SELECT balance FROM account WHERE id = ? FOR UPDATE");
    change =
        connection.prepareStatement(
            "UPDATE account SET balance = balance + ?, changed = now() WHERE id = ?");
    addTotal = connection.prepareStatement("UPDATE total SET amount = amount + ? WHERE id = ?");
    addEntry =
        connection.prepareStatement(
            "INSERT INTO entry (account, line, amount, note) VALUES (?, ?, ?, ?)");
    entries =
        connection.prepareStatement(
            "SELECT line, amount, note FROM entry WHERE account = ? ORDER BY line LIMIT 20");
    remove = connection.prepareStatement("DELETE FROM entry WHERE account = ? AND line < ?");
    move = connection.prepareStatement("UPDATE account SET branch = ? WHERE id = ?");
  }

  /** Runs a transaction; its kind follows from its number. */
  void run(int number) throws SQLException, IOException {
    int kind = number % ROUND;
    switch (kind) {
      case 0 -> report();
      case 1 -> copy();
      case 2 -> insertLiterals();
      case 3 -> violate();
      case 4 -> rollBack();
      case 5 -> clean();
      case 6, 7 -> moveAccount();
      case 8, 9, 10 -> search();
      default -> runFrequent(kind);
    }
  }

  private void runFrequent(int kind) throws SQLException {
    switch (kind % 4) {
      case 0 -> lookUp();
      case 1 -> changeOne();
      case 2 -> pay();
      default -> order();
    }
  }

  private int account() {
    return firstAccount + random.nextInt(ACCOUNTS);
  }

  // ---- frequent kinds

  private void lookUp() throws SQLException {
    for (int i = 0; i < LOOKS; i++) {
      look.setInt(1, account());
      read(look);
    }
  }

  private void changeOne() throws SQLException {
    change(account(), 1);
  }

  private void change(int account, int amount) throws SQLException {
    change.setInt(1, amount);
    change.setInt(2, account);
    change.executeUpdate();
  }

  private void pay() throws SQLException {
    begin();
    int account = account();
    change(account, -1);
    look.setInt(1, account);
    read(look);
    addEntry(account, 0);
    addEntry.executeUpdate();
    addTotal.setInt(1, 1);
    addTotal.setInt(2, random.nextInt(TOTALS));
    addTotal.executeUpdate();
    commit();
  }

  private void order() throws SQLException {
    begin();
    int account = account();
    lock.setInt(1, account);
    read(lock);
    for (int line = 1; line <= LINES; line++) {
      addEntry(account, line);
      addEntry.addBatch();
    }
    addEntry.executeBatch();
    change(account, LINES);
    commit();
  }

  private void addEntry(int account, int line) throws SQLException {
    addEntry.setInt(1, account);
    addEntry.setInt(2, line);
    addEntry.setInt(3, 1 + line);
    addEntry.setString(4, "line " + line);
  }

  // ---- rarer kinds

  private void search() throws SQLException {
    entries.setInt(1, account());
    read(entries);
  }

  private void moveAccount() throws SQLException {
    move.setInt(1, random.nextInt(BRANCHES));
    move.setInt(2, account());
    move.executeUpdate();
  }

  private void report() throws SQLException {
    read(
        "SELECT a.branch, count(*), sum(e.amount), max(e.note) FROM account a JOIN entry e ON"
            + " e.account = a.id WHERE a.branch BETWEEN 10 AND 12 GROUP BY a.branch HAVING"
            + " count(*) > 0 ORDER BY 3 DESC");
    read("SELECT * FROM account WHERE id BETWEEN %1$d AND %1$d + 50".formatted(account()));
  }

  private void copy() throws SQLException, IOException {
    StringBuilder rows = new StringBuilder();
    for (int i = 0; i < COPIED; i++) {
      rows.append(account()).append('\t').append(100 + i).append("\t1.5\tcopied ").append(i);
      rows.append('\n');
    }
    connection
        .unwrap(PGConnection.class)
        .getCopyAPI()
        .copyIn(
            "COPY entry (account, line, amount, note) FROM STDIN",
            new StringReader(rows.toString()));
  }

  private void insertLiterals() throws SQLException {
    StringBuilder text = new StringBuilder("INSERT INTO entry (account, line, amount) VALUES ");
    for (int i = 0; i < LINES * LINES; i++) {
      text.append(i == 0 ? "" : ", ").append("(%d, %d, 2.25)".formatted(account(), 50 + i));
    }
    plain.execute(text.toString());
  }

  private void violate() throws SQLException {
    try {
      plain.execute("INSERT INTO account VALUES (%d, 0, 0)".formatted(account()));
    } catch (SQLException e) {
      if (!SqlState.UNIQUE_VIOLATION.code().equals(e.getSQLState())) {
        throw e;
      }
    }
  }

  private void rollBack() throws SQLException {
    begin();
    int account = account();
    change(account, 1);
    addEntry(account, 1);
    addEntry.executeUpdate();
    connection.rollback();
    connection.setAutoCommit(true);
  }

  private void clean() throws SQLException {
    remove.setInt(1, account());
    remove.setInt(2, 3);
    remove.executeUpdate();
  }

  // ---- JDBC

  private void begin() throws SQLException {
    connection.setAutoCommit(false);
  }

  private void commit() throws SQLException {
    connection.commit();
    connection.setAutoCommit(true);
  }

  private void read(String query) throws SQLException {
    try (ResultSet rows = plain.executeQuery(query)) {
      read(rows);
    }
  }

  private static void read(PreparedStatement query) throws SQLException {
    try (ResultSet rows = query.executeQuery()) {
      read(rows);
    }
  }

  private static void read(ResultSet rows) throws SQLException {
    while (rows.next()) {
      rows.getString(1);
    }
  }

  @Override
  public void close() throws SQLException {
    plain.close();
    look.close();
    lock.close();
    change.close();
    addTotal.close();
    addEntry.close();
    entries.close();
    remove.close();
    move.close();
  }
}
