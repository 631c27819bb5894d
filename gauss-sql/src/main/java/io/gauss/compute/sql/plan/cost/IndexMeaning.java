package io.gauss.compute.sql.plan.cost;

import io.gauss.compute.catalog.TableDef;
import java.util.List;
import org.apache.calcite.rex.RexNode;

/** The expressions of indexes in the form that expressions of queries have. One planning. */
public interface IndexMeaning {
  /**
   * Parts of a partial index's condition over the table's columns, all of which are true of rows in
   * the index.
   */
  List<RexNode> predicate(TableDef table, TableDef.IndexDef index);

  /** What the keys of a table's indexes consist of. */
  KeyColumns keys(TableDef table);
}
