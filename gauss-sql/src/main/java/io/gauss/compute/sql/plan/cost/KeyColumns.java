package io.gauss.compute.sql.plan.cost;

import io.gauss.compute.catalog.KeyExpression;
import io.gauss.compute.catalog.TableDef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;

/**
 * What keys of a table's indexes consist of, by number: the table's columns have their positions,
 * and expressions of indexes the numbers above all fields of a scan. Equal expressions of several
 * indexes have one number. Immutable, for one planning.
 */
public final class KeyColumns {
  private final TableDef table;

  /** The number of the first expression: a scan's last field is the row's key. */
  private final int base;

  private final List<RexNode> nodes = new ArrayList<>(0);
  private final List<KeyExpression> expressions = new ArrayList<>(0);
  private final Map<Integer, int[]> keys = new HashMap<>(0);

  /**
   * @param bind makes an expression one over the scan's fields, in the form that expressions of
   *     queries have
   */
  public KeyColumns(TableDef table, Function<KeyExpression, RexNode> bind) {
    this.table = table;
    this.base = table.columns().size() + 1;
    for (TableDef.IndexDef index : table.indexes()) {
      if (index.expressions().isEmpty()) {
        continue;
      }
      int[] key = index.columns().clone();
      for (int i = 0; i < key.length; i++) {
        KeyExpression expression = index.expression(i);
        if (expression != null) {
          key[i] = add(bind.apply(expression), expression);
        }
      }
      keys.put(index.oid(), key);
    }
  }

  private int add(RexNode node, KeyExpression expression) {
    int at = nodes.indexOf(node);
    if (at < 0) {
      at = nodes.size();
      nodes.add(node);
      expressions.add(expression);
    }
    return base + at;
  }

  /** Number of what an expression over the scan's fields is; -1 when it is no column and no key. */
  public int of(RexNode node) {
    if (node instanceof RexInputRef ref) {
      return ref.getIndex();
    }
    int at = nodes.isEmpty() ? -1 : nodes.indexOf(node);
    return at < 0 ? -1 : base + at;
  }

  /** A number above all others. */
  public int end() {
    return base + nodes.size();
  }

  /** The key of an index; null = the primary key. */
  int[] key(TableDef.IndexDef index) {
    return index == null ? table.primaryKey() : keys.getOrDefault(index.oid(), index.columns());
  }

  /** The expression with a number; null for a column. */
  KeyExpression expression(int number) {
    return number < base ? null : expressions.get(number - base);
  }
}
