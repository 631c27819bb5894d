package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.session.message.ResponseWriter;
import io.gauss.compute.session.message.RowEncoder;
import io.gauss.compute.session.prepared.PreparedStatement;
import io.gauss.compute.session.prepared.RecentStatements;
import io.gauss.compute.sql.exec.ResultSink;
import io.gauss.compute.sql.parse.ParsedStatement;
import io.gauss.compute.sql.parse.PgParser;
import io.gauss.compute.sql.parse.PgStatement;
import io.gauss.compute.sql.plan.PreparedPlan;
import io.gauss.compute.sql.plan.PreparedPlan.TableUse;
import io.gauss.compute.sql.plan.ResultColumn;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.type.PgType;
import io.gauss.compute.wait.WouldBlockException;
import java.util.List;

/**
 * Prepares, binds and runs single statements within the session's transaction. Belongs to the
 * session.
 *
 * <p>A planned statement runs in these steps: transaction open - table locks - statement snapshot -
 * operators - end of statement, whose answer waits for the commits it has seen to be durable.
 */
final class StatementRunner {
  private static final int[] NO_OIDS = new int[0];
  private static final PgType[] NO_TYPES = new PgType[0];

  private final SessionServices services;
  private final SessionState state;
  private final UtilityStatements utilities;
  private final ResponseWriter out;
  private final Transaction transaction;
  private final EngineContext context;
  private final RecentStatements recent;
  private final CopyTransfer copies;
  private final Portal simplePortal = new Portal("");

  /** The portal whose statement has begun in the transaction and has not ended. */
  private Portal running;

  StatementRunner(
      SessionServices services,
      SessionState state,
      UtilityStatements utilities,
      RecentStatements recent,
      ResponseWriter out) {
    this.recent = recent;
    this.services = services;
    this.state = state;
    this.utilities = utilities;
    this.out = out;
    this.copies = new CopyTransfer(state, out);
    this.transaction = state.transaction();
    this.context = state.context();
  }

  // ---------------------------------------------------------------- prepare and bind

  /** In a failed block only its end is allowed. */
  void checkAllowedNow(PgStatement tree) {
    if (!endsBlock(tree)) {
      state.control().checkNotFailed();
    }
  }

  private static boolean endsBlock(PgStatement tree) {
    return tree instanceof PgStatement.Commit
        || tree instanceof PgStatement.Rollback
        || tree instanceof PgStatement.RollbackTo
        || tree instanceof PgStatement.Empty;
  }

  PreparedStatement prepare(ParsedStatement statement, int[] parameterOids) {
    checkAllowedNow(statement.statement());
    if (statement.parameters() > 0
        && statement.statement() instanceof PgStatement.DeclareCursor declare
        && declare.query() instanceof PgStatement.Query) {
      ParsedStatement query = SqlCursors.query(declare, statement);
      return PreparedStatement.declaring(statement, prepare(query, parameterOids));
    }
    return isPlanned(statement.statement())
        ? recent.of(statement, parameterOids, plan(statement, parameterOids))
        : new PreparedStatement(
            statement, parameterOids, null, utilities.columns(statement.statement()));
  }

  private static boolean isPlanned(PgStatement tree) {
    return tree instanceof PgStatement.Query
        || tree instanceof PgStatement.Insert
        || tree instanceof PgStatement.Update
        || tree instanceof PgStatement.Delete
        || tree instanceof PgStatement.Copy
        || tree instanceof PgStatement.Explain;
  }

  private PreparedPlan plan(ParsedStatement statement, int[] parameterOids) {
    SessionCatalog catalog = state.catalog();
    catalog.freshen();
    PreparedPlan cached =
        services
            .plans()
            .get(
                statement.text(),
                parameterOids,
                state.searchPath(),
                catalog.view(),
                state.roles().planRole());
    if (cached != null) {
      return cached;
    }
    if (!context.waits().mayBlock()) {
      // Planning takes milliseconds of CPU, and other connections of the event loop should not wait
      // for it.
      throw WouldBlockException.INSTANCE;
    }
    catalog.freshenSurely();
    return services
        .plans()
        .prepare(
            statement.text(),
            statement.statement(),
            parameterOids,
            state.searchPath(),
            catalog.view(),
            state.roles().planRole(),
            context.waits()::yieldCarrier);
  }

