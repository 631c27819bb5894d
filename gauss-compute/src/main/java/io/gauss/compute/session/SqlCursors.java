package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.session.message.ResponseWriter;
import io.gauss.compute.session.message.RowEncoder;
import io.gauss.compute.session.prepared.PreparedStatement;
import io.gauss.compute.sql.exec.spill.KeptRows;
import io.gauss.compute.sql.parse.ParsedStatement;
import io.gauss.compute.sql.parse.PgLocking;
import io.gauss.compute.sql.parse.PgStatement;
import io.gauss.compute.sql.parse.PgStatement.DeclareCursor;
import io.gauss.compute.sql.parse.PgStatement.Fetch;
import io.gauss.compute.sql.plan.ResultColumn;
import io.gauss.compute.type.PgType;
import io.gauss.compute.wait.WouldBlockException;
import java.util.List;

/**
 * DECLARE, FETCH, MOVE and CLOSE. A cursor is a portal with a {@link SqlCursor}: it shares the name
 * space of the protocol's portals, and FETCH also reads from those. Never on an event loop. Belongs
 * to the session.
 */
final class SqlCursors {
  private static final int[] NO_OIDS = new int[0];

  /** Rows that are read from a kept result at once. */
  private static final int PORTION = 256;

  private final SessionState state;
  private final Session session;
  private final ResponseWriter out;

  SqlCursors(SessionState state, Session session, ResponseWriter out) {
    this.state = state;
    this.session = session;
    this.out = out;
  }

  private void goWhereWaitingIsAllowed() {
    if (!state.context().waits().mayBlock()) {
      throw WouldBlockException.INSTANCE;
    }
  }

  // ---------------------------------------------------------------- DECLARE

  /** The query in a DECLARE; its plan is cached under the text of the whole statement. */
  static ParsedStatement query(DeclareCursor declare, ParsedStatement around) {
    return new ParsedStatement(declare.query(), around.text(), 0, around.parameters());
  }

  /**
   * @param around the portal of the DECLARE itself, whose parameters are those of the query
   */
  void declare(DeclareCursor declare, Portal around) {
    goWhereWaitingIsAllowed();
    check(declare);
    StatementRunner runner = session.runner();
    ParsedStatement parsed = around.statement.parsed;
    int[] oids = parsed.parameters() == 0 ? NO_OIDS : around.statement.parameterOids();
    PreparedStatement statement = runner.prepare(query(declare, parsed), oids);
    if (statement.parameterTypes().length > around.statement.parameterTypes().length) {
      throw new GaussException(SqlState.UNDEFINED_PARAMETER, "there is no parameter $1");
    }
    String text = parsed.text();
    Portal portal = session.portals().fresh(declare.name(), state.control().level());
    portal.formats = new short[statement.columns().size()];
    portal.takeParameters(around);
    portal.ensureParameters(statement.plan().parameterSlots());
    runner.bind(portal, statement);
    boolean scroll = declare.scroll() != null && declare.scroll();
    portal.cursor = new SqlCursor(scroll, declare.hold(), text, state.eval().statementTimestamp);
    boolean isDeclared = false;
    try {
      runner.openCursor(portal);
      session.portals().add(portal);
      isDeclared = true;
    } finally {
      if (!isDeclared) {
        session.portals().discard(portal); // its snapshot, above all, which holds purge back
      }
    }
    out.commandComplete("DECLARE CURSOR");
  }

  private void check(DeclareCursor declare) {
    TransactionControl control = state.control();
    if (!declare.hold() && !control.isInBlock()) {
      throw new GaussException(
          SqlState.NO_ACTIVE_SQL_TRANSACTION,
          "DECLARE CURSOR can only be used in transaction blocks");
    }
    if (declare.name().isEmpty()) {
      throw new GaussException(
          SqlState.INVALID_CURSOR_NAME, "invalid cursor name: must not be empty");
    }
    if (declare.binary()) {
      throw GaussException.notSupported("a BINARY cursor");
    }
    if (!(declare.query() instanceof PgStatement.Query query)) {
      throw new GaussException(
          SqlState.SYNTAX_ERROR, "DECLARE CURSOR can only be used with a query");
    }
    if (PgLocking.isOf(query.node())) {
      throw GaussException.notSupported("DECLARE CURSOR ... FOR UPDATE");
    }
  }

