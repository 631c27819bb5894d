package io.gauss.compute.ddl;

import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.sql.exec.table.TableHandle;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Handles of committed table definitions, created at first use and shared by all sessions.
 * Thread-safe.
 */
public final class TableHandles {
  private final DdlServices services;
  private final ConcurrentHashMap<Integer, TableHandle> handles = new ConcurrentHashMap<>();

  public TableHandles(DdlServices services) {
    this.services = services;
  }

  /** The handle of exactly this definition. */
  TableHandle of(TableDef table, CatalogView view) {
    TableHandle handle = handles.get(table.oid());
    if (handle != null && handle.def() == table) {
      return handle;
    }
    handle = services.handle(table, view);
    handles.put(table.oid(), handle);
    return handle;
  }

  void forget(int oid) {
    handles.remove(oid);
  }
}
