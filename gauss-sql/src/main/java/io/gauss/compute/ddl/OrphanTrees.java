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
 * Trees that no committed table has: a crash came between making them and the commit, or between
 * the commit and the drop.
 *
 * <p>What is in no catalog may also be what a transaction somewhere is making. So each node looks
 * at trees of its own making alone, among which it knows those of its transactions; and at those of
 * a dead node when it recovers that, where nothing is being made any more. Who is alone looks at
 * all.
 */
public final class OrphanTrees {
  private static final Logger LOG = LoggerFactory.getLogger(OrphanTrees.class);

  /** Whoever made it. */
  public static final IntPredicate ALL = maker -> true;

  private OrphanTrees() {}

  /**
   * Drops them. May wait.
   *
   * @param trees that are there, {@link Store#settledTrees}, found before the catalog is looked at
   * @param makers whose trees are looked at, by slot
   * @return how many there were
   */
  public static int drop(
      EngineContext ctx, Store store, List<Integer> trees, Catalog catalog, IntPredicate makers) {
    // Also what a dead node has committed and told nobody about.
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
