package io.gauss.compute.ddl;

import io.gauss.compute.catalog.Catalog;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.engine.EngineContext;
import io.gauss.compute.store.Store;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trees that no committed table has: a crash came between making them and the commit, or between
 * the commit and the drop.
 */
public final class ForgottenTrees {
  private static final Logger LOG = LoggerFactory.getLogger(ForgottenTrees.class);

  private ForgottenTrees() {}

  /**
   * Drops them, unless there are other nodes: what is in no catalog may be what a transaction there
   * is making. They are dropped when a node starts alone.
   *
   * @param spaces that existed before anything else is asked here
   * @param isAlone whether no other compute node serves; one that joins later makes others
   */
  public static void drop(
      EngineContext ctx,
      Store store,
      List<Integer> spaces,
      Catalog catalog,
      BooleanSupplier isAlone) {
    if (!isAlone.getAsBoolean()) {
      return;
    }
    Set<Integer> known = new HashSet<>();
    for (TableDef table : catalog.current().tables()) {
      known.add(table.space());
      table.indexes().forEach(index -> known.add(index.space()));
    }
    int dropped = 0;
    for (int space : spaces) {
      if (!known.contains(space)) {
        store.drop(ctx, space);
        dropped++;
      }
    }
    if (dropped > 0) {
      LOG.info("{} trees belonged to no table and were dropped", dropped);
    }
  }
}
