package io.gauss.bench.tpcc;

import io.gauss.bench.Workload;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.SplittableRandom;

/** TPC-C without keying and think times. */
public final class TpccWorkload implements Workload {
  private final int warehouses;
  private final int items;
  private final boolean foreignKeys;

  public TpccWorkload(int warehouses, boolean foreignKeys) {
    this(warehouses, TpccScale.ITEMS, foreignKeys);
  }

  /** With a number of items, and of stock rows for each warehouse, that differs from TPC-C's. */
  TpccWorkload(int warehouses, int items, boolean foreignKeys) {
    this.warehouses = warehouses;
    this.items = items;
    this.foreignKeys = foreignKeys;
  }

  @Override
  public String name() {
    return "tpcc";
  }

  @Override
  public List<String> kinds() {
    return List.of("new_order", "payment", "order_status", "delivery", "stock_level");
  }

  @Override
  public void createSchema(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String table : TpccSchema.TABLES) {
        statement.execute("DROP TABLE IF EXISTS " + table);
      }
      for (String sql : TpccSchema.CREATE) {
        statement.execute(sql);
      }
    }
  }

  @Override
  public int loadParts() {
    return warehouses + 1;
  }

  @Override
  public void loadPart(Connection connection, int part, SplittableRandom random)
      throws SQLException {
    TpccLoader loader = new TpccLoader(connection, new TpccRandom(random, items));
    if (part == 0) {
      loader.items();
    } else {
      loader.warehouse(part);
    }
  }

  @Override
  public void finishLoad(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : TpccSchema.INDEXES) {
        statement.execute(sql);
      }
      if (foreignKeys) {
        for (String sql : TpccSchema.FOREIGN_KEYS) {
          statement.execute(sql);
        }
      }
      statement.execute("ANALYZE");
    }
  }

  @Override
  public boolean isLoaded(Connection connection) {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT count(*), (SELECT count(*) FROM item) FROM warehouse WHERE w_id <= "
                    + warehouses)) {
      return rows.next() && rows.getInt(1) == warehouses && rows.getInt(2) == items;
    } catch (SQLException e) {
      return false;
    }
  }

  /** The warehouses, from 0 on. */
  @Override
  public int group(int terminal) {
    return terminal % warehouses;
  }

  @Override
  public Terminal newTerminal(Connection connection, int id, SplittableRandom random)
      throws SQLException {
    connection.setAutoCommit(false);
    return new TpccTerminal(connection, warehouses, group(id) + 1, new TpccRandom(random, items));
  }

  @Override
  public List<String> violations(Connection connection) throws SQLException {
    return TpccChecks.violations(connection);
  }
}