  // ---------------------------------------------------------------- FETCH and MOVE

  /** Columns of a FETCH's result; empty when there is no such cursor. */
  List<ResultColumn> columns(Fetch fetch) {
    Portal portal = session.portals().named(fetch.cursor());
    return portal == null || portal.plan == null || fetch.move()
        ? List.of()
        : portal.plan.columns();
  }

  /**
   * @param around the portal of the FETCH itself
   */
  void fetch(Fetch fetch, Portal around) {
    goWhereWaitingIsAllowed();
    Portal portal = find(fetch.cursor());
    if (portal.plan == null || portal.plan.isWrite() || !portal.plan.returnsRows()) {
      throw GaussException.notSupported("FETCH from a portal that is no query");
    }
    if (!fetch.move() && around.statement.columns().size() != portal.plan.columns().size()) {
      throw new GaussException(
          SqlState.FEATURE_NOT_SUPPORTED, "cached plan must not change result type");
    }
    if (portal.cursor == null) {
      // A portal of the protocol, from which rows may already have been read.
      portal.cursor =
          new SqlCursor(false, false, portal.statement.text(), state.eval().statementTimestamp);
    }
    if (portal.cursor.failed) {
      throw new GaussException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "portal \"%s\" cannot be run".formatted(portal.name));
    }
    Movement movement = new Movement(portal, fetch.move() ? null : around.encoder);
    long rows;
    try {
      rows = movement.run(fetch.direction(), fetch.count());
    } catch (GaussException e) {
      // As in PostgreSQL it stays unusable, even when only a savepoint is rolled back.
      portal.cursor.failed = true;
      throw e;
    }
    if (state.control().isActive()) {
      out.requireVisible(state.transaction().mustBeVisible());
    }
    out.commandComplete((fetch.move() ? "MOVE " : "FETCH ") + rows);
  }

  private Portal find(String name) {
    Portal portal = session.portals().named(name);
    if (portal == null) {
      throw new GaussException(
          SqlState.INVALID_CURSOR_NAME, "cursor \"%s\" does not exist".formatted(name));
    }
    return portal;
  }

  /** One FETCH or MOVE. */
  private final class Movement {
    private final Portal portal;
    private final SqlCursor cursor;

    /** Null for MOVE. */
    private final RowEncoder encoder;

    Movement(Portal portal, RowEncoder encoder) {
      this.portal = portal;
      this.cursor = portal.cursor;
      this.encoder = encoder;
    }

    /** Returns how many rows it has skipped, or would have returned. */
    long run(String direction, long count) {
      if (cursor.scroll && cursor.rows == null) {
        keep(portal);
      }
      return switch (direction) {
        case "NEXT" -> forward(1);
        case "PRIOR" -> backward(1);
        case "FIRST" -> to(1);
        case "LAST" -> last(1);
        case "ABSOLUTE" -> count < 0 ? last(-count) : to(count);
        case "RELATIVE" -> to(cursor.position + count);
        case "BACKWARD" -> count < 0 ? forward(-count) : count == 0 ? again() : backward(count);
        default -> count < 0 ? backward(-count) : count == 0 ? again() : forward(count);
      };
    }

    private GaussException forwardOnly() {
      return new GaussException(
              SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE, "cursor can only scan forward")
          .hint("Declare it with SCROLL option to enable backward scan.");
    }

    private long forward(long count) {
      return cursor.rows == null ? stream(count, encoder) : forwardKept(count);
    }

    /** Computes rows. */
    private long stream(long count, RowEncoder to) {
      if (portal.done) {
        return 0;
      }
      long rows =
          session
              .runner()
              .fetch(
                  portal,
                  count,
                  (batch, from, end) -> {
                    if (to != null) {
                      out.dataRows(batch, from, end, to);
                      out.flushIfLarge(true);
                    }
                  });
      cursor.position += rows;
      if (portal.done && rows < count) {
        cursor.position++;
      }
      return rows;
    }

    private long forwardKept(long count) {
      long end = cursor.base + cursor.rows.size();
      long first = Math.min(cursor.position, end);
      long rows = Math.min(count, end - first);
      send(first, rows);
      cursor.position = rows < count ? end + 1 : first + rows;
      return rows;
    }

    private long backward(long count) {
      if (!cursor.scroll) {
        throw forwardOnly();
      }
      long before = cursor.position - 1; // rows before the current one
      long rows = Math.clamp(before, 0, count);
      for (long row = before; row > before - rows; row--) {
        send(row - 1, 1);
      }
      cursor.position = rows < count ? 0 : before - rows + 1;
      return rows;
    }

    /** Returns the cursor's current row again. */
    private long again() {
      return to(cursor.position);
    }

    /** Moves to a row counted from the end, 1 = the last. */
    private long last(long fromEnd) {
      if (!cursor.scroll) {
        throw forwardOnly();
      }
      return to(cursor.rows.size() + 1 - fromEnd);
    }

    /** Moves to a row and returns it. */
    private long to(long row) {
      if (!cursor.scroll) {
        return ahead(row);
      }
      long size = cursor.rows.size();
      cursor.position = Math.clamp(row, 0, size + 1);
      if (row < 1 || row > size) {
        return 0;
      }
      send(row - 1, 1);
      return 1;
    }

    private long ahead(long row) {
      if (row <= 0 && cursor.position == 0) {
        return 0;
      }
      if (row <= cursor.position) {
        throw forwardOnly();
      }
      long between = row - cursor.position - 1;
      if (between > 0) {
        long passed =
            cursor.rows == null
                ? stream(between, null)
                : new Movement(portal, null).forward(between);
        if (passed < between) {
          return 0;
        }
      }
      return forward(1);
    }

    /**
     * @param first rows of the result before the first to send
     */
    private void send(long first, long count) {
      if (encoder == null) {
        return;
      }
      long sent = 0;
      while (sent < count) {
        int part = (int) Math.min(PORTION, count - sent);
        RowBatch batch = cursor.rows.read(first - cursor.base + sent, part);
        out.dataRows(batch, 0, batch.size, encoder);
        out.flushIfLarge(true);
        sent += part;
      }
    }
  }

  // ---------------------------------------------------------------- kept results

  /** Computes the rest of a cursor's result and keeps it. */
  private void keep(Portal portal) {
    SqlCursor cursor = portal.cursor;
    PgType[] types = portal.plan.columns().stream().map(ResultColumn::type).toArray(PgType[]::new);
    KeptRows rows = new KeptRows(types, state.exec());
    cursor.rows = rows;
    cursor.base = cursor.position;
    if (!portal.done) {
      session.runner().fetch(portal, Long.MAX_VALUE, rows::add);
    } else {
      cursor.base = Math.max(0, cursor.position - 1);
    }
  }

  /** Whether a commit has to compute results first, which may wait. */
  boolean hasToHold() {
    return session.portals().cursors().stream().anyMatch(this::isToHold);
  }

  private boolean isToHold(Portal portal) {
    return portal.cursor.hold && !portal.cursor.held;
  }

  /**
   * The transaction is about to commit: keeps the results of its cursors WITH HOLD, which live on.
   */
  void hold() {
    for (Portal portal : session.portals().cursors()) {
      if (isToHold(portal)) {
        goWhereWaitingIsAllowed();
        if (portal.cursor.rows == null) {
          keep(portal);
        }
        portal.cursor.held = true;
      }
    }
  }

  // ---------------------------------------------------------------- CLOSE

  /**
   * @param name null = all
   * @param around the portal of the CLOSE itself
   */
  void close(String name, Portal around) {
    goWhereWaitingIsAllowed();
    if (name == null) {
      session.portals().closeNamed(around);
      out.commandComplete("CLOSE CURSOR ALL");
      return;
    }
    find(name);
    session.portals().close(name);
    out.commandComplete("CLOSE CURSOR");
  }
}
