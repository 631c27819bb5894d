package io.gauss.compute.sql.system;

import io.gauss.common.page.UndoSpaces;
import io.gauss.compute.buffer.PageTransfers;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.space.SystemSpaces;
import io.gauss.compute.sql.state.SystemState;
import java.util.HashMap;
import java.util.Map;

/**
 * The object to which the pages of a space belong.
 *
 * @param schema null when it is not a relation
 * @param name likewise
 * @param kind table, index, undo, ...
 */
record SpaceOwner(String schema, String name, String kind) {

  /** The owners for all tables and indexes, by number of the space. */
  static Map<Integer, SpaceOwner> all(SystemState state) {
    Map<Integer, SpaceOwner> owners = new HashMap<>();
    for (TableDef table : state.catalog().tables()) {
      owners.put(table.space(), new SpaceOwner(table.schema(), table.name(), "table"));
      for (TableDef.IndexDef index : table.indexes()) {
        owners.put(index.space(), new SpaceOwner(table.schema(), index.name(), "index"));
      }
    }
    return owners;
  }

  /**
   * The owner of a space that may not belong to a relation.
   *
   * @param owners result of {@link #all}
   */
  static SpaceOwner of(Map<Integer, SpaceOwner> owners, int space) {
    SpaceOwner known = owners.get(space);
    return known != null ? known : new SpaceOwner(null, null, systemKind(space));
  }

  private static String systemKind(int space) {
    if (space == PageTransfers.OTHER_SPACES) {
      return "other";
    }
    if (space == SystemSpaces.SYSTEM) {
      return "system";
    }
    if (UndoSpaces.contains(space)) {
      return "undo";
    }
    return space >= SystemSpaces.FIRST_USER ? "dropped" : "catalog";
  }
}
