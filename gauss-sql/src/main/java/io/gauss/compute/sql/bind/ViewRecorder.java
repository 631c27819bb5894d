package io.gauss.compute.sql.bind;

import io.gauss.compute.catalog.CatalogObject;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.ViewDef;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Records how the names in a new view's query are resolved. One binding, one thread. */
final class ViewRecorder {
  private final Map<Integer, ViewDef.Reference> references = new TreeMap<>();
  private final Set<ViewDef.Use> uses = new LinkedHashSet<>();

  void relation(int position, CatalogObject relation, boolean aliased) {
    switch (relation) {
      case TableDef table ->
          references.put(
              position,
              new ViewDef.Reference(
                  position,
                  table.oid(),
                  table.schema(),
                  table.name(),
                  aliased,
                  table.columns().stream().mapToInt(TableDef.ColumnDef::number).toArray(),
                  table.columns().stream().map(TableDef.ColumnDef::name).toList()));
      case ViewDef view -> {
        int[] numbers = new int[view.columns().size()];
        for (int i = 0; i < numbers.length; i++) {
          numbers[i] = i + 1;
        }
        references.put(
            position,
            new ViewDef.Reference(
                position,
                view.oid(),
                view.schema(),
                view.name(),
                aliased,
                numbers,
                view.columns().stream().map(ViewDef.Column::name).toList()));
      }
      default -> throw new IllegalStateException("no relation of a FROM clause: " + relation);
    }
  }

  void use(Relation.Column column) {
    if (column.tableOid() != 0) {
      uses.add(new ViewDef.Use(column.tableOid(), column.attribute()));
    }
  }

  List<ViewDef.Reference> references() {
    return new ArrayList<>(references.values());
  }

  List<ViewDef.Use> uses() {
    return new ArrayList<>(uses);
  }
}