  /** Plans again when the schema has changed since, or where names are looked up. */
  void refresh(PreparedStatement statement) {
    PreparedPlan plan = statement.plan();
    if (statement.tree() instanceof PgStatement.Fetch fetch) {
      statement.utilityColumns(utilities.columns(fetch));
    }
    if (plan == null) {
      return;
    }
    state.catalog().freshen();
    if (plan.catalogVersion() == state.catalog().view().version()
        && plan.role() == state.roles().planRole()
        && plan.searchPath().equals(state.searchPath())) {
      return;
    }
    PreparedPlan fresh = plan(statement.parsed, statement.parameterOids());
    if (!haveSameTypes(fresh.columns(), plan.columns())) {
      throw resultTypeChanged();
    }
    statement.replan(fresh);
  }

  static GaussException resultTypeChanged() {
    return new GaussException(
        SqlState.FEATURE_NOT_SUPPORTED, "cached plan must not change result type");
  }

  /** The columns may be those of another table. */
  private static boolean haveSameTypes(List<ResultColumn> some, List<ResultColumn> others) {
    boolean same = some.size() == others.size();
    for (int i = 0; i < some.size() && same; i++) {
      same =
          some.get(i).name().equals(others.get(i).name())
              && some.get(i).type().isAlike(others.get(i).type());
    }
    return same;
  }

  void bind(Portal portal, PreparedStatement statement) {
    portal.statement = statement;
    portal.plan = statement.plan();
    portal.encoder = new RowEncoder(statement.columns(), portal.formats, state.eval());
  }

  // ---------------------------------------------------------------- run

  /** Runs one statement of a simple query. */
  void runSimple(ParsedStatement parsed) {
    checkAllowedNow(parsed.statement());
    if (parsed.parameters() > 0 && !(parsed.statement() instanceof PgStatement.Prepare)) {
      throw PgParser.noParameter(parsed);
    }
    PreparedStatement statement = prepare(parsed, NO_OIDS);
    simplePortal.close();
    simplePortal.isShared = false;
    simplePortal.formats = new short[statement.columns().size()];
    simplePortal.ensureParameters(statement.plan() == null ? 0 : statement.plan().parameterSlots());
    bind(simplePortal, statement);
    if (statement.returnsRows()) {
      out.rowDescription(statement.columns(), simplePortal.formats);
    }
    execute(simplePortal, 0);
  }

  /**
   * Runs a simple query whose constants are parameters.
   *
   * @return false when the constants do not fit the parameters; nothing was done then
   */
  boolean runShared(PreparedStatement statement, SharedQueries constants) {
    checkAllowedNow(statement.tree());
    refresh(statement);
    simplePortal.close();
    simplePortal.isShared = true;
    if (!constants.bind(simplePortal)) {
      return false;
    }
    simplePortal.formats = new short[statement.columns().size()];
    bind(simplePortal, statement);
    if (statement.returnsRows()) {
      out.rowDescription(statement.columns(), simplePortal.formats);
    }
    execute(simplePortal, 0);
    return true;
  }

  /** The simple query has ended. */
  void forgetSimple() {
    simplePortal.statement = null;
    simplePortal.plan = null;
    simplePortal.encoder = null;
  }

