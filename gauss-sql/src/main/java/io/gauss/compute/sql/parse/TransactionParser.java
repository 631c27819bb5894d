package io.gauss.compute.sql.parse;

import io.gauss.common.error.GaussException;
import io.gauss.compute.sql.parse.PgStatement.Isolation;
import io.gauss.compute.sql.parse.PgStatement.TransactionModes;

/** Begin and end of transactions, and their modes. */
final class TransactionParser {
  private final TokenCursor cursor;

  TransactionParser(TokenCursor cursor) {
    this.cursor = cursor;
  }

  /**
   * @param required at least one mode must be given
   */
  TransactionModes modes(boolean required) {
    Isolation isolation = null;
    Boolean readOnly = null;
    Boolean deferrable = null;
    boolean first = true;
    while (true) {
      if (!first) {
        cursor.accept(',');
      } else if (cursor.atEnd() && !required) {
        break;
      }
      if (cursor.accept("isolation")) {
        cursor.expect("level");
        isolation = isolation();
      } else if (cursor.accept("read", "only")) {
        readOnly = true;
      } else if (cursor.accept("read", "write")) {
        readOnly = false;
      } else if (cursor.accept("deferrable")) {
        deferrable = true;
      } else if (cursor.accept("not", "deferrable")) {
        deferrable = false;
      } else if (first || !cursor.atEnd()) {
        throw cursor.syntaxError();
      } else {
        break;
      }
      first = false;
      if (cursor.atEnd()) {
        break;
      }
    }
    return new TransactionModes(isolation, readOnly, deferrable);
  }

  private Isolation isolation() {
    if (cursor.accept("serializable")) {
      return Isolation.SERIALIZABLE;
    }
    if (cursor.accept("repeatable")) {
      cursor.expect("read");
      return Isolation.REPEATABLE_READ;
    }
    cursor.expect("read");
    if (cursor.accept("committed")) {
      return Isolation.READ_COMMITTED;
    }
    cursor.expect("uncommitted");
    return Isolation.READ_UNCOMMITTED;
  }

  PgStatement commit() {
    if (cursor.isWord("prepared")) {
      throw GaussException.notSupported("COMMIT PREPARED");
    }
    workOrTransaction();
    return new PgStatement.Commit(chain());
  }

  PgStatement rollback(boolean mayGoTo) {
    if (mayGoTo && cursor.isWord("prepared")) {
      throw GaussException.notSupported("ROLLBACK PREPARED");
    }
    workOrTransaction();
    if (mayGoTo && cursor.accept("to")) {
      cursor.accept("savepoint");
      return new PgStatement.RollbackTo(cursor.name());
    }
    return new PgStatement.Rollback(chain());
  }

  private void workOrTransaction() {
    if (!cursor.accept("work")) {
      cursor.accept("transaction");
    }
  }

  private boolean chain() {
    if (!cursor.accept("and")) {
      return false;
    }
    boolean no = cursor.accept("no");
    cursor.expect("chain");
    return !no;
  }
}
