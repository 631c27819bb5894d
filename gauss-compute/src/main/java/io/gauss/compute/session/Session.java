package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Xid;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.session.message.MessageReader;
import io.gauss.compute.session.message.ResponseWriter;
import io.gauss.compute.session.prepared.PreparedStatement;
import io.gauss.compute.session.prepared.PreparedStatements;
import io.gauss.compute.session.prepared.RecentStatements;
import io.gauss.compute.session.prepared.StatementDefinition;
import io.gauss.compute.sql.parse.ParsedStatement;
import io.gauss.compute.sql.parse.PgStatement;
import io.gauss.compute.sql.parse.TextWithoutValues;
import io.gauss.compute.wait.WouldBlockException;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One SQL session: prepared statements, portals, settings and the transaction block, driven message
 * by message.
 *
 * <p>Every call may throw {@link GaussException}, after which the driver calls {@link
 * #statementFailed}, and, while waiting is not allowed, {@link WouldBlockException}, after which
 * the driver calls {@link #undoForRetry} where waiting is allowed and then the same call again.
 * Used by one thread at a time; only {@link #interrupt} may come from others.
 */
public final class Session implements OldSnapshots.Holder, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Session.class);

  /** Text and parameters of this length may be read on an event loop; longer ones take too long. */
  static final int SHORT_BYTES = 64 << 10;

  /** Notifications that are written at a time take so much memory. */
  private static final long NOTIFICATION_BYTES = 128 << 10;

  private static final ParsedStatement EMPTY =
      new ParsedStatement(new PgStatement.Empty(), "", 0, 0);

  private final SessionServices services;
  private final ResponseWriter out;
  private final SessionState state;
  private final StatementRunner runner;
  private final UtilityStatements utilities;
  private final ParameterReader parameterReader;
  private final SharedQueries sharedQueries;
  private final PreparedStatements statements;
  private final Portals portals;
  private final SessionMoves moves;
  private final SessionActivity activity;

  /** The current simple query: its statements and the next one to run. */
  private List<ParsedStatement> query;

  private int queryPosition;
  private String queryText;

  private final CurrentMessage message = new CurrentMessage();

  /** The current query with its constants as parameters; null when it runs unchanged. */
  private PreparedStatement sharedQuery;

  /** Bytes that are counted for the client's messages. */
  private long inputWeight;

  private Future<?> idleTimeout;
  private volatile Connection connection;
  private volatile int secret;

  Session(SessionServices services, SessionState state, ResponseWriter out) {
    this.services = services;
    this.state = state;
    this.out = out;
    this.statements = new PreparedStatements(state.memory()::resize);
    this.portals = new Portals(state.memory());
    RecentStatements recent = new RecentStatements();
    this.utilities = new UtilityStatements(services, state, this, out);
    this.runner = new StatementRunner(services, state, utilities, recent, out);
    this.sharedQueries = new SharedQueries(services, state, recent);
    this.moves = new SessionMoves(this, state, statements, services.routing().reroutes());
    this.activity = new SessionActivity(services, state, this::isAnswerHeld);
    this.parameterReader = new ParameterReader(state.eval());
  }

  // ---------------------------------------------------------------- life

  /** The session's information about its connection; for any thread. */
  public interface Connection {
    /**
     * Ends the session. Must not wait.
     *
     * @param why what the client is told
     */
    void terminate(GaussException why);

    /** Whether a statement has ended and its answer waits until it may be sent. */
    boolean isAnswerHeld();

    /** Address and port of the client, or of the node that has made it for its own client. */
    String address();

    /**
     * Cancels the session's statement on another node.
     *
     * @return false when it runs nothing there
     */
    boolean cancelElsewhere();

    /** Notifications wait for the session; see {@link Session#hasNotifications}. Must not wait. */
    void notified();
  }

  /**
   * Gives the session a number, by which other sessions may cancel its statement and end it.
   *
   * @param of its connection
   */
  public void identify(Connection of) {
    connection = of;
    secret = services.cluster().keys().newSecret();
    state.client(of.address());
    state.processId(services.cluster().keys().register(this));
    state.onNotified(of::notified);
  }

  /** As {@link #identify}, for a session that serves the client of another node's session. */
  void identifyAs(Connection of, int number, String client) {
    connection = of;
    state.client(client);
    state.processId(number);
    state.report(out);
  }

  private boolean isAnswerHeld() {
    Connection its = connection;
    return its != null && its.isAnswerHeld();
  }

  /** The part for transactions on other nodes. */
  public SessionMoves moves() {
    return moves;
  }

  PreparedStatements statements() {
    return statements;
  }

  /** Unique in the cluster; 0 before {@link #identify}. */
  @Override
  public int processId() {
    return state.processId();
  }

  /** The secret with which a client may cancel the session's statement. */
  public int secret() {
    return secret;
  }

  /** The caller has authorized the request; any thread. */
  void cancel() {
    if (connection.cancelElsewhere()) {
      return;
    }
    interrupt(SqlState.QUERY_CANCELED, "canceling statement due to user request");
  }

  /** The caller has authorized the request; any thread. */
  void terminate() {
    terminate(
        new GaussException(
            SqlState.ADMIN_SHUTDOWN, "terminating connection due to administrator command"));
  }

  @Override
  public void terminate(GaussException why) {
    connection.terminate(why);
  }

  @Override
  public long oldestSnapshot() {
    return state.transaction().oldestSnapshot();
  }

  /** Sends the settings that clients keep track of. */
  public void reportParameters() {
    state.reportAll(out);
  }

  public char transactionStatus() {
    return state.control().status();
  }

  /** What other sessions see of it. */
  SessionActivity activity() {
    return activity;
  }

  /** Whether {@link #answered} must be called. */
  public boolean logsSlowStatements() {
    return state.slowStatements().isOn();
  }

  /**
   * The answers so far are sent to the client now.
   *
   * @param logNanos how long they waited for the log before
   */
  public void answered(long logNanos) {
    state.slowStatements().answered(state.shownAs(), logNanos);
  }

  public void mayBlock(boolean allowed) {
    state.context().waits().mayBlock(allowed);
  }

  /** Asks the running statement to stop. Any thread. */
  public void interrupt(SqlState code, String message) {
    state.context().interrupts().request(code, message);
  }

  /**
   * Nothing runs: an interrupt that came after the end of its statement must not hit the next one.
   */
  public void clearInterrupt() {
    state.context().interrupts().clear();
  }

  public void checkInterrupt() {
    state.context().interrupts().check();
  }

  /** Parks this thread until the condition holds; an interrupt ends the wait with its error. */
  public void parkUntil(BooleanSupplier condition) {
    EngineContext context = state.context();
    context.waits().beforeWait();
    context.interrupts().wakes(Thread.currentThread());
    try {
      while (!condition.getAsBoolean()) {
        context.interrupts().check();
        LockSupport.park(this);
      }
    } finally {
      context.interrupts().wakes(null);
    }
  }

  /**
   * LSN up to which commits must be visible before answers of the session leave, besides its own
   * commits: it depends on what they have written (rule 38). 0 = none.
   */
  public long dependency() {
    return state.context().dependency();
  }

  /** Waits until this may be sent to clients. */
  public void awaitVisible(long lsn) {
    services.log().awaitVisible(state.context(), lsn);
  }

  /** Waits until this is durable. */
  public void awaitDurable(long lsn) {
    services.log().awaitDurable(state.context(), lsn);
  }

  /**
   * The error that replaces answers that cannot be sent because the changes they report have not
   * become durable. If a commit is among them, it reports that the outcome is unknown.
   */
  public GaussException unanswered(GaussException cause) {
    long xid = state.transaction().openCommit();
    if (xid == Xid.NONE) {
      return cause;
    }
    return new GaussException(
            cause.state(),
            "the outcome of transaction %d is open: %s".formatted(xid, cause.getMessage()),
            cause)
        .detail(
            "It cannot be rolled back any more, and is committed once the log has it."
                + (cause.detail() == null ? "" : " " + cause.detail()))
        .hint("SELECT gauss_txn_status(%d) tells later what became of it.".formatted(xid));
  }

  /**
   * The client's messages take so much room now, complete or not.
   *
   * @throws GaussException 53200 when there is no memory for them
   */
  public void inputTakes(int bytes) {
    long weight = bytes > SHORT_BYTES ? bytes : 0;
    if (weight != inputWeight) {
      state.memory().resize(inputWeight, weight);
      inputWeight = weight;
    }
  }

  public boolean isIdleOutsideTransaction() {
    return state.control().state() == TransactionControl.State.IDLE;
  }

  /** Whether notifications wait that may be sent to the client now: between transactions only. */
  public boolean hasNotifications() {
    return state.notifications().hasSome() && isIdleOutsideTransaction();
  }

  /**
   * Writes notifications that wait for the session, or some of them, which may be sent at once.
   * Between transactions.
   */
  public void writeNotifications() {
    state.notifications().write(out, NOTIFICATION_BYTES);
  }

  /** Whether {@link #writeNotifications} may have something to write. */
  public boolean listens() {
    return state.notifications().mayListen();
  }

  /**
   * Whether its end would cut nothing off: it is outside a transaction, and has no advisory lock of
   * its own, under which it is about to do more.
   */
  public boolean isAtRest() {
    return isIdleOutsideTransaction() && !state.transaction().hasSessionLocks();
  }

  /**
   * Whether {@link #close} neither waits nor takes long: there is no transaction, no temporary
   * table and no advisory lock, of which there may be thousands.
   */
  public boolean closesAtOnce() {
    return isAtRest() && !state.catalog().hasTemporary();
  }

  /**
   * Rolls back and frees the session's resources; may wait unless {@link #closesAtOnce}. A failure
   * to free one of them is logged, and the others are still freed.
   */
  @Override
  public void close() {
    mayBlock(true);
    state.context().interrupts().clear();
    EachStep end = EachStep.ofSession(state.processId());
    end.run("stopping its timer", this::cancelIdleTimeout);
    for (Portal portal : portals.takeAll()) {
      end.run("closing a portal", portal::discard);
    }
    end.run("ending its statement", runner::abortStatement);
    if (state.control().state() != TransactionControl.State.IDLE) {
      end.run("rolling back", state.control()::rollback);
    }
    if (!state.transaction().isActive()) {
      // Otherwise the transaction could not be rolled back, and the tables are left to the node's
      // next start.
      end.run("dropping its temporary tables", state.catalog()::dropTemporary);
    }
    state.close(end);
    end.run("forgetting it", () -> services.sessionClosed(this));
  }

  public void logInternalError(Throwable error) {
    String current = state.currentText();
    String text = current == null ? "" : TextWithoutValues.of(current, SessionState.MOST_SHOWN);
    LOG.error("session {}: internal error in: {}", state.shownAs(), text, error);
  }

  /**
   * Limits the wait for the client to the setting's time when a transaction is open. Event loop.
   */
  public void scheduleIdleTimeout(ScheduledExecutorService executor, Runnable onTimeout) {
    cancelIdleTimeout();
    if (state.idleInTransactionTimeoutMs() > 0 && !isIdleOutsideTransaction()) {
      idleTimeout =
          executor.schedule(onTimeout, state.idleInTransactionTimeoutMs(), TimeUnit.MILLISECONDS);
    }
  }

  public void cancelIdleTimeout() {
    if (idleTimeout != null) {
      idleTimeout.cancel(false);
      idleTimeout = null;
    }
  }

  // ---------------------------------------------------------------- simple query

  /** Whether a simple query is in progress, to be continued by {@link #runQuery}. */
  public boolean isResuming() {
    return query != null;
  }

  public void startQuery(String text) {
    message.runs(text);
    message.rethrow();
    goWhereLongInputMayBeRead(text.length());
    statements.closeUnnamed();
    portals.closeUnnamed();
    state.beginMessage(text);
    sharedQuery = sharedQueries.find(text);
    query =
        sharedQuery != null
            ? List.of(sharedQuery.parsed)
            : services.parser().parseQuery(text, state.context());
    state.control().ofSeveral(query.size() > 1 && countStatements() > 1);
    queryText = text;
    queryPosition = 0;
  }

  private long countStatements() {
    return query.stream().filter(one -> !(one.statement() instanceof PgStatement.Empty)).count();
  }

  /** Runs the remaining statements, including the end of an implicit transaction. */
  public void runQuery() {
    message.rethrow();
    if (state.control().state() == TransactionControl.State.IMPLICIT) {
      utilities.goWhereCommitMayWait(); // it follows, and nothing may run twice
    }
    if (query.isEmpty()) {
      out.emptyQuery();
    }
    while (queryPosition < query.size()) {
      ParsedStatement next = query.get(queryPosition);
      String text = sharedQuery == null ? next.text() : queryText;
      message.runs(text);
      state.currentText(text);
      if (next.statement() instanceof PgStatement.Empty) {
        if (query.size() == 1) {
          out.emptyQuery();
        }
      } else {
        runSimple(next);
        checkDeferredOfLast();
      }
      queryPosition++;
      out.mark();
    }
    endImplicitTransaction();
    state.slowStatements().end(queryText);
    forgetQuery();
    state.endMessage();
  }

  /**
   * The last statement of an implicit transaction has succeeded only with the commit: an error of a
   * deferred constraint takes the place of its tag, behind the rows that it has returned.
   */
  private void checkDeferredOfLast() {
    if (state.control().state() != TransactionControl.State.IMPLICIT
        || !state.deferred().isPending()) {
      return;
    }
    for (int i = queryPosition + 1; i < query.size(); i++) {
      if (!(query.get(i).statement() instanceof PgStatement.Empty)) {
        return;
      }
    }
    boolean areFulfilled = false;
    try {
      utilities.checkDeferred();
      areFulfilled = true;
    } finally {
      if (!areFulfilled) {
        out.retractTag();
      }
    }
  }

  /** Text and tree may be long, and it may take long until the next query comes. */
  private void forgetQuery() {
    query = null;
    queryText = null;
    message.begins();
    sharedQuery = null;
    state.control().ofSeveral(false);
    runner.forgetSimple();
  }

  private void runSimple(ParsedStatement next) {
    if (sharedQuery == null) {
      runner.runSimple(next);
    } else if (!runner.runShared(sharedQuery, sharedQueries)) {
      // Parsing may have to continue on another thread; until it has succeeded, the shared form
      // stays in place.
      query = services.parser().parseQuery(queryText, state.context());
      sharedQuery = null;
      runner.runSimple(query.getFirst());
    }
  }

  // ---------------------------------------------------------------- extended query

  public void parse(String name, String text, int[] parameterOids) {
    message.runs(text);
    message.rethrowBefore(text);
    statements.checkFree(name);
    state.beginMessage(text);
    List<ParsedStatement> parsed = services.parser().parseQuery(text, state.context());
    if (parsed.size() > 1) {
      throw new GaussException(
          SqlState.SYNTAX_ERROR, "cannot insert multiple commands into a prepared statement");
    }
    ParsedStatement statement = parsed.isEmpty() ? EMPTY : parsed.getFirst();
    store(name, runner.prepare(statement, parameterOids));
    out.parseComplete();
  }

  void store(String name, PreparedStatement statement) {
    statements.store(name, statement);
  }

  PreparedStatement statement(String name) {
    PreparedStatement found = statements.find(name);
    if (found == null && statements.findElsewhere(name) != null) {
      found = prepareHere(name, statements.findElsewhere(name));
    }
    if (found == null) {
      throw new GaussException(
          SqlState.INVALID_SQL_STATEMENT_NAME,
          name.isEmpty()
              ? "unnamed prepared statement does not exist"
              : "prepared statement \"%s\" does not exist".formatted(name));
    }
    return found;
  }

  /** Prepares a statement that was prepared on another node of the cluster. */
  private PreparedStatement prepareHere(String name, StatementDefinition definition) {
    List<ParsedStatement> parsed = services.parser().parseQuery(definition.text(), state.context());
    ParsedStatement statement = parsed.isEmpty() ? EMPTY : parsed.getFirst();
    PreparedStatement prepared =
        definition.bySql() && statement.statement() instanceof PgStatement.Prepare prepare
            ? utilities.prepared().again(prepare, definition.text(), definition.oids())
            : runner.prepare(statement, definition.oids());
    if (prepared.columnsHash() != definition.columns()) {
      throw StatementRunner.resultTypeChanged();
    }
    statements.keep(name, prepared);
    return prepared;
  }

  /** Handles the rest of a Bind message: formats, values, result formats. */
  public void bind(String portalName, String statementName, MessageReader rest) {
    String text = textOf(statementName);
    message.runs(text); // before an error that waits is thrown
    message.rethrowBefore(text);
    goWhereLongInputMayBeRead(rest.remaining());
    PreparedStatement statement = statement(statementName);
    message.runs(statement.text());
    state.currentText(statement.text());
    runner.checkAllowedNow(statement.tree());
    runner.refresh(statement);
    Portal portal = portals.fresh(portalName, state.control().level());
    boolean isBound = false;
    try {
      portals.makeRoom(portal, rest.remaining());
      parameterReader.read(rest, statement, statementName, portal);
      portal.formats = ParameterReader.resultFormats(rest, statement.columns().size());
      rest.finish();
      runner.bind(portal, statement);
      portals.add(portal);
      isBound = true;
    } finally {
      if (!isBound) {
        portals.discard(portal);
      }
    }
    out.bindComplete();
  }

  /** Empty when there is no statement with that name. */
  private String textOf(String statement) {
    PreparedStatement here = statements.find(statement);
    if (here != null) {
      return here.text();
    }
    StatementDefinition elsewhere = statements.findElsewhere(statement);
    return elsewhere == null ? "" : elsewhere.text();
  }

  private void goWhereLongInputMayBeRead(int bytes) {
    if (bytes > SHORT_BYTES && !state.context().waits().mayBlock()) {
      throw WouldBlockException.INSTANCE;
    }
  }

  public void describeStatement(String name) {
    message.rethrowBefore(textOf(name));
    StatementDefinition elsewhere = statements.findElsewhere(name);
    if (elsewhere != null && state.control().state() == TransactionControl.State.FAILED) {
      describeUnprepared(elsewhere);
      return;
    }
    PreparedStatement statement = statement(name);
    runner.refresh(statement);
    checkDescribable(statement);
    out.parameterDescription(statement.parameterTypes());
    describe(statement, new short[statement.columns().size()]);
  }

  private boolean mayReturnRows(StatementDefinition definition, PgStatement tree) {
    if (tree instanceof PgStatement.Execute execute) {
      StatementDefinition executed = statements.definition(execute.name());
      return executed == null || executed.columns() != 0;
    }
    return definition.mayReturnRows(tree);
  }

  /** In a failed block nothing can be prepared, and only what returns no rows is described. */
  private void describeUnprepared(StatementDefinition elsewhere) {
    List<ParsedStatement> parsed = services.parser().parseQuery(elsewhere.text(), state.context());
    PgStatement tree = (parsed.isEmpty() ? EMPTY : parsed.getFirst()).statement();
    if (mayReturnRows(elsewhere, tree) || !utilities.columns(tree).isEmpty()) {
      state.control().checkNotFailed();
    }
    out.parameterDescription(elsewhere.parameterTypes(tree));
    out.noData();
  }

  public void describePortal(String name) {
    message.rethrowBefore(portals.textOf(name));
    Portal portal = portals.find(name);
    checkDescribable(portal.statement);
    describe(portal.statement, portal.formats);
  }

  /** In a failed block the columns of a result cannot be looked up. */
  private void checkDescribable(PreparedStatement statement) {
    if (statement.returnsRows()) {
      state.control().checkNotFailed();
    }
  }

  private void describe(PreparedStatement statement, short[] formats) {
    if (statement.returnsRows()) {
      out.rowDescription(statement.columns(), formats);
    } else {
      out.noData();
    }
  }

  /**
   * @param maxRows rows to send at most; 0 or less = all
   */
  public void execute(String portalName, int maxRows) {
    message.runs(portals.textOf(portalName));
    message.rethrow();
    Portal portal = portals.find(portalName);
    state.beginMessage(portal.statement.text());
    runner.execute(portal, maxRows);
    state.slowStatements().end(portal.statement.text());
    state.endMessage();
  }

  public void closeStatement(String name) {
    message.rethrowBefore("");
    statements.close(name);
  }

  public void closePortal(String name) {
    message.rethrowBefore("");
    portals.close(name);
  }

  void closeAllStatements() {
    statements.closeAll();
  }

  /** Sync: ends an implicit transaction. */
  public void sync() {
    message.rethrowBefore("");
    state.endMessage();
    endImplicitTransaction();
  }

  private void endImplicitTransaction() {
    if (state.control().state() == TransactionControl.State.IMPLICIT) {
      utilities.goWhereCommitMayWait();
      utilities.checkDeferred();
      utilities.cursors().hold();
      portals.closeAll();
      utilities.prepareCommit();
      state.control().commit(out);
    }
  }

  StatementRunner runner() {
    return runner;
  }

  Portals portals() {
    return portals;
  }

  // ---------------------------------------------------------------- failure and retry

  /**
   * The client's next message, of whatever kind, before the call for it. Not when a simple query
   * {@linkplain #isResuming is resumed}.
   */
  public void beginMessage() {
    message.begins();
  }

  /**
   * After a call threw: undoes its changes and sets the transaction block's state.
   *
   * @throws WouldBlockException when there is something to undo and waiting is not allowed; the
   *     same message then fails again with the same error where waiting is allowed
   */
  public void statementFailed(GaussException error) {
    EngineContext context = state.context();
    if (!context.waits().mayBlock() && (state.control().hasWritten() || runner.isStatementOpen())) {
      message.failsAgain(error);
      throw WouldBlockException.INSTANCE;
    }
    message.reported();
    // Drivers send BEGIN and the first statement in one go, each as a message of its own: what is
    // sent behind a BEGIN that fails must not run and commit by itself.
    boolean isBegin = message.isBegin();
    boolean endsBlock = message.endsBlock();
    context.interrupts().clear();
    state.endMessage();
    services.metrics().failed(error.state());
    state.slowStatements().failed();
    runner.abortStatement();
    forgetQuery();
    if (state.control().state() == TransactionControl.State.BLOCK) {
      portals.fail(state.control().level());
    } else if (state.control().state() != TransactionControl.State.FAILED) {
      portals.closeAll();
    }
    boolean hasBlock = state.control().fail();
    if (endsBlock) {
      portals.closeAll();
      state.control().rollback();
    } else if (!hasBlock && isBegin && error.state() != SqlState.SYNTAX_ERROR) {
      moves.failBlock();
    }
  }

  /**
   * After {@link WouldBlockException}, where waiting is allowed: undoes the statement that could
   * not continue.
   */
  public void undoForRetry() {
    if (!message.hasToFail()) {
      runner.undoForRetry();
    }
  }

  /** Whether an error is still to be reported. */
  boolean hasToFail() {
    return message.hasToFail();
  }

  /** The next message that runs something fails with this. */
  public void failNext(GaussException failure) {
    message.failNext(failure);
  }

  /**
   * The block is lost, as the next statement reports unless it only rolls back: that is what has
   * happened already.
   */
  void failBlock(GaussException failure) {
    message.failBlock(failure);
  }

  SessionState state() {
    return state;
  }
}
