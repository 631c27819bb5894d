package io.gauss.compute.sql.exec.dml;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.ForeignKeyDef;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.deferred.PendingChecks;
import io.gauss.compute.sql.exec.deferred.PendingChecks.Source;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.type.PgType;
import java.util.List;

/** Checks the keys whose check was put off. The transaction has locked their tables. May wait. */
public final class DeferredChecks implements PendingChecks.Checker {
  private final ExecContext ctx;
  private final ForeignKeys foreignKeys;
  private final DeferrableKeys keys;

  public DeferredChecks(ExecContext ctx) {
    this.ctx = ctx;
    this.foreignKeys = new ForeignKeys(ctx);
    this.keys = new DeferrableKeys(ctx);
  }

  /**
   * @throws io.gauss.common.error.GaussException 23503, 23505 when the constraint is violated;
   *     40P01, 55P03 (lock_timeout), 57014 when another transaction had to be waited for
   */
  @Override
  public void check(Source source, RowBatch key, PgType[] types) {
    ctx.checkInterrupt();
    ctx.eval.resetScratch();
    TableHandle table = ctx.tables.open(source.writtenOid());
    TableDef written = table.def();
    switch (source.kind()) {
      case CHILD -> {
        ForeignKeyDef foreignKey = find(written.foreignKeys(), source);
        if (foreignKey != null) {
          foreignKeys.checkPutOffChild(foreignKey, key, types);
        }
      }
      case PARENT -> {
        ForeignKeyDef foreignKey = find(written.referencedBy(), source);
        if (foreignKey != null) {
          foreignKeys.checkPutOffParent(foreignKey, key, types);
        }
      }
      case UNIQUE -> {
        for (int i = 0; i < written.indexes().size(); i++) {
          if (written.indexes().get(i).oid() == source.constraintOid()) {
            keys.check(table, i, key);
          }
        }
      }
    }
  }

  /** Null when the constraint has been dropped since. */
  private static ForeignKeyDef find(List<ForeignKeyDef> keys, Source source) {
    for (ForeignKeyDef key : keys) {
      if (key.oid() == source.constraintOid()) {
        return key;
      }
    }
    return null;
  }
}
