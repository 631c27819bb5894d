package io.gauss.compute.ddl;

import io.gauss.compute.auth.ScramVerifier;
import io.gauss.compute.catalog.RoleDef;
import io.gauss.compute.catalog.RoleIdentity;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transactions;
import java.util.List;
import java.util.function.Supplier;

/**
 * Sets a password for the first role if it has none, so that a new cluster can be reached from
 * other machines without an earlier connection. A password that was set in any way stays.
 */
public final class FirstPassword {
  private FirstPassword() {}

  /**
   * Sets the password in a transaction of its own unless there is one. May wait. If several nodes
   * do this at once, one of them sets it.
   *
   * @param password called only if there is none
   * @return whether it was set
   */
  public static boolean setIfMissing(
      DdlServices services,
      TableHandles handles,
      Transactions transactions,
      EngineContext ctx,
      Supplier<String> password) {
    services.catalog().freshen(ctx);
    if (services.catalog().current().role(RoleDef.BOOTSTRAP.oid()).verifier() != null) {
      return false;
    }
    String verifier = ScramVerifier.toStore(password.get());
    Transaction txn = transactions.session(ctx);
    DdlSession session =
        new DdlSession(services, handles, txn, () -> RoleIdentity.SYSTEM, () -> null);
    txn.begin(Transaction.IsolationLevel.READ_COMMITTED);
    try {
      txn.startStatement();
      session.lockRoles(TableLockMode.ACCESS_EXCLUSIVE);
      DdlContext ddl = new DdlContext(session, new ExecContext(), List.of(), notice -> {});
      RoleDef role = ddl.view().role(RoleDef.BOOTSTRAP.oid());
      boolean isMissing = role.verifier() == null;
      if (isMissing) {
        session.put(role.withVerifier(verifier));
      }
      txn.endStatement();
      session.commit(() -> {});
      return isMissing;
    } finally {
      if (txn.isActive()) {
        txn.rollback();
        session.rolledBack();
      }
      txn.close();
    }
  }
}
