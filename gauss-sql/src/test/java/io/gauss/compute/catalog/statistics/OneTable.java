package io.gauss.compute.catalog.statistics;

import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.TableDef;
import java.util.Collection;
import java.util.List;

/** A catalog of one table. */
final class OneTable implements CatalogView {
  private TableDef table;

  OneTable(TableDef table) {
    this.table = table;
  }

  void drop() {
    table = null;
  }

  @Override
  public long version() {
    return 1;
  }

  @Override
  public TableDef table(List<String> searchPath, String schema, String name) {
    return table != null && table.name().equals(name) ? table : null;
  }

  @Override
  public TableDef table(int oid) {
    return table != null && table.oid() == oid ? table : null;
  }

  @Override
  public SequenceDef sequence(List<String> searchPath, String schema, String name) {
    return null;
  }

  @Override
  public SequenceDef sequence(int oid) {
    return null;
  }

  @Override
  public Collection<TableDef> tables() {
    return table == null ? List.of() : List.of(table);
  }

  @Override
  public Collection<SequenceDef> sequences() {
    return List.of();
  }

  @Override
  public boolean schemaExists(String schema) {
    return true;
  }
}
