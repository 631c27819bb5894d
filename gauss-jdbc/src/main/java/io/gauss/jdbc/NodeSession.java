package io.gauss.jdbc;

import io.gauss.jdbc.cluster.Cluster;
import io.gauss.jdbc.cluster.NodeConnection;
import io.gauss.jdbc.routing.ClusterNode;
import io.gauss.jdbc.routing.Decision;
import io.gauss.jdbc.routing.RouteRequest;
import io.gauss.jdbc.routing.RoutingMode;
import io.gauss.jdbc.routing.Topology;
import io.gauss.jdbc.routing.TwoChoices;
import io.gauss.jdbc.text.SessionCommands;
import io.gauss.jdbc.text.StatementText;
import io.gauss.jdbc.text.StatementText.Control;
import io.gauss.jdbc.text.StatementText.Effect;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Decides on which node each statement of a logical connection runs, and what a broken connection
 * means for the application.
 *
 * <p>Invariants: at most one physical connection, the current one, has a transaction open. Another
 * becomes the current one only while none is open and nothing pins the session, and only with the
 * session's settings made on it. A transaction is never repeated; a statement is, if the
 * application requested it by {@code retry.attempts}, and only when the server has reported that it
 * was rolled back.
 *
 * <p>For one thread at a time.
 */
final class NodeSession {
  private static final String UNWRAPPED = "unwrapped";
  private static final long RETRY_PAUSE_MICROS = 500;
  private static final int MOST_DOUBLINGS = 6;

  /** Minimum difference of load for which it pays to change to another connection. */
  private static final double WORTH_MOVING = 0.2;

