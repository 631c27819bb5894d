package io.gauss.compute.sql.plan;

import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.sql.exec.node.CopyFromNode;
import io.gauss.compute.sql.exec.node.DeleteNode;
import io.gauss.compute.sql.exec.node.FullScanNode;
import io.gauss.compute.sql.exec.node.IndexLookupNode;
import io.gauss.compute.sql.exec.node.InsertNode;
import io.gauss.compute.sql.exec.node.LockRowsNode;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.exec.node.PointDeleteNode;
import io.gauss.compute.sql.exec.node.PointReadNode;
import io.gauss.compute.sql.exec.node.PointUpdateNode;
import io.gauss.compute.sql.exec.node.RangeScanNode;
import io.gauss.compute.sql.exec.node.SpoolNode;
import io.gauss.compute.sql.exec.node.UpdateNode;
import io.gauss.compute.txn.TableLockMode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/**
 * Finds the tables that a plan touches, including those reached through foreign keys, and the locks
 * that they need.
 */
final class PlanTables {
  private final CatalogView catalog;
  private final TreeMap<Integer, TableLockMode> modes = new TreeMap<>();

  private PlanTables(CatalogView catalog) {
    this.catalog = catalog;
  }

  static List<PreparedPlan.TableUse> of(PlanNode root, CatalogView catalog) {
    PlanTables tables = new PlanTables(catalog);
    nodes(root).forEach(tables::visit);
    List<PreparedPlan.TableUse> uses = new ArrayList<>();
    tables.modes.forEach((oid, mode) -> uses.add(new PreparedPlan.TableUse(oid, mode)));
    return uses;
  }

  /**
   * The table that a statement writes to; 0 when it writes to none. Parts in WITH come after the
   * statement itself.
   */
  static int target(PlanNode root) {
    for (PlanNode node : nodes(root)) {
      int own = ownTarget(node);
      if (own != 0) {
        return own;
      }
    }
    return 0;
  }

  /**
   * All nodes of a plan, parents first. Shared ones are there once, however often they are read.
   */
  static List<PlanNode> nodes(PlanNode root) {
    List<PlanNode> found = new ArrayList<>();
    collect(root, Collections.newSetFromMap(new IdentityHashMap<>()), found);
    return found;
  }

  private static void collect(PlanNode node, Set<PlanNode> shared, List<PlanNode> found) {
    if (node instanceof SpoolNode && !shared.add(node)) {
      return;
    }
    found.add(node);
    for (PlanNode child : node.children()) {
      collect(child, shared, found);
    }
  }

  private static int ownTarget(PlanNode node) {
    return switch (node) {
      case InsertNode n -> n.table().oid();
      case CopyFromNode n -> n.table().oid();
      case UpdateNode n -> n.table().oid();
      case DeleteNode n -> n.table().oid();
      case PointUpdateNode n -> n.table().oid();
      case PointDeleteNode n -> n.table().oid();
      default -> 0;
    };
  }

  private void visit(PlanNode node) {
    switch (node) {
      case PointReadNode n -> read(n.table());
      case IndexLookupNode n -> read(n.table());
      case RangeScanNode n -> read(n.table());
      case FullScanNode n -> read(n.table());
      case InsertNode n -> write(n.table());
      case CopyFromNode n -> write(n.table());
      case UpdateNode n -> write(n.table());
      case DeleteNode n -> write(n.table());
      case PointUpdateNode n -> write(n.table());
      case PointDeleteNode n -> write(n.table());
      case LockRowsNode n -> {
        for (LockRowsNode.Mark mark : n.marks()) {
          put(mark.table().oid(), TableLockMode.ROW_EXCLUSIVE);
        }
      }
      default -> {}
    }
  }

  private void read(TableDef table) {
    put(table.oid(), TableLockMode.ACCESS_SHARE);
  }

  private void write(TableDef table) {
    if (modes.get(table.oid()) == TableLockMode.ROW_EXCLUSIVE) {
      return;
    }
    put(table.oid(), TableLockMode.ROW_EXCLUSIVE);
    for (TableDef.ForeignKeyDef key : table.foreignKeys()) {
      put(key.referencedTableOid(), TableLockMode.ROW_EXCLUSIVE);
    }
    for (TableDef.ForeignKeyDef key : table.referencedBy()) {
      TableDef child = catalog.table(key.tableOid());
      if (child != null) {
        // Cascades may continue from there.
        write(child);
      }
    }
  }

  private void put(int oid, TableLockMode mode) {
    modes.merge(oid, mode, (a, b) -> a.compareTo(b) >= 0 ? a : b);
  }
}
