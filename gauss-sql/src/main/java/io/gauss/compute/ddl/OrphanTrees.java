package io.gauss.compute.ddl;

import io.gauss.compute.catalog.Catalog;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.store.Store;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trees that no committed table refers to: a crash came between their creation and the commit, or
 * between the commit and the drop.
 *
 * <p>A tree that is in no catalog may also belong to a running transaction on some node. So each
 * node checks only trees that it created itself, among which it knows those of its transactions.
 * When it recovers a dead node, it also checks the trees of that node, whose transactions no longer
 * create any. A single node checks all trees.
 */
public final class OrphanTrees {
  private static final Logger LOG = LoggerFactory.getLogger(OrphanTrees.class);

  /** Trees of any creator. */
  public static final IntPredicate ALL = maker -> true;

  private OrphanTrees() {}

  /**
   * Drops orphan trees. May wait.
   *
   * @param existing trees, {@link Store#settledTrees}, listed before the catalog is read
   * @param makers the nodes whose trees are checked, by slot
   * @return how many there were
   */
  public static int drop(
      EngineContext ctx, Store store, List<Integer> trees, Catalog catalog, IntPredicate makers) {
    // Includes commits of which a dead node has not notified other nodes.
    catalog.sharing().load(ctx);
    Set<Integer> known = new HashSet<>();
    for (TableDef table : catalog.current().tables()) {
      known.add(table.space());
      table.indexes().forEach(index -> known.add(index.space()));
    }
    int dropped = 0;
    for (int space : trees) {
      boolean isForgotten =
          !known.contains(space) && (makers == ALL || makers.test(store.maker(ctx, space)));
      if (isForgotten) {
        store.drop(ctx, space);
        dropped++;
      }
    }
    if (dropped > 0) {
      LOG.info("{} trees belonged to no table and were dropped", dropped);
    }
    return dropped;
  }
}
