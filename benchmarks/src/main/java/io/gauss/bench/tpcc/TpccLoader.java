package io.gauss.bench.tpcc;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDateTime;

/** Initial population, TPC-C 5.11, clause 4.3.3. One loader per part and thread. */
final class TpccLoader {
  private static final int BATCH = 500;

  private final Connection connection;
  private final TpccRandom random;
  private final Timestamp now = Timestamp.valueOf(LocalDateTime.now());

  TpccLoader(Connection connection, TpccRandom random) {
    this.connection = connection;
    this.random = random;
  }

  /** Inserts rows in batches, committing each. */
  private final class Rows implements AutoCloseable {
    private final PreparedStatement statement;
    private int pending;
    private int column;

    Rows(String table, int columns) throws SQLException {
      statement =
          connection.prepareStatement(
              "INSERT INTO " + table + " VALUES (?" + ", ?".repeat(columns - 1) + ")");
    }

    Rows set(int value) throws SQLException {
      statement.setInt(++column, value);
      return this;
    }

    Rows set(String value) throws SQLException {
      statement.setString(++column, value);
      return this;
    }

    Rows set(Timestamp value) throws SQLException {
      if (value == null) {
        statement.setNull(++column, Types.TIMESTAMP);
      } else {
        statement.setTimestamp(++column, value);
      }
      return this;
    }

    Rows setInteger(Integer value) throws SQLException {
      if (value == null) {
        statement.setNull(++column, Types.INTEGER);
      } else {
        statement.setInt(++column, value);
      }
      return this;
    }

    Rows decimal(long unscaled, int scale) throws SQLException {
      statement.setBigDecimal(++column, BigDecimal.valueOf(unscaled, scale));
      return this;
    }

    void add() throws SQLException {
      statement.addBatch();
      column = 0;
      if (++pending == BATCH) {
        flush();
      }
    }

    private void flush() throws SQLException {
      statement.executeBatch();
      connection.commit();
      pending = 0;
    }

    @Override
    public void close() throws SQLException {
      if (pending > 0) {
        flush();
      }
      statement.close();
    }
  }

  void items() throws SQLException {
    try (Rows rows = new Rows("item", 5)) {
      for (int i = 1; i <= random.items(); i++) {
        rows.set(i)
            .set(random.letters(14, 24))
            .decimal(random.uniform(100, 10_000), 2)
            .set(random.data())
            .set(random.uniform(1, 10_000))
            .add();
      }
    }
  }

  void warehouse(int w) throws SQLException {
    try (Rows rows = new Rows("warehouse", 9)) {
      rows.set(w)
          .decimal(30_000_000, 2)
          .decimal(random.uniform(0, 2000), 4)
          .set(random.letters(6, 10))
          .set(random.letters(10, 20))
          .set(random.letters(10, 20))
          .set(random.letters(10, 20))
          .set(random.letters(2, 2).toUpperCase(java.util.Locale.ROOT))
          .set(random.zip())
          .add();
    }
    stock(w);
    for (int d = 1; d <= TpccScale.DISTRICTS; d++) {
      district(w, d);
      customers(w, d);
      orders(w, d);
    }
  }

  private void stock(int w) throws SQLException {
    try (Rows rows = new Rows("stock", 17)) {
      for (int i = 1; i <= random.items(); i++) {
        rows.set(w)
            .set(i)
            .set(random.uniform(10, 100))
            .decimal(0, 0)
            .set(0)
            .set(0)
            .set(random.data());
        for (int k = 0; k < 10; k++) {
          rows.set(random.letters(24, 24));
        }
        rows.add();
      }
    }
  }

  private void district(int w, int d) throws SQLException {
    try (Rows rows = new Rows("district", 11)) {
      rows.set(w)
          .set(d)
          .decimal(3_000_000, 2)
          .decimal(random.uniform(0, 2000), 4)
          .set(TpccScale.ORDERS + 1)
          .set(random.letters(6, 10))
          .set(random.letters(10, 20))
          .set(random.letters(10, 20))
          .set(random.letters(10, 20))
          .set(random.letters(2, 2).toUpperCase(java.util.Locale.ROOT))
          .set(random.zip())
          .add();
    }
  }

  private void customers(int w, int d) throws SQLException {
    try (Rows rows = new Rows("customer", 21)) {
      for (int c = 1; c <= TpccScale.CUSTOMERS; c++) {
        rows.set(w)
            .set(d)
            .set(c)
            .decimal(random.uniform(0, 5000), 4)
            .set(random.percent(10) ? "BC" : "GC")
            .set(random.lastNameForLoad(c))
            .set(random.letters(8, 16))
            .decimal(5_000_000, 2)
            .decimal(-1000, 2)
            .decimal(1000, 2)
            .set(1)
            .set(0)
            .set(random.letters(10, 20))
            .set(random.letters(10, 20))
            .set(random.letters(10, 20))
            .set(random.letters(2, 2).toUpperCase(java.util.Locale.ROOT))
            .set(random.zip())
            .set(random.digits(16, 16))
            .set(now)
            .set("OE")
            .set(random.letters(300, 500))
            .add();
      }
    }
    try (Rows rows = new Rows("history", 8)) {
      for (int c = 1; c <= TpccScale.CUSTOMERS; c++) {
        rows.set(c)
            .set(d)
            .set(w)
            .set(d)
            .set(w)
            .set(now)
            .decimal(1000, 2)
            .set(random.letters(12, 24))
            .add();
      }
    }
  }

  private void orders(int w, int d) throws SQLException {
    int[] customers = random.permutation(TpccScale.CUSTOMERS);
    int[] lines = new int[TpccScale.ORDERS + 1];
    try (Rows rows = new Rows("oorder", 8)) {
      for (int o = 1; o <= TpccScale.ORDERS; o++) {
        lines[o] = random.uniform(5, 15);
        rows.set(w)
            .set(d)
            .set(o)
            .set(customers[o - 1])
            .setInteger(o < TpccScale.FIRST_NEW_ORDER ? random.uniform(1, 10) : null)
            .set(lines[o])
            .set(1)
            .set(now)
            .add();
      }
    }
    try (Rows rows = new Rows("new_order", 3)) {
      for (int o = TpccScale.FIRST_NEW_ORDER; o <= TpccScale.ORDERS; o++) {
        rows.set(w).set(d).set(o).add();
      }
    }
    try (Rows rows = new Rows("order_line", 10)) {
      for (int o = 1; o <= TpccScale.ORDERS; o++) {
        boolean delivered = o < TpccScale.FIRST_NEW_ORDER;
        for (int n = 1; n <= lines[o]; n++) {
          rows.set(w)
              .set(d)
              .set(o)
              .set(n)
              .set(random.uniform(1, random.items()))
              .set(delivered ? now : null)
              .decimal(delivered ? 0 : random.uniform(1, 999_999), 2)
              .set(w)
              .decimal(500, 2)
              .set(random.letters(24, 24))
              .add();
        }
      }
    }
  }
}