  private final Cluster cluster;
  private final NodeConnections nodes;
  private final SessionSettings settings = new SessionSettings();
  private final Pins pins = new Pins();
  private final RouteHints hints = new RouteHints();
  private final List<Effect> prelude = new ArrayList<>(2);
  private final Map<Savepoint, Integer> savepoints = new IdentityHashMap<>(2);
  private boolean undecided; // a transaction is open, and its node is not determined yet
  private boolean notYet; // the router needs to see the next statement
  private ClusterNode lostOn; // a transaction was lost there, and not rolled back here yet
  private NodeConnection settled; // broke, and the consequences were handled
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
    return pins.describe();
  }

  List<Connection> physical() {
    return nodes.all();
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
      boolean wasIdle = on.isIdle();
      boolean hadFailed = on.hasFailed();
      try {
        T result = execution.on(statement.bindTo(on));
        on.used();
        executed(on, text, wasIdle, hadFailed);
        return result;
      } catch (SQLException e) {
        boolean mayRepeat =
            attempt < cluster.options().retries()
                && settings.isAutoCommit()
                && wasIdle
                && !isBatch
                && text.isSingle()
                && statement.isRepeatable();
        if (!mayRepeat || !Failures.isRolledBack(e) || on.isBroken() || !on.isIdle()) {
          throw failed(on, text, wasIdle, e);
        }
        cluster.statistics().retried();
        pause(attempt);
      }
    }
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
    if (isOpen(now)) {
      boolean mayMove =
          undecided && !pins.any() && !now.hasFailed() && text.control() == Control.NONE;
      return mayMove && !text.tellsNothing() && !text.stays()
          ? chooseLate(now, statement, text)
          : now;
    }
    if (pins.any()) {
      return pinned(now);
    }
    if (isAlone() || text.tellsNothing() || text.stays() || text.control() != Control.NONE) {
      return nodes.any();
    }
    Decision decision = decide(statement, text);
    if (decision.kind() == Decision.Kind.NOT_YET) {
      return nodes.any();
    }
    boolean isNode = decision.kind() == Decision.Kind.NODE;
    NodeConnection next = isNode ? nodes.to(decision.node()) : leastLoaded();
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
  private NodeConnection leastLoaded() throws SQLException {
    ClusterNode now = node();
    ClusterNode best =
        TwoChoices.lessBusy(cluster.topology(), ThreadLocalRandom.current()::nextInt);
    boolean isWorthIt = best != null && now.load() - best.load() > WORTH_MOVING; // never with NaN
    return isWorthIt ? nodes.to(best) : nodes.any();
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
    NodeConnection next = decision.node().equals(now.node()) ? now : move(now, decision.node());
    next.routes().count(decision.cause());
    return next;
  }

  private NodeConnection move(NodeConnection from, ClusterNode to) throws SQLException {
    List<Effect> begun = List.copyOf(prelude);
    execute(from, "ROLLBACK");
    ended(false);
    NodeConnection next = nodes.to(to);
    for (Effect effect : begun) {
      execute(next, effect instanceof Effect.Set set ? set.text() : textOf(effect));
    }
    begun.forEach(effect -> apply(effect, next, true));
    return next;
  }

  private static String textOf(Effect effect) {
    return ((Effect.ForTransaction) effect).text();
  }

  private static void execute(NodeConnection on, String text) throws SQLException {
    try (Statement statement = on.connection().createStatement()) {
      statement.execute(text);
    }
  }

  private NodeConnection pinned(NodeConnection now) throws SQLException {
    if (now.isThere()) {
      return now;
    }
    SQLException e = Failures.pinnedLost(now.node(), pins.describe());
    pins.clear();
    nodes.drop(now);
    cluster.look();
    throw e;
  }

  // ---- what a statement has done

  private void executed(NodeConnection on, StatementText text, boolean wasIdle, boolean hadFailed) {
    boolean isOpen = !on.isIdle();
    if (text.control() == Control.ROLLBACK_TO && settings.pending() > 0) {
      // It is not known here which of the transaction's settings it undoes.
      pins.add("settings rolled back to a savepoint", false);
    }
    boolean toldNothing = text.tellsNothing() || notYet;
    notYet = false;
    undecided = isOpen && toldNothing && (wasIdle || undecided);
    for (Effect effect : text.effects()) {
      apply(effect, on, isOpen);
    }
    if (!undecided) {
      prelude.clear();
    }
    if (!wasIdle && !isOpen) {
      ended(text.control() == Control.COMMIT && !hadFailed);
    }
  }

  private void apply(Effect effect, NodeConnection on, boolean inTransaction) {
    if (effect instanceof Effect.Set set) {
      settings.execute(set.name(), set.text(), set.forgetsOthers(), inTransaction, on);
      if (SessionCommands.endsAllPins(set)) {
        pins.clear();
      }
      note(effect);
    } else if (effect instanceof Effect.ForTransaction) {
      note(effect);
    } else if (effect instanceof Effect.Pin pin) {
      pins.add(pin.what(), inTransaction && pin.isTransactional());
    } else if (effect instanceof Effect.Unpin unpin) {
      pins.remove(unpin.what(), inTransaction && unpin.isTransactional());
    } else if (effect instanceof Effect.UnpinAll all) {
      pins.removeAll(all.prefix());
    }
  }

  private void note(Effect effect) {
    if (undecided) {
      prelude.add(effect);
    }
  }

  private void ended(boolean committed) {
    settings.transactionEnded(committed, nodes.current());
    pins.transactionEnded(committed);
    prelude.clear();
    savepoints.clear();
    undecided = false;
  }

  // ---- failures

  /** Returns the error for the application, and updates the state. */
  private SQLException failed(
      NodeConnection on, StatementText text, boolean wasIdle, SQLException e) {
    notYet = false;
    if (!on.isBroken()) {
      if (!wasIdle && on.isIdle()) {
        ended(false);
      }
      return e;
    }
    cluster.statistics().lostOne();
    boolean isSilent = Failures.isConnectionFailure(e);
    if (isSilent) {
      cluster.lost(on.node());
    } else {
      cluster.look();
    }
    String gone = pins.describe();
    pins.clear();
    ended(false);
    nodes.drop(on);
    boolean wasOpen = !wasIdle || !settings.isAutoCommit();
    settled = on;
    if (wasOpen && text.control() != Control.COMMIT && text.control() != Control.ROLLBACK) {
      lostOn = on.node();
    }
    boolean mayHaveCommitted = wasOpen ? text.mayCommit() : text.mayWrite();
    // The reason why a server ends a connection does not show the outcome of a commit that it has
    // received.
    if (mayHaveCommitted && (isSilent || wasOpen || Failures.isOutcomeOpen(e))) {
      return Failures.unknownOutcome(on.node(), wasOpen, e);
    }
    return isSilent ? Failures.broken(on.node(), wasOpen, gone, e) : e;
  }

  /** A transaction is open, and can continue. */
  private static boolean isOpen(NodeConnection connection) {
    return !connection.isIdle() && !connection.isBroken();
  }

  /** Whether a transaction was lost with its node that the application has not rolled back yet. */
  private boolean isLost() {
    NodeConnection now = nodes.current();
    if (now != settled && now.isBroken() && !now.isIdle()) {
      // It broke while a result was read, for example.
      cluster.statistics().lostOne();
      settled = now;
      lostOn = now.node();
      pins.clear();
      ended(false);
      nodes.drop(now);
      cluster.lost(lostOn);
    }
    return lostOn != null;
  }

  private NodeConnection afterLoss(StatementText text) throws SQLException {
    if (text.control() == Control.COMMIT) {
      throw committedNothing();
    }
    if (text.control() != Control.ROLLBACK) {
      throw Failures.transactionIsLost(lostOn);
    }
    lostOn = null;
    return nodes.any();
  }

  private SQLException committedNothing() {
    SQLException e =
        new SQLTransactionRollbackException(
            "the transaction was lost with its connection to " + lostOn + "; nothing was committed",
            "40000");
    lostOn = null;
    return e;
  }

  // ---- other calls

  /** The physical connection for calls other than statements, and for creating statements. */
  NodeConnection here() throws SQLException {
    NodeConnection now = nodes.current();
    if (!isLost() && isOpen(now)) {
      return now;
    }
    return pins.any() ? pinned(now) : nodes.any();
  }

  /**
   * Runs a request that may execute a statement; the statement does not determine the transaction's
   * node.
   */
  <T> T ask(Question<T> question) throws SQLException {
    refuseWhenLost();
    NodeConnection on = here();
    boolean wasIdle = on.isIdle();
    try {
      T answer = question.to(on.connection());
      undecided |= wasIdle && !on.isIdle();
      return answer;
    } catch (SQLException e) {
      throw failed(on, Failures.NO_STATEMENT, wasIdle, e);
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
      if (isOpen(now) || pins.any()) {
        throw new SQLException(
            "the result set is of " + node.node() + ", the transaction on " + now.node(), "25001");
      }
      nodes.backTo(node);
    }
  }

  void runOn(NodeConnection node, Work work) throws SQLException {
    enter(node);
    boolean wasIdle = node.isIdle();
    undecided = false;
    try {
      work.run();
      node.used();
    } catch (SQLException e) {
      throw failed(node, Failures.SOME_STATEMENT, wasIdle, e);
    }
  }

  void set(String name, SessionSettings.Setting setting) throws SQLException {
    NodeConnection on = here();
    setting.on(on.connection());
    settings.set(name, on, setting);
  }

  void pin(String reason) {
    pins.add(UNWRAPPED + ": " + reason, false);
  }

  void requestEnded() {
    pins.removeAll(UNWRAPPED);
  }

  boolean isValid(int seconds) throws SQLException {
    NodeConnection now = nodes.current();
    if (isLost()) {
      return false;
    }
    if (now.connection().isValid(seconds)) {
      now.used();
      return true;
    }
    if (isOpen(now) || pins.any()) {
      return false;
    }
    nodes.drop(now);
    try {
      return nodes.any().connection().isValid(seconds);
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
    if (isLost() || isOpen(nodes.current())) {
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
    boolean wasIdle = now.isIdle();
    if (now.isBroken()) {
      return; // there is nothing to commit
    }
    try {
      now.connection().commit();
    } catch (SQLException e) {
      throw failed(now, wasIdle ? Failures.NO_STATEMENT : Failures.COMMIT, wasIdle, e);
    }
    now.used();
    ended(true);
  }

  void rollback() throws SQLException {
    NodeConnection now = nodes.current();
    if (isLost()) {
      lostOn = null;
      return;
    }
    if (now.isBroken()) {
      return;
    }
    boolean wasIdle = now.isIdle();
    try {
      now.connection().rollback();
    } catch (SQLException e) {
      SQLException told = failed(now, Failures.ROLLBACK, wasIdle, e);
      if (now.isBroken()) {
        return; // it is rolled back anyway
      }
      throw told;
    }
    now.used();
    ended(false);
  }

  Savepoint savepoint(Question<Savepoint> made) throws SQLException {
    Savepoint savepoint = inTransaction(made);
    savepoints.put(savepoint, settings.pending());
    return savepoint;
  }

  void rollbackTo(Savepoint savepoint) throws SQLException {
    inTransaction(
        connection -> {
          connection.rollback(savepoint);
          return null;
        });
    settings.forgetPendingAfter(savepoints.getOrDefault(savepoint, settings.pending()));
  }

  void release(Savepoint savepoint) throws SQLException {
    inTransaction(
        connection -> {
          connection.releaseSavepoint(savepoint);
          return null;
        });
  }

  /** From now on the transaction stays where it is. */
  private <T> T inTransaction(Question<T> question) throws SQLException {
    refuseWhenLost();
    NodeConnection on = here();
    boolean wasIdle = on.isIdle();
    try {
      T answer = question.to(on.connection());
      undecided = false;
      on.used();
      return answer;
    } catch (SQLException e) {
      throw failed(on, Failures.NO_STATEMENT, wasIdle, e);
    }
  }
}
