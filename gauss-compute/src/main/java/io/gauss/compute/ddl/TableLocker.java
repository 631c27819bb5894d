package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.compute.sql.parse.PgStatement;
import io.gauss.compute.txn.TableLockMode;

/** LOCK TABLE, in the modes that Gauss has: others would lock more, or less, than was asked for. */
final class TableLocker {
  private final DdlContext ddl;

  TableLocker(DdlContext ddl) {
    this.ddl = ddl;
  }

  void lock(PgStatement.LockTable lock) {
    if (lock.nowait()) {
      throw GaussException.notSupported("LOCK TABLE ... NOWAIT");
    }
    TableLockMode mode = mode(lock.mode());
    for (PgStatement.Name name : lock.tables()) {
      ddl.table(name, mode);
    }
  }

  private static TableLockMode mode(String written) {
    return switch (written) {
      // ROW SHARE differs from ACCESS SHARE towards EXCLUSIVE only, which is not there.
      case "ACCESS SHARE", "ROW SHARE" -> TableLockMode.ACCESS_SHARE;
      case "ROW EXCLUSIVE" -> TableLockMode.ROW_EXCLUSIVE;
      case "SHARE" -> TableLockMode.SHARE;
      case "ACCESS EXCLUSIVE" -> TableLockMode.ACCESS_EXCLUSIVE;
      default -> throw GaussException.notSupported("LOCK TABLE in " + written + " mode");
    };
  }
}
