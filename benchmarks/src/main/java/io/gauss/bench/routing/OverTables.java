package io.gauss.bench.routing;

import io.gauss.bench.Workload;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.SplittableRandom;

/** Other transactions over the tables of another workload, which makes, loads and checks them. */
public abstract class OverTables implements RoutedWorkload {
  private final Workload tables;

  protected OverTables(Workload tables) {
    this.tables = tables;
  }

  @Override
  public List<String> kinds() {
    return tables.kinds();
  }

  @Override
  public final void createSchema(Connection connection) throws SQLException {
    tables.createSchema(connection);
  }

  @Override
  public final int loadParts() {
    return tables.loadParts();
  }

  @Override
  public final void loadPart(Connection connection, int part, SplittableRandom random)
      throws SQLException {
    tables.loadPart(connection, part, random);
  }

  @Override
  public final void finishLoad(Connection connection) throws SQLException {
    tables.finishLoad(connection);
  }

  @Override
  public final boolean isLoaded(Connection connection) throws SQLException {
    return tables.isLoaded(connection);
  }

  @Override
  public final List<String> violations(Connection connection) throws SQLException {
    return tables.violations(connection);
  }
}
