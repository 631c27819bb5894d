package io.gauss.bench.tpcc;

import io.gauss.bench.routing.RoutedWorkload;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.SplittableRandom;

/**
 * TPC-C whose terminals are not tied to warehouses: each transaction is for any of them. Units are
 * the warehouses.
 */
public final class RoamingTpcc implements RoutedWorkload {
  private final TpccWorkload tpcc;
  private final int warehouses;
  private final int items;

  /**
   * @param items 100,000 in TPC-C; with fewer, pages reach their nodes sooner
   */
  public RoamingTpcc(int warehouses, int items, boolean foreignKeys) {
    this.tpcc = new TpccWorkload(warehouses, items, foreignKeys);
    this.warehouses = warehouses;
    this.items = items;
  }

  @Override
  public String name() {
    return "tpcc-roaming";
  }

  @Override
  public List<String> kinds() {
    return tpcc.kinds();
  }

  @Override
  public int units() {
    return warehouses;
  }

  @Override
  public void createSchema(Connection connection) throws SQLException {
    tpcc.createSchema(connection);
  }

  @Override
  public int loadParts() {
    return tpcc.loadParts();
  }

  @Override
  public void loadPart(Connection connection, int part, SplittableRandom random)
      throws SQLException {
    tpcc.loadPart(connection, part, random);
  }

  @Override
  public void finishLoad(Connection connection) throws SQLException {
    tpcc.finishLoad(connection);
  }

  @Override
  public boolean isLoaded(Connection connection) {
    return tpcc.isLoaded(connection);
  }

  @Override
  public Terminal newTerminal(Connection connection, int id, SplittableRandom random, UnitHint hint)
      throws SQLException {
    connection.setAutoCommit(false);
    return TpccTerminal.roaming(connection, warehouses, new TpccRandom(random, items), hint);
  }

  @Override
  public List<String> violations(Connection connection) throws SQLException {
    return tpcc.violations(connection);
  }
}
