package io.gauss.compute.session;

import io.gauss.compute.sql.parse.PgStatement;

/**
 * What a statement may leave in its session for later transactions, besides what all nodes see.
 * Statements are listed without a default, so that a new kind is not compiled before somebody has
 * said what it leaves; functions and the fields of the session are listed in a test.
 */
enum LeftBehind {
  /** Nothing, or nothing that outlives the transaction, which does not move once it has begun. */
  NOTHING,

  /** State that {@link StateTransfer} copies. */
  COPIED,

  /** State that keeps the session on its node as long as {@link SessionMoves#isPinned} finds it. */
  FOUND,

  /** State that is neither copied nor found: the session stays on its node for good. */
  STAYS;

  static LeftBehind by(PgStatement statement) {
    return switch (statement) {
      case PgStatement.Query s -> NOTHING;
      case PgStatement.Insert s -> NOTHING;
      case PgStatement.Update s -> NOTHING;
      case PgStatement.Delete s -> NOTHING;
      case PgStatement.Empty s -> NOTHING;
      case PgStatement.Explain s -> NOTHING;
      case PgStatement.Copy s -> NOTHING;
      case PgStatement.Begin s -> COPIED;
      case PgStatement.Commit s -> COPIED; // AND CHAIN
      case PgStatement.Rollback s -> COPIED;
      case PgStatement.Savepoint s -> NOTHING;
      case PgStatement.Release s -> NOTHING;
      case PgStatement.RollbackTo s -> NOTHING;
      case PgStatement.SetTransaction s -> NOTHING;
      case PgStatement.SetConstraints s -> NOTHING;
      case PgStatement.SetSessionCharacteristics s -> COPIED;
      case PgStatement.Set s -> COPIED;
      case PgStatement.Reset s -> COPIED;
      case PgStatement.Show s -> NOTHING;
      case PgStatement.Discard s -> COPIED;
      case PgStatement.Prepare s -> COPIED;
      case PgStatement.Execute s -> NOTHING; // only queries and changes of rows are prepared
      case PgStatement.Deallocate s -> COPIED;
      case PgStatement.DeclareCursor s -> FOUND;
      case PgStatement.Fetch s -> FOUND;
      case PgStatement.CloseCursor s -> FOUND;
      case PgStatement.CreateTable s -> FOUND; // TEMPORARY
      case PgStatement.CreateTableAs s -> FOUND;
      case PgStatement.DropTable s -> FOUND;
      case PgStatement.Truncate s -> NOTHING;
      case PgStatement.AlterTable s -> FOUND;
      case PgStatement.CreateIndex s -> NOTHING;
      case PgStatement.DropIndex s -> NOTHING;
      case PgStatement.AlterIndex s -> NOTHING;
      case PgStatement.CreateSequence s -> FOUND;
      case PgStatement.AlterSequence s -> NOTHING;
      case PgStatement.DropSequence s -> FOUND;
      case PgStatement.CreateSchema s -> NOTHING;
      case PgStatement.AlterSchema s -> NOTHING;
      case PgStatement.DropSchema s -> NOTHING;
      case PgStatement.CreateView s -> FOUND;
      case PgStatement.AlterView s -> NOTHING;
      case PgStatement.DropView s -> FOUND;
      case PgStatement.Analyze s -> NOTHING;
      case PgStatement.Vacuum s -> NOTHING;
      case PgStatement.LockTable s -> NOTHING;
      case PgStatement.Comment s -> NOTHING;
      case PgStatement.Notification s -> FOUND; // LISTEN
      case PgStatement.Access s -> NOTHING;
      case PgStatement.Type s -> NOTHING;
      case PgStatement.Checkpoint s -> NOTHING;
      case PgStatement.Unsupported s -> STAYS; // whatever it is
    };
  }
}
