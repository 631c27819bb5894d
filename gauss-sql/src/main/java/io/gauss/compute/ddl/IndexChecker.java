package io.gauss.compute.ddl;

import io.gauss.compute.catalog.CatalogSnapshot;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.engine.Checker;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.sql.exec.table.IndexComparison;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.Transactions;

/** Checks the entries of all secondary indexes against the rows of their tables. */
public final class IndexChecker implements Checker {
  private final DdlServices services;
  private final TableHandles handles;
  private final Transactions transactions;

  public IndexChecker(DdlServices services, TableHandles handles, Transactions transactions) {
    this.services = services;
    this.handles = handles;
    this.transactions = transactions;
  }

  @Override
  public String name() {
    return "indexes";
  }

  @Override
  public void check(EngineContext ctx) {
    Transaction reader = transactions.session(ctx);
    try {
      reader.begin(IsolationLevel.READ_COMMITTED);
      CatalogSnapshot catalog = services.catalog().current();
      for (TableDef table : catalog.tables()) {
        if (services.store().isDropped(table.space())) {
          continue;
        }
        reader.startStatement();
        IndexComparison.check(reader, handles.of(table, catalog));
        reader.endStatement();
      }
    } finally {
      reader.close();
    }
  }
}
