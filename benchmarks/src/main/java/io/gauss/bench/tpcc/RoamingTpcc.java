package io.gauss.bench.tpcc;

import io.gauss.bench.routing.OverTables;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.SplittableRandom;

/**
 * TPC-C whose terminals are not tied to warehouses: each transaction is for any of them. Units are
 * the warehouses.
 */
public final class RoamingTpcc extends OverTables {
  private final int warehouses;
  private final int items;

  /**
   * @param items 100,000 in TPC-C; with fewer, pages reach their nodes sooner
   */
  public RoamingTpcc(int warehouses, int items, boolean foreignKeys) {
    super(new TpccWorkload(warehouses, items, foreignKeys));
    this.warehouses = warehouses;
    this.items = items;
  }

  @Override
  public String name() {
    return "tpcc-roaming";
  }

  @Override
  public int units() {
    return warehouses;
  }

  @Override
  public String keyColumn() {
    return "customer.c_w_id";
  }

  @Override
  public Terminal newTerminal(Connection connection, int id, SplittableRandom random, UnitHint hint)
      throws SQLException {
    connection.setAutoCommit(false);
    return TpccTerminal.roaming(connection, warehouses, new TpccRandom(random, items), hint);
  }
}
