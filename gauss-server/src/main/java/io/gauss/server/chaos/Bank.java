package io.gauss.server.chaos;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.SplittableRandom;

/** Clients that move money between the same accounts, and count it. */
final class Bank {
  private static final int ACCOUNTS = 40;
  private static final long TOTAL = 100L * ACCOUNTS;
  private static final int THINK_MS = 25;

  static final List<String> TABLES =
      List.of(
          "CREATE TABLE bank (id int PRIMARY KEY, balance int NOT NULL)",
          "INSERT INTO bank SELECT g, 100 FROM generate_series(1, " + ACCOUNTS + ") AS g");

  private static final String SUM = "SELECT sum(balance) FROM bank";

  private final Load load;

  Bank(Load load) {
    this.load = load;
  }

  Client client(int node, SplittableRandom random) {
    return new BankClient(node, random);
  }

  void check(int node, Connection connection) throws SQLException {
    count("node " + node, connection);
  }

  private void count(String who, Connection connection) throws SQLException {
    long sum = Load.number(connection, SUM);
    if (sum != TOTAL) {
      load.anomaly(who + " counts " + sum + " in the bank, which has " + TOTAL);
    }
  }

  private final class BankClient extends Client {
    BankClient(int node, SplittableRandom random) {
      super(Bank.this.load, node, "bank", random);
    }

    @Override
    int thinkMillis() {
      return THINK_MS;
    }

    @Override
    void once(Connection connection) throws SQLException {
      if (random.nextInt(8) == 0) {
        transaction(connection, each -> count(name(), each));
        return;
      }
      int from = 1 + random.nextInt(ACCOUNTS);
      int to = 1 + (from + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
      int amount = 1 + random.nextInt(5);
      transaction(
          connection,
          each -> {
            change(each, Math.min(from, to), from < to ? -amount : amount);
            change(each, Math.max(from, to), from < to ? amount : -amount);
          });
    }

    private void change(Connection connection, int account, int difference) throws SQLException {
      try (PreparedStatement statement =
          connection.prepareStatement("UPDATE bank SET balance = balance + ? WHERE id = ?")) {
        statement.setInt(1, difference);
        statement.setInt(2, account);
        if (statement.executeUpdate() != 1) {
          load.anomaly(name() + " finds no account " + account);
        }
      }
    }
  }
}
