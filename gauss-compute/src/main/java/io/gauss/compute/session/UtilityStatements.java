package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.ddl.CommandTags;
import io.gauss.compute.row.ColumnVector;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.session.message.ResponseWriter;
import io.gauss.compute.session.setting.SearchPath;
import io.gauss.compute.session.setting.SessionSettings;
import io.gauss.compute.session.setting.SettingDefinition;
import io.gauss.compute.session.setting.SettingDefinitions;
import io.gauss.compute.session.setting.TransactionMode;
import io.gauss.compute.sql.parse.PgStatement;
import io.gauss.compute.sql.parse.PgStatement.Isolation;
import io.gauss.compute.sql.parse.PgStatement.TransactionModes;
import io.gauss.compute.sql.plan.ResultColumn;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.ValueKind;
import io.gauss.compute.wait.WouldBlockException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Runs the statements that have no plan: transaction control, settings, prepared statements, and
 * DDL through the catalog.
 */
final class UtilityStatements {
  private final SessionServices services;
  private final SessionState state;
  private final Session session;
  private final ResponseWriter out;
  private final SqlPrepared prepared;
  private final SqlCursors cursors;

  UtilityStatements(
      SessionServices services, SessionState state, Session session, ResponseWriter out) {
    this.services = services;
    this.state = state;
    this.session = session;
    this.out = out;
    this.prepared = new SqlPrepared(services, state, session, out);
    this.cursors = new SqlCursors(state, session, out);
  }

  SqlCursors cursors() {
    return cursors;
  }

  /** Result columns of a utility statement; empty for most. */
  List<ResultColumn> columns(PgStatement tree) {
    if (tree instanceof PgStatement.Show show) {
      if (show.name() == null) {
        return List.of(text("name"), text("setting"), text("description"));
      }
      return List.of(text(SessionSettings.canonicalName(show.name())));
    }
    if (tree instanceof PgStatement.Fetch fetch) {
      return cursors.columns(fetch);
    }
    if (tree instanceof PgStatement.Execute execute) {
      return session.statement(execute.name()).columns();
    }
    return List.of();
  }

  private static ResultColumn text(String name) {
    return new ResultColumn(name, PgType.TEXT, 0, 0);
  }

  SqlPrepared prepared() {
    return prepared;
  }

  void run(PgStatement tree, Portal portal) {
    // First, so that what fails half-way counts as well.
    session.moves().note(LeftBehind.by(tree));
    TransactionControl control = state.control();
    switch (tree) {
      case PgStatement.Empty e -> out.emptyQuery();
      case PgStatement.Begin begin -> begin(begin);
      case PgStatement.Commit commit -> commit(commit.chain());
      case PgStatement.Rollback rollback -> rollback(rollback.chain());
      case PgStatement.Savepoint savepoint -> {
        control.savepoint(savepoint.name());
        out.commandComplete("SAVEPOINT");
      }
      case PgStatement.Release release -> {
        control.release(release.name());
        session.portals().released(control.level());
        out.commandComplete("RELEASE");
      }
      case PgStatement.RollbackTo rollbackTo -> {
        goWhereUndoMayWait();
        session.portals().closeAbove(control.levelOf(rollbackTo.name()));
        control.rollbackTo(rollbackTo.name());
        out.commandComplete("ROLLBACK");
      }
      case PgStatement.SetTransaction set -> {
        control.ensureOpenOfSeveral();
        if (!control.isInBlock()) {
          warn(
              SqlState.NO_ACTIVE_SQL_TRANSACTION,
              "SET TRANSACTION can only be used in transaction blocks");
        }
        if (control.state() != TransactionControl.State.IDLE) {
          modes(set.modes());
        }
        out.commandComplete("SET");
      }
      case PgStatement.SetConstraints set -> {
        if (!control.isInBlock()) {
          warn(
              SqlState.NO_ACTIVE_SQL_TRANSACTION,
              "SET CONSTRAINTS can only be used in transaction blocks");
        }
        control.ensureOpen();
        state.deferred().set(set);
        out.requireVisible(state.transaction().mustBeVisible());
        out.commandComplete("SET CONSTRAINTS");
      }
      case PgStatement.SetSessionCharacteristics set -> {
        control.ensureOpenOfSeveral();
        defaults(set.modes(), set.local());
        out.commandComplete("SET");
      }
      case PgStatement.Set set -> {
        set(set);
        out.commandComplete("SET");
      }
      case PgStatement.Reset reset -> {
        control.ensureOpenOfSeveral();
        if (reset.name() == null) {
          state.settings().resetAll();
        } else {
          reset(reset.name(), false);
        }
        settled();
        out.commandComplete("RESET");
      }
      case PgStatement.Show show -> show(show, portal);
      case PgStatement.Discard discard -> discard(discard.what().toUpperCase(Locale.ROOT));
      case PgStatement.Deallocate deallocate -> {
        if (deallocate.name() == null) {
          session.closeAllStatements();
          out.commandComplete("DEALLOCATE ALL");
        } else {
          session.statement(deallocate.name());
          session.closeStatement(deallocate.name());
          out.commandComplete("DEALLOCATE");
        }
      }
      case PgStatement.Prepare p -> prepared.prepare(p, portal.statement.text());
      case PgStatement.Execute e -> prepared.execute(e, portal);
      case PgStatement.DeclareCursor c -> cursors.declare(c, portal);
      case PgStatement.Fetch f -> cursors.fetch(f, portal);
      case PgStatement.CloseCursor c -> cursors.close(c.name(), portal);
      case PgStatement.LockTable lock -> {
        if (!control.isInBlock()) {
          throw new GaussException(
              SqlState.NO_ACTIVE_SQL_TRANSACTION,
              "LOCK TABLE can only be used in transaction blocks");
        }
        ddl(lock);
      }
      case PgStatement.CreateTableAs create -> {
        long started = Environment.nanoTime();
        String tag = new TableFromQuery(services, state, out).run(create);
        out.requireVisible(state.transaction().mustBeVisible());
        out.commandComplete(tag);
        services.metrics().ran("DDL", Environment.nanoTime() - started);
      }
      case PgStatement.Vacuum v -> vacuum(v);
      case PgStatement.Notification n -> notification(n);
      default -> ddl(tree);
    }
  }

