package io.gauss.compute.ddl;

import io.gauss.compute.catalog.RoleIdentity;
import io.gauss.compute.catalog.SchemaDef;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.parse.PgStatement.DropBehavior;
import io.gauss.compute.sql.parse.PgStatement.DropSchema;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transactions;
import java.util.List;

/**
 * Schemas that hold a session's temporary relations. Each session that creates one has a schema of
 * its own, which comes first in its search path and is dropped with the session. Schemas left by a
 * crash are dropped at the node's next start, or earlier by the node that recovers it. Otherwise
 * their contents are stored like anything else.
 */
public final class TemporarySchemas {
  /** The alias of a session's own schema in names and in search paths. */
  public static final String ALIAS = "pg_temp";

  private TemporarySchemas() {}

  /** See {@link SchemaDef#temporary}. */
  public static String name(int slot, int session) {
    return SchemaDef.temporary(slot, session);
  }

  public static boolean isTemporary(String schema) {
    return SchemaDef.isTemporary(schema);
  }

  /**
   * Drops the schemas that sessions of a node have left when it did not shut down cleanly.
   *
   * @param slot of that node, which has no sessions now
   */
  public static void dropAll(
      DdlServices services,
      TableHandles handles,
      Transactions transactions,
      EngineContext ctx,
      int slot) {
    services.catalog().freshen(ctx);
    List<String> left =
        services.catalog().current().schemas().stream()
            .map(SchemaDef::name)
            .filter(TemporarySchemas::isTemporary)
            .filter(schema -> SchemaDef.temporarySlot(schema) == slot)
            .toList();
    if (left.isEmpty()) {
      return;
    }
    Transaction txn = transactions.session(ctx);
    try {
      for (String schema : left) {
        drop(services, handles, txn, schema);
      }
    } finally {
      txn.close();
    }
  }

  /**
   * Drops a schema with its contents, in a transaction of its own. May wait.
   *
   * @param txn not active
   */
  public static void drop(
      DdlServices services, TableHandles handles, Transaction txn, String schema) {
    DdlSession session =
        new DdlSession(services, handles, txn, () -> RoleIdentity.SYSTEM, () -> schema);
    txn.begin(Transaction.IsolationLevel.READ_COMMITTED);
    try {
      txn.startStatement();
      DdlContext ddl = new DdlContext(session, new ExecContext(), List.of(), notice -> {});
      new SchemaDefiner(ddl).drop(new DropSchema(List.of(schema), true, DropBehavior.CASCADE));
      txn.endStatement();
      session.commit(() -> {});
    } finally {
      if (txn.isActive()) {
        txn.rollback();
        session.rolledBack();
      }
    }
  }
}
