package io.gauss.compute.sql.algebra;

import io.gauss.compute.type.PgType;
import java.util.List;
import org.apache.calcite.rel.RelNode;

/**
 * A bound query.
 *
 * @param rel its algebra; has exactly one field per column
 * @param columns result columns
 */
public record BoundQuery(RelNode rel, List<Output> columns) {
  /**
   * @param tableOid table from which the column comes unchanged, 0 = none
   * @param attribute attnum there
   */
  public record Output(String name, PgType type, int tableOid, int attribute) {}
}