  // ---------------------------------------------------------------- transactions

  private void begin(PgStatement.Begin begin) {
    if (!state.control().begin()) {
      warn(SqlState.ACTIVE_SQL_TRANSACTION, "there is already a transaction in progress");
    }
    modes(begin.modes());
    out.commandComplete(begin.start() ? "START TRANSACTION" : "BEGIN");
  }

  private void modes(TransactionModes modes) {
    if (modes == null) {
      return;
    }
    if (modes.isolation() != null) {
      state.settings().set("transaction_isolation", name(modes.isolation()), true);
    }
    if (modes.readOnly() != null) {
      state.settings().set("transaction_read_only", modes.readOnly() ? "on" : "off", true);
    }
  }

  private void defaults(TransactionModes modes, boolean local) {
    if (modes.isolation() != null) {
      setAndFollow("default_transaction_isolation", name(modes.isolation()), local);
    }
    if (modes.readOnly() != null) {
      setAndFollow("default_transaction_read_only", modes.readOnly() ? "on" : "off", local);
    }
    settled();
  }

  private static String name(Isolation isolation) {
    return isolation.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private void commit(boolean chain) {
    requireBlock(chain, "COMMIT");
    boolean commits = state.control().state() != TransactionControl.State.FAILED;
    Runnable next = chain ? successor(commits) : () -> {};
    switch (state.control().state()) {
      case BLOCK -> {
        goWhereCommitMayWait();
        checkDeferred();
        cursors.hold();
        session.portals().closeAll();
        prepareCommit();
        state.control().commit(out);
        next.run();
        out.commandComplete("COMMIT");
      }
      case FAILED -> {
        session.portals().closeAll();
        state.control().rollback();
        next.run();
        out.commandComplete("ROLLBACK");
      }
      case IMPLICIT, IDLE -> {
        warn(SqlState.NO_ACTIVE_SQL_TRANSACTION, "there is no transaction in progress");
        if (state.control().state() == TransactionControl.State.IMPLICIT) {
          goWhereCommitMayWait();
          checkDeferred();
          prepareCommit();
          state.control().commit(out);
        }
        out.commandComplete("COMMIT");
      }
    }
  }

  private void rollback(boolean chain) {
    requireBlock(chain, "ROLLBACK");
    goWhereUndoMayWait();
    Runnable next = chain ? successor(false) : () -> {};
    session.portals().closeAll();
    switch (state.control().state()) {
      case BLOCK, FAILED -> state.control().rollback();
      case IMPLICIT, IDLE -> {
        warn(SqlState.NO_ACTIVE_SQL_TRANSACTION, "there is no transaction in progress");
        if (state.control().state() == TransactionControl.State.IMPLICIT) {
          state.control().rollback();
        }
      }
    }
    next.run();
    out.commandComplete("ROLLBACK");
  }

  private void requireBlock(boolean chain, String command) {
    TransactionControl.State now = state.control().state();
    if (chain && now != TransactionControl.State.BLOCK && now != TransactionControl.State.FAILED) {
      throw new GaussException(
          SqlState.NO_ACTIVE_SQL_TRANSACTION,
          command + " AND CHAIN can only be used in transaction blocks");
    }
  }

  /** AND CHAIN: the BEGIN of a transaction with the same modes as the current one. */
  private Runnable successor(boolean commits) {
    Map<TransactionMode, String> modes = state.control().chained(commits);
    return () -> {
      state.control().begin();
      modes.forEach(state.settings()::setForTransaction);
    };
  }

  /**
   * Undoing reads pages, so it must not run on an event loop; this is checked before anything is
   * done.
   */
  private void goWhereUndoMayWait() {
    if (state.control().hasWritten() && !state.context().waits().mayBlock()) {
      throw WouldBlockException.INSTANCE;
    }
  }

  /**
   * A commit that empties or drops temporary tables, has constraints to check or notifications to
   * send, must not run on an event loop.
   */
  void goWhereCommitMayWait() {
    if (!state.context().waits().mayBlock()
        && (state.catalog().mayWaitAtCommit()
            || state.deferred().isPending()
            || state.notifications().isPending())) {
      throw WouldBlockException.INSTANCE;
    }
  }

  /**
   * Checks the deferred constraints, as the first step of a commit. When that fails, the
   * transaction is over: a block does not wait for its ROLLBACK.
   */
  void checkDeferred() {
    if (!state.deferred().isPending()) {
      return;
    }
    boolean areFulfilled = false;
    try {
      state.deferred().checkAll();
      areFulfilled = true;
    } finally {
      if (!areFulfilled) {
        session.portals().closeAll();
        state.control().rollback();
      }
    }
  }

  /**
   * The last steps before a commit, which may wait and may fail: empties and drops temporary
   * tables, then brings the transaction's notifications to those who listen, and begins to listen.
   * In this order, since others wait for the commit once they have its notifications. When that
   * fails, the transaction is over, as in {@link #checkDeferred}.
   */
  void prepareCommit() {
    boolean isDone = false;
    try {
      state.catalog().beforeCommit();
      if (state.notifications().isPending()) {
        state.notifications().beforeCommit();
      }
      isDone = true;
    } finally {
      if (!isDone) {
        state.control().rollback();
      }
    }
  }

  private void notification(PgStatement.Notification of) {
    SessionNotifications its = state.notifications();
    switch (of.command()) {
      case "LISTEN" -> {
        session.moves().requireHome("LISTEN");
        state.control().ensureOpen();
        its.listen(of.channel());
      }
      case "UNLISTEN" -> unlisten(of.channel().equals("*") ? null : of.channel());
      default -> {
        if (!state.context().waits().mayBlock()) {
          throw WouldBlockException.INSTANCE;
        }
        state.control().ensureOpen();
        its.tell(of.channel(), of.payload() == null ? "" : of.payload());
      }
    }
    out.commandComplete(of.command());
  }

  /** Pools send UNLISTEN * with each connection that is given back: mostly it is for nothing. */
  private void unlisten(String channel) {
    if (state.notifications().mayListen()) {
      state.control().ensureOpen();
      state.notifications().unlisten(channel);
    }
  }

  // ---------------------------------------------------------------- settings

  private void set(PgStatement.Set set) {
    state.control().ensureOpenOfSeveral();
    if (set.local() && !state.control().isInBlock()) {
      warn(SqlState.NO_ACTIVE_SQL_TRANSACTION, "SET LOCAL can only be used in transaction blocks");
    }
    if (set.values() == null) {
      reset(set.name(), set.local());
    } else {
      // As PostgreSQL: each value is one name, whatever is in it.
      String value =
          set.name().equals(SearchPath.SETTING)
              ? SearchPath.write(set.values())
              : String.join(", ", set.values());
      setAndFollow(set.name(), value, set.local());
    }
    settled();
  }

  private void reset(String name, boolean local) {
    if (!endsAtOnce(local)) {
      state.settings().reset(name, local);
      followSession(name, local);
    } else {
      state.settings().checkReset(name);
    }
  }

  /** Whether what is set for the transaction is over already: it is only checked. */
  private boolean endsAtOnce(boolean local) {
    return local && state.control().state() == TransactionControl.State.IDLE;
  }

  private void setAndFollow(String name, String value, boolean local) {
    if (!endsAtOnce(local)) {
      state.settings().set(name, value, local);
      followSession(name, local);
    } else {
      state.settings().check(name, value);
    }
  }

  /** A new session user begins without SET ROLE. */
  private void followSession(String name, boolean local) {
    if (name.equals(SettingDefinitions.SESSION_AUTHORIZATION)) {
      state.settings().set(SettingDefinitions.ROLE, SettingDefinitions.NO_ROLE, local);
    }
  }

  /** Outside a block a change is final at once. */
  private void settled() {
    if (state.control().state() == TransactionControl.State.IDLE) {
      state.settings().commit();
    }
  }

  private void show(PgStatement.Show show, Portal portal) {
    int rows = 0;
    if (show.name() != null) {
      RowBatch batch = textBatch(1);
      put(batch, 0, 0, shown(show.name()));
      rows = 1;
      out.dataRows(batch, 0, 1, portal.encoder);
    } else {
      List<SettingDefinition> all = SettingDefinitions.all();
      RowBatch batch = textBatch(3);
      for (SettingDefinition setting : all) {
        put(batch, rows, 0, setting.name());
        put(batch, rows, 1, shown(setting.name()));
        put(batch, rows, 2, setting.description());
        rows++;
      }
      out.dataRows(batch, 0, rows, portal.encoder);
    }
    out.commandComplete("SHOW");
  }

  /** Outside a transaction its modes are those with which the next one would begin. */
  private String shown(String name) {
    SettingDefinition setting = SettingDefinitions.find(name);
    TransactionMode mode = setting == null ? null : TransactionMode.of(setting);
    return mode != null && state.control().state() == TransactionControl.State.IDLE
        ? state.settings().getDefault(mode)
        : state.settings().show(name);
  }

  private static RowBatch textBatch(int columns) {
    ColumnVector[] vectors = new ColumnVector[columns];
    for (int i = 0; i < columns; i++) {
      vectors[i] = new ColumnVector(ValueKind.BYTES);
    }
    return new RowBatch(vectors);
  }

  private static void put(RowBatch batch, int row, int column, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    ColumnVector vector = batch.columns[column];
    int start = vector.reserveBytes(row, bytes.length);
    System.arraycopy(bytes, 0, vector.data, start, bytes.length);
    batch.size = Math.max(batch.size, row + 1);
  }

  private void discard(String what) {
    boolean temporary =
        (what.equals("ALL") || what.equals("TEMP")) && state.catalog().hasTemporary();
    if (temporary && !state.context().waits().mayBlock()) {
      throw WouldBlockException.INSTANCE;
    }
    if (what.equals("ALL")) {
      if (state.control().isInBlock()) {
        throw new GaussException(
            SqlState.ACTIVE_SQL_TRANSACTION, "DISCARD ALL cannot run inside a transaction block");
      }
      session.portals().closeEverything();
      session.closeAllStatements();
      reset(SettingDefinitions.SESSION_AUTHORIZATION, false);
      state.settings().resetAll();
      settled();
      state.transaction().unlockAllAdvisory();
      unlisten(null);
    }
    if (what.equals("ALL") || what.equals("SEQUENCES")) {
      state.catalog().discardSequences();
    }
    if (temporary) {
      discardTemporary();
    }
    out.commandComplete("DISCARD " + what);
  }

  private void discardTemporary() {
    List<String> schema = List.of(state.temporarySchema());
    state.control().ensureOpen();
    state.transaction().startStatement();
    try {
      state
          .catalog()
          .executeQuietly(
              new PgStatement.DropSchema(schema, true, PgStatement.DropBehavior.CASCADE));
    } finally {
      state.transaction().endStatement();
    }
  }

  // ---------------------------------------------------------------- DDL

  private void ddl(PgStatement tree) {
    // DDL waits for locks and pages: never on an event loop.
    if (!state.context().waits().mayBlock()) {
      throw WouldBlockException.INSTANCE;
    }
    state.control().ensureOpen();
    String refused = CommandTags.refusedReadOnly(tree);
    if (refused != null) {
      state.control().requireReadWrite(refused);
    }
    services.log().checkWritable();
    long started = Environment.nanoTime();
    state.transaction().startStatement();
    try {
      String tag = state.catalog().execute(tree, out);
      out.commandComplete(tag);
    } finally {
      state.transaction().endStatement();
    }
    services.metrics().ran("DDL", Environment.nanoTime() - started);
  }

  /**
   * Runs without a snapshot, since a snapshot would hold back purge, and therefore not inside a
   * transaction that may have one.
   */
  private void vacuum(PgStatement.Vacuum vacuum) {
    if (state.control().isInBlock() || state.control().isActive()) {
      throw new GaussException(
          SqlState.ACTIVE_SQL_TRANSACTION, "VACUUM cannot run inside a transaction block");
    }
    if (!state.context().waits().mayBlock()) {
      throw WouldBlockException.INSTANCE;
    }
    long started = Environment.nanoTime();
    state.control().ensureOpen();
    String tag = state.catalog().execute(vacuum, out);
    out.commandComplete(tag);
    services.metrics().ran("DDL", Environment.nanoTime() - started);
  }

  private void warn(SqlState code, String message) {
    out.notice("WARNING", new GaussException(code, message));
  }
}
