package io.gauss.jdbc;

import io.gauss.jdbc.cluster.Cluster;
import io.gauss.jdbc.cluster.Limit;
import io.gauss.jdbc.cluster.NodeConnection;
import io.gauss.jdbc.routing.ClusterNode;
import io.gauss.jdbc.routing.Decision;
import io.gauss.jdbc.routing.RouteRequest;
import io.gauss.jdbc.routing.RoutingMode;
import io.gauss.jdbc.routing.Topology;
import io.gauss.jdbc.routing.TwoChoices;
import io.gauss.jdbc.text.Effect;
import io.gauss.jdbc.text.SessionCommands;
import io.gauss.jdbc.text.StatementText;
import io.gauss.jdbc.text.StatementText.Control;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Decides on which node each statement of a logical connection runs, and what a broken connection
 * means for the application.
 *
 * <p>{@link LogicalTransaction} knows where the transaction stands, {@link Loss} what a broken
 * connection means for it, {@link Trail} what pins the session.
 *
 * <p>Invariants: at most one physical connection, the current one, has a transaction open. Another
 * becomes the current one only while none is open and nothing pins the session, and only with the
 * session's settings made on it. A transaction is never repeated; a statement is, if the
 * application requested it by {@code retry.attempts}, and only when the server has reported that it
 * was rolled back.
 *
 * <p>For one thread at a time, which {@link GaussConnection} sees to, except for {@link #current}
 * and {@link #end}.
 */
final class NodeSession {
  private static final long RETRY_PAUSE_MICROS = 500;
  private static final int MOST_DOUBLINGS = 6;

  /** Minimum difference of load for which it pays to change to another connection. */
  private static final double WORTH_MOVING = 0.2;

  private final Cluster cluster;
  private final NodeConnections nodes;
  private final SessionSettings settings;
  private final Trail trail;
  private final LogicalTransaction transaction;
  private final RouteHints hints = new RouteHints();
  private boolean notYet; // the router needs to see the next statement
  private ClusterNode lostOn; // of a transaction that is lost
  private final LastRoute lastRoute = new LastRoute();

  /** Work on a physical connection. */
  @FunctionalInterface
  interface Work {
    void run() throws SQLException;
  }

  /** A request to a physical connection. */
  @FunctionalInterface
  interface Question<T> {
    T to(Connection connection) throws SQLException;
  }

  NodeSession(Cluster cluster, NodeConnection first) {
    this.cluster = cluster;
    this.settings = new SessionSettings(cluster::modeStatement);
    this.trail =
        new Trail(
            settings, cluster.options().commitsLocally() ? SessionCommands.LOCAL_COMMITS : null);
    this.transaction = new LogicalTransaction(trail);
    this.nodes = new NodeConnections(cluster, settings, first);
  }

  NodeConnection current() {
    return nodes.current();
  }

  /** The current node with its current data. */
  ClusterNode node() {
    ClusterNode node = nodes.current().node();
    ClusterNode known = cluster.topology().byAddress(node.host(), node.port());
    return known == null ? node : known;
  }

  RouteHints hints() {
    return hints;
  }

  LastRoute lastRoute() {
    return lastRoute;
  }

  String pinnedBy() {
    return trail.describe();
  }

  /** The session is over. Returns its physical connections, to be closed. From any thread. */
  List<Connection> end() {
    return nodes.end();
  }

  /**
   * After {@link #end}: whether the cluster counted the session until then. It does not when the
   * garbage collector has found it before a finalizer closed it.
   */
  boolean isCounted() {
    return nodes.isCounted();
  }

  // ---- statements

  <T> T run(
      GaussStatement statement,
      StatementText text,
      GaussStatement.Execution<T> execution,
      boolean isBatch)
      throws SQLException {
    for (int attempt = 0; ; attempt++) {
      NodeConnection on = choose(statement, text);
      boolean wasOpen = wasOpen(on);
      boolean hadFailed = on.hasFailed();
      try {
        T result = execution.on(statement.bindTo(on));
        on.used();
        transaction.answered(text, wasOpen, hadFailed, text.tellsNothing() || notYet, on);
        notYet = false;
        return result;
      } catch (SQLException e) {
        boolean mayRepeat =
            attempt < cluster.options().retries()
                && !wasOpen
                && !isBatch
                && text.isSingle()
                && text.isAtomic()
                && !text.changesSessionsLocks()
                && statement.isRepeatable();
        if (!mayRepeat || !Failures.isRolledBack(e) || on.isBroken() || !on.isIdle()) {
          throw failed(on, text, wasOpen, e);
        }
        cluster.statistics().retried();
        pause(attempt);
      }
    }
  }

  /** A transaction is open there, or pgjdbc begins one before the next statement. */
  private boolean wasOpen(NodeConnection on) {
    return !on.isIdle() || !settings.isAutoCommit();
  }

  /**
   * Waits for a random time, with the bound doubled each time, so that transactions that conflicted
   * do not conflict again.
   */
  private static void pause(int attempt) {
    long most = RETRY_PAUSE_MICROS << Math.min(attempt, MOST_DOUBLINGS);
    LockSupport.parkNanos(
        TimeUnit.MICROSECONDS.toNanos(ThreadLocalRandom.current().nextLong(most) + 1));
  }

  private NodeConnection choose(GaussStatement statement, StatementText text) throws SQLException {
    NodeConnection now = nodes.current();
    if (isLost()) {
      return afterLoss(text);
    }
    if (transaction.isOpen()) {
      boolean mayMove =
          transaction.phase() == LogicalTransaction.Phase.BEGUN
              && !trail.isPinned()
              && !now.hasFailed()
              && text.control() == Control.NONE;
      return mayMove && !text.tellsNothing() && !text.stays()
          ? chooseLate(now, statement, text)
          : now;
    }
    if (trail.isPinned()) {
      return pinned(now);
    }
    Limit limit = Limit.ofSeconds(statement.timeoutSeconds());
    if (isAlone() || text.tellsNothing() || text.stays() || text.control() != Control.NONE) {
      return nodes.any(limit);
    }
    Decision decision = decide(statement, text);
    if (decision.kind() == Decision.Kind.NOT_YET) {
      return nodes.any(limit);
    }
    boolean isNode = decision.kind() == Decision.Kind.NODE;
    NodeConnection next = isNode ? nodes.to(decision.node(), limit) : leastLoaded(limit);
    next.routes().count(decision.cause());
    return next;
  }

  private boolean isAlone() {
    return cluster.options().mode() == RoutingMode.OFF || cluster.topology().nodes().size() == 1;
  }

  private Decision decide(GaussStatement statement, StatementText text) {
    Topology topology = cluster.topology();
    List<Object> parameters = statement.parameters();
    Decision decision = hints.decide(text, topology);
    if (decision == null) {
      ClusterNode here = nodes.current().isProvisional() ? null : node();
      decision = cluster.route(new RouteRequest(text.sql(), parameters, topology, here));
      nodes.current().provisional(decision.kind() == Decision.Kind.NOT_YET && here == null);
    }
    notYet = decision.kind() == Decision.Kind.NOT_YET;
    lastRoute.decided(text.sql(), parameters, decision);
    return decision;
  }

  /** Stays unless another node is clearly less busy. */
  private NodeConnection leastLoaded(Limit limit) throws SQLException {
    ClusterNode now = node();
    ClusterNode best =
        TwoChoices.lessBusy(cluster.topology(), ThreadLocalRandom.current()::nextInt);
    boolean isWorthIt = best != null && now.load() - best.load() > WORTH_MOVING; // never with NaN
    return isWorthIt ? nodes.to(best, limit) : nodes.any(limit);
  }

  /**
   * The transaction has begun with statements that do not determine its node; this one may move it.
   */
  private NodeConnection chooseLate(
      NodeConnection now, GaussStatement statement, StatementText text) throws SQLException {
    Decision decision = isAlone() ? null : decide(statement, text);
    if (decision == null || decision.kind() != Decision.Kind.NODE) {
      return now;
    }
    NodeConnection next =
        decision.node().equals(now.node())
            ? now
            : move(now, decision.node(), Limit.ofSeconds(statement.timeoutSeconds()));
    next.routes().count(decision.cause());
    return next;
  }

  /** Repeats there what was done here. What it means for the session stays as it is. */
  private NodeConnection move(NodeConnection from, ClusterNode to, Limit limit)
      throws SQLException {
    NodeConnection next = from;
    try {
      execute(from, "ROLLBACK");
      next = nodes.to(to, limit);
      for (String text : transaction.prelude()) {
        execute(next, text);
      }
      return next;
    } catch (SQLException e) {
      if (!next.isBroken() && !next.isIdle()) {
        execute(next, "ROLLBACK"); // pgjdbc's own refuses with autocommit
      }
      throw lost(next, Failures.NO_STATEMENT, e);
    }
  }

  private static void execute(NodeConnection on, String text) throws SQLException {
    try (Statement statement = on.connection().createStatement()) {
      statement.execute(text);
    }
  }

  private NodeConnection pinned(NodeConnection now) throws SQLException {
    // Not asked even when the node is suspect: one that is slow must not cost the session's state.
    if (now.isThere(false)) {
      return now;
    }
    SQLException e = Failures.pinnedLost(now.node(), trail.describe());
    trail.clear();
    nodes.drop(now);
    cluster.look();
    throw e;
  }

  // ---- failures

  /** Returns the error for the application, and updates the state. */
  private SQLException failed(
      NodeConnection on, StatementText text, boolean wasOpen, SQLException e) {
    notYet = false;
    if (!on.isBroken()) {
      transaction.failed(text, wasOpen, on);
      return e;
    }
    boolean isSilent = Failures.isConnectionFailure(e);
    String gone = trail.describe();
    broke(on, text, wasOpen, isSilent);
    return switch (Loss.of(wasOpen, text, isSilent, Failures.isOutcomeOpen(e))) {
      case OUTCOME_OPEN -> Failures.unknownOutcome(on.node(), wasOpen, e);
      case NOTHING_HAPPENED -> Failures.broken(on.node(), wasOpen, gone, e);
      case AS_THE_SERVER_SAYS -> e;
    };
  }

  private void broke(NodeConnection on, StatementText text, boolean wasOpen, boolean isSilent) {
    cluster.statistics().lostOne();
    if (isSilent) {
      cluster.lost(on.node());
    } else {
      cluster.look();
    }
    transaction.broke(text, wasOpen);
    lostOn = on.node();
    nodes.drop(on);
  }

  /** The transaction cannot continue, though its connection may. */
  private SQLException lost(NodeConnection on, StatementText text, SQLException e) {
    if (on.isBroken()) {
      return failed(on, text, true, e);
    }
    transaction.broke(text, true);
    lostOn = on.node();
    return e;
  }

  /** Whether a transaction was lost with its node that the application has not rolled back yet. */
  private boolean isLost() {
    NodeConnection now = nodes.current();
    if (!now.isBroken()) {
      transaction.look(now);
    } else if (transaction.isOpen()) {
      // It broke while a result was read, for example.
      broke(now, Failures.NO_STATEMENT, true, true);
    }
    return transaction.isLost();
  }

  private NodeConnection afterLoss(StatementText text) throws SQLException {
    Effect first = text.effects().isEmpty() ? null : text.effects().get(0);
    if (!(first instanceof Effect.End end)) {
      throw Failures.transactionIsLost(lostOn);
    }
    if (end.isCommit()) {
      boolean leavesOpen = text.leavesOpen(true);
      SQLException e = committedNothing();
      if (leavesOpen) {
        transaction.broke(text, true);
      }
      throw e;
    }
    transaction.rolledBack();
    return nodes.any(Limit.NONE);
  }

  private SQLException committedNothing() {
    transaction.rolledBack();
    return new SQLTransactionRollbackException(
        "the transaction was lost with its connection to " + lostOn + "; nothing was committed",
        "40000");
  }

  // ---- other calls

  /** The physical connection for calls other than statements, and for creating statements. */
  NodeConnection here() throws SQLException {
    NodeConnection now = nodes.current();
    if (!isLost() && transaction.isOpen()) {
      return now;
    }
    return trail.isPinned() ? pinned(now) : nodes.any(Limit.NONE);
  }

  /**
   * Runs a request that may execute a statement; the statement does not determine the transaction's
   * node.
   */
  <T> T ask(Question<T> question) throws SQLException {
    refuseWhenLost();
    return call(question, false);
  }

  private <T> T call(Question<T> question, boolean binds) throws SQLException {
    NodeConnection on = here();
    boolean wasOpen = wasOpen(on);
    try {
      T answer = question.to(on.connection());
      on.used();
      transaction.called(binds, on);
      return answer;
    } catch (SQLException e) {
      throw failed(on, Failures.NO_STATEMENT, wasOpen, e);
    }
  }

  private void refuseWhenLost() throws SQLException {
    if (isLost()) {
      throw Failures.transactionIsLost(lostOn);
    }
  }

  /** Makes this connection, on which an object was opened before, the current one. */
  void enter(NodeConnection node) throws SQLException {
    refuseWhenLost();
    NodeConnection now = nodes.current();
    if (now != node) {
      if (transaction.isOpen() || trail.isPinned()) {
        throw new SQLException(
            "the result set is of " + node.node() + ", the transaction on " + now.node(), "25001");
      }
      nodes.backTo(node);
    }
  }

  void runOn(NodeConnection node, Work work) throws SQLException {
    enter(node);
    boolean wasOpen = wasOpen(node);
    try {
      work.run();
      node.used();
      transaction.called(true, node);
    } catch (SQLException e) {
      throw failed(node, Failures.SOME_STATEMENT, wasOpen, e);
    }
  }

  void set(String name, SessionSettings.Setting setting) throws SQLException {
    NodeConnection on = here();
    boolean wasOpen = wasOpen(on);
    try {
      setting.on(on.connection());
    } catch (SQLException e) {
      throw failed(on, Failures.NO_STATEMENT, wasOpen, e);
    }
    settings.set(name, on, setting);
  }

  void pin(String reason) {
    trail.pin(Trail.UNWRAPPED + ": " + reason);
  }

  /** The user of a pooled connection is done, unless a transaction is open. */
  void warningsCleared() {
    if (!transaction.isOpen()) {
      trail.requestEnded();
    }
  }

  void requestEnded() {
    trail.requestEnded();
  }

  boolean isValid(int seconds) throws SQLException {
    Limit limit = Limit.ofSeconds(seconds);
    NodeConnection now = nodes.current();
    if (isLost()) {
      return false;
    }
    if (now.connection().isValid(seconds)) {
      now.used();
      return true;
    }
    if (transaction.isOpen() || trail.isPinned()) {
      return false;
    }
    nodes.drop(now);
    try {
      return nodes.any(limit).connection().isValid(seconds);
    } catch (SQLException e) {
      return false; // then it is not valid
    }
  }

  // ---- transactions

  boolean isAutoCommit() {
    return settings.isAutoCommit();
  }

  void setAutoCommit(boolean on) throws SQLException {
    if (on == settings.isAutoCommit()) {
      return;
    }
    if (isLost() || transaction.isOpen()) {
      commit(); // as JDBC requires
    }
    settings.setAutoCommit(on);
    NodeConnection now = nodes.current();
    if (!now.isBroken()) {
      now.setAutoCommit(on);
    }
  }

  void commit() throws SQLException {
    NodeConnection now = nodes.current();
    if (isLost()) {
      throw committedNothing();
    }
    if (now.isBroken()) {
      return; // there is nothing to commit
    }
    boolean wasOpen = transaction.isOpen();
    boolean hadFailed = now.hasFailed();
    try {
      now.connection().commit();
    } catch (SQLException e) {
      throw failed(now, wasOpen ? Failures.COMMIT : Failures.NO_STATEMENT, wasOpen, e);
    }
    now.used();
    transaction.ended(hadFailed ? Trail.Outcome.ROLLED_BACK : Trail.Outcome.COMMITTED, now);
  }

  void rollback() throws SQLException {
    NodeConnection now = nodes.current();
    if (isLost()) {
      transaction.rolledBack();
      return;
    }
    if (now.isBroken()) {
      return;
    }
    boolean wasOpen = transaction.isOpen();
    try {
      now.connection().rollback();
    } catch (SQLException e) {
      SQLException told = failed(now, Failures.ROLLBACK, wasOpen, e);
      if (now.isBroken()) {
        return; // it is rolled back anyway
      }
      throw told;
    }
    now.used();
    transaction.ended(Trail.Outcome.ROLLED_BACK, now);
  }

  /** From then on the transaction stays where it is. */
  Savepoint savepoint(Question<Savepoint> made) throws SQLException {
    refuseWhenLost();
    Savepoint savepoint = call(made, true);
    trail.savepoint(name(savepoint));
    return savepoint;
  }

  void rollbackTo(Savepoint savepoint) throws SQLException {
    refuseWhenLost();
    call(
        connection -> {
          connection.rollback(savepoint);
          return null;
        },
        true);
    trail.rollbackTo(name(savepoint));
  }

  void release(Savepoint savepoint) throws SQLException {
    refuseWhenLost();
    String name = name(savepoint);
    call(
        connection -> {
          connection.releaseSavepoint(savepoint);
          return null;
        },
        true);
    trail.release(name);
  }

  /** As pgjdbc gives it to the server. */
  private static String name(Savepoint savepoint) throws SQLException {
    try {
      return savepoint.getSavepointName();
    } catch (SQLException e) {
      return "JDBC_SAVEPOINT_" + savepoint.getSavepointId();
    }
  }
}