  void execute(Portal portal, int maxRows) {
    checkAllowedNow(portal.statement.tree());
    if (!(portal.statement.tree() instanceof PgStatement.Begin)) {
      state.control().used();
    }
    if (portal.cursor != null) {
      throw GaussException.notSupported("the Execute message on a cursor of DECLARE or FETCH");
    }
    if (portal.done) {
      finishAgain(portal);
      return;
    }
    if (portal.plan == null) {
      boolean isBegin = portal.statement.tree() instanceof PgStatement.Begin;
      if (!isBegin && !endsBlock(portal.statement.tree())) {
        state.catalog().freshen();
      }
      utilities.run(portal.statement.tree(), portal);
      portal.done = true;
      return;
    }
    long started = Environment.nanoTime();
    if (portal.plan.copy() != null) {
      runCopy(portal);
      services.metrics().ran("COPY", Environment.nanoTime() - started);
      return;
    }
    runPlan(portal, Math.max(0, maxRows));
    services.metrics().ran(portal.plan.kind(), Environment.nanoTime() - started);
  }

  /** A portal that has run to its end returns no more rows; one that may not run twice fails. */
  private void finishAgain(Portal portal) {
    if (portal.plan == null || !portal.statement.returnsRows()) {
      throw new GaussException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "portal \"%s\" cannot be run".formatted(portal.name));
    }
    out.commandComplete(portal.plan.commandTag(0));
  }

  private void runPlan(Portal portal, int maxRows) {
    // A portal that is run in portions cannot be repeated from its start, so it never begins where
    // it may not wait. pgjdbc requests one row of statements that return none.
    boolean inPortions = portal.isRunning() || (maxRows > 0 && portal.statement.returnsRows());
    boolean isShort = portal.plan.mayRunOnEventLoop() && portal.bound <= Session.SHORT_BYTES;
    if (!context.waits().mayBlock() && (inPortions || !isShort)) {
      throw WouldBlockException.INSTANCE;
    }
    if (!portal.isRunning()) {
      open(portal, inPortions);
    }
    running = portal;
    state.exec().snapshot = portal.snapshot;
    state.eval().parameters = portal.parameters;
    portal.sent = 0;
    boolean more =
        portal.execution.fetch(
            maxRows,
            (batch, from, to) -> {
              out.dataRows(batch, from, to, portal.encoder);
              portal.sent += to - from;
              if (!out.flushIfLarge(context.waits().mayBlock())) {
                throw WouldBlockException.INSTANCE;
              }
            });
    running = null;
    state.exec().snapshot = null;
    out.requireVisible(transaction.mustBeVisible());
    if (more) {
      out.portalSuspended();
      return;
    }
    long rows = portal.execution.rowsAffected();
    portal.close();
    portal.done = true;
    transaction.endStatement();
    if (portal.plan.isWrite()) {
      state.catalog().countModifications(portal.plan, rows);
    }
    // As in PostgreSQL the tag of the last portion counts that portion's rows only.
    out.commandComplete(
        portal.plan.commandTag(portal.statement.returnsRows() ? portal.sent : rows));
  }

  /** COPY waits for the client in the middle of the statement, so it never begins on a loop. */
  private void runCopy(Portal portal) {
    if (!context.waits().mayBlock()) {
      throw WouldBlockException.INSTANCE;
    }
    open(portal, false);
    running = portal;
    long rows = copies.run(portal);
    running = null;
    out.requireVisible(transaction.mustBeVisible());
    portal.close();
    portal.done = true;
    transaction.endStatement();
    if (portal.plan.isWrite()) {
      state.catalog().countModifications(portal.plan, rows);
    }
    out.commandComplete(portal.plan.commandTag(rows));
  }

  private void open(Portal portal, boolean inPortions) {
    state.control().ensureOpen();
    checkAllowed(portal.plan);
    if (portal.plan.isWrite()) {
      services.log().checkWritable();
    }
    lockTables(portal);
    // A statement without tables, as pools and drivers send them, is of no use to routing.
    if (state.sampler().wantsStatement() && !portal.plan.tables().isEmpty()) {
      sample(portal);
    }
    state.eval().parameters = portal.parameters;
    boolean first = !transaction.hasSnapshot();
    transaction.startStatement();
    while (state.catalog().isStale()) {
      // The change was reported during the wait for the snapshot.
      transaction.endStatement();
      lockTables(portal);
      state.eval().parameters = portal.parameters;
      transaction.startStatement();
    }
    running = portal;
    if (first) {
      state.catalog().snapshotTaken();
    } else {
      state.catalog().checkSnapshot(portal.plan);
    }
    if (inPortions && !portal.plan.isWrite()) {
      portal.keepSnapshot(transaction);
    }
    state.exec().snapshot = portal.snapshot;
    state.exec().pending.startStatement();
    portal.execution = portal.statement.takeExecution();
    portal.execution.open(state.exec());
  }

  /**
   * The transaction is sampled, and this is its first statement. The constants of a simple query
   * are parameters only here, so the text that the client sent is kept.
   */
  private void sample(Portal portal) {
    int[] tables = portal.plan.tables().stream().mapToInt(TableUse::tableOid).toArray();
    if (portal.isShared) {
      state.sampler().statement(state.messageText(), NO_TYPES, portal.parameters, tables);
    } else {
      state
          .sampler()
          .statement(
              portal.statement.text(),
              portal.statement.parameterTypes(),
              portal.parameters,
              tables);
    }
  }

  /** Opens a portal for {@link #fetch}: it always reads with the snapshot of this moment. */
  void openCursor(Portal portal) {
    open(portal, true);
    running = null;
    state.exec().snapshot = null;
    transaction.endStatement();
  }

  /**
   * Continues an open query without sending anything to the client; the portal is done when the
   * query has ended. Only where waiting is allowed.
   *
   * @return the number of rows
   * @throws GaussException 55000 when the portal has failed
   */
  long fetch(Portal portal, long count, ResultSink sink) {
    if (!portal.isRunning()) {
      throw new GaussException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "portal \"%s\" cannot be run".formatted(portal.name));
    }
    running = portal;
    state.exec().snapshot = portal.snapshot;
    state.eval().parameters = portal.parameters;
    long[] rows = new long[1];
    boolean more = true;
    while (more && rows[0] < count) {
      more =
          portal.execution.fetch(
              (int) Math.min(count - rows[0], Integer.MAX_VALUE),
              (batch, from, to) -> {
                rows[0] += to - from;
                sink.rows(batch, from, to);
              });
    }
    running = null;
    state.exec().snapshot = null;
    if (!more) {
      portal.close();
      portal.done = true;
    }
    return rows[0];
  }

  /** Locks the plan's tables, and plans again while the schema changes in the meantime. */
  private void lockTables(Portal portal) {
    while (!state.catalog().lockTables(portal.plan)) {
      refresh(portal.statement);
      portal.plan = portal.statement.plan();
      checkAllowed(portal.plan);
      portal.ensureParameters(portal.plan.parameterSlots());
    }
  }

  private void checkAllowed(PreparedPlan plan) {
    if (plan.refusedReadOnly() != null) {
      state.control().requireReadWrite(plan.refusedReadOnly());
    }
    plan.checkAllowed();
  }

  boolean isStatementOpen() {
    return running != null;
  }

  /** After an error: closes the running statement. The caller undoes the transaction's work. */
  void abortStatement() {
    Portal aborted = running;
    running = null;
    state.exec().snapshot = null;
    if (aborted != null) {
      aborted.close();
      if (transaction.isActive()) {
        transaction.endStatement();
      }
    }
  }

  /**
   * Undoes the statement that could not continue without waiting, so that it can run again from its
   * start.
   */
  void undoForRetry() {
    Portal again = running;
    running = null;
    state.exec().snapshot = null;
    if (again != null) {
      again.close();
      state.exec().pending.undoStatement();
      transaction.rollbackStatement();
      transaction.endStatement();
    }
  }
}
