package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.sql.parse.PgStatement;
import io.gauss.compute.txn.TableLockMode;
import java.util.List;

/**
 * LOCK TABLE, in the modes that Gauss has; substitutes for other modes would lock more, or less,
 * than requested.
 */
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
      ddl.table(name, mode, privilege(name, lock.mode()));
    }
  }

  /**
   * ACCESS SHARE needs the privilege to read; other modes need one to change rows, and that to
   * insert is enough for none but ROW EXCLUSIVE. This is about the modes that are written, whatever
   * stands for them.
   */
  private Privilege privilege(PgStatement.Name name, String mode) {
    if (mode.equals("ACCESS SHARE")) {
      return Privilege.SELECT;
    }
    TableDef table = ddl.view().table(ddl.searchPath(), name.schema(), name.name());
    int bits =
        table == null
            ? 0
            : ddl.session.access().tablePrivileges(ddl.session.identity().current(), table);
    List<Privilege> others =
        mode.equals("ROW EXCLUSIVE")
            ? List.of(Privilege.DELETE, Privilege.TRUNCATE, Privilege.INSERT)
            : List.of(Privilege.DELETE, Privilege.TRUNCATE);
    for (Privilege enough : others) {
      if ((bits & enough.bit()) != 0) {
        return enough;
      }
    }
    return Privilege.UPDATE;
  }

  private static TableLockMode mode(String written) {
    return switch (written) {
      // ROW SHARE differs from ACCESS SHARE only in its conflict with EXCLUSIVE, which Gauss does
      // not have.
      case "ACCESS SHARE", "ROW SHARE" -> TableLockMode.ACCESS_SHARE;
      case "ROW EXCLUSIVE" -> TableLockMode.ROW_EXCLUSIVE;
      case "SHARE" -> TableLockMode.SHARE;
      case "ACCESS EXCLUSIVE" -> TableLockMode.ACCESS_EXCLUSIVE;
      default -> throw GaussException.notSupported("LOCK TABLE in " + written + " mode");
    };
  }
}
