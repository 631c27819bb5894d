package io.gauss.compute.ddl;

import io.gauss.compute.catalog.Catalog;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.store.Store;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
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
   * <p>A catalog in memory is good enough to see that a tree belongs to a table, but not that it
   * belongs to none: the table's commit may not be known to it. So the catalog is read anew before
   * anything is dropped, which most of the time is not needed.
   *
   * @param trees {@link Store#settledTrees}, listed before the committed catalog is read
   * @param known the catalog in memory
   * @param committed reads what is committed, under a snapshot that begins when it is called, and
   *     that sees all that these makers have committed
   * @param makers the nodes whose trees are checked, by slot
   * @return how many there were
   */
  public static int drop(
      EngineContext ctx,
      Store store,
      List<Integer> trees,
      Catalog known,
      Supplier<Catalog> committed,
      IntPredicate makers) {
    List<Integer> unknown = without(trees, known);
    unknown.removeIf(space -> makers != ALL && !makers.test(store.maker(ctx, space)));
    if (unknown.isEmpty()) {
      return 0;
    }
    List<Integer> orphans = without(unknown, committed.get());
    orphans.forEach(space -> store.drop(ctx, space));
    if (!orphans.isEmpty()) {
      LOG.info("{} trees belonged to no table and were dropped", orphans.size());
    }
    return orphans.size();
  }

  private static List<Integer> without(List<Integer> trees, Catalog catalog) {
    Set<Integer> spaces = new HashSet<>();
    for (TableDef table : catalog.current().tables()) {
      spaces.add(table.space());
      table.indexes().forEach(index -> spaces.add(index.space()));
    }
    List<Integer> rest = new ArrayList<>(trees);
    rest.removeAll(spaces);
    return rest;
  }
}
