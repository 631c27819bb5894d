package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.ddl.TemporarySchemas;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.routing.RerouteCounts;
import io.gauss.compute.routing.TransactionSampler;
import io.gauss.compute.routing.data.RoutingMode;
import io.gauss.compute.session.message.ResponseWriter;
import io.gauss.compute.session.setting.SearchPath;
import io.gauss.compute.session.setting.SessionSettings;
import io.gauss.compute.session.setting.SettingChecks;
import io.gauss.compute.session.setting.SettingDefinition;
import io.gauss.compute.session.setting.SettingDefinitions;
import io.gauss.compute.session.setting.TransactionMode;
import io.gauss.compute.sql.copy.CopyProgress;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.txn.Transaction;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * State shared by the parts of one session: contexts, transaction, settings and the current
 * statement. Belongs to the session.
 */
final class SessionState {
  /** Settings whose changes are reported to the client (ParameterStatus), as in PostgreSQL 15. */
  private static final List<String> REPORTED =
      List.of(
          "application_name",
          "client_encoding",
          "DateStyle",
          "default_transaction_read_only",
          "in_hot_standby",
          "integer_datetimes",
          "IntervalStyle",
          "is_superuser",
          "server_encoding",
          "server_version",
          "session_authorization",
          "standard_conforming_strings",
          "TimeZone");

  /** Characters of a statement's text that views and the log show at most. */
  static final int MOST_SHOWN = 2_000;

  private final SessionServices services;
  private final EngineContext context;
  private final SlowStatements slowStatements;
  private final ClientMemory.Share memory;
  private final Transaction transaction;
  private final SessionSettings settings;
  private final TransactionSampler sampler;
  private final TransactionControl control;
  private final DeferredConstraints deferred;
  private final SessionNotifications notifications;
  private final SessionCatalog catalog;
  private final SessionRoles roles;
  private final EvalContext eval = new EvalContext();
  private final ExecContext exec = new ExecContext();
  private ResponseWriter reportTo;
  private volatile CopyProgress copyProgress;
  private final SchemaPath path;
  private String temporarySchema;
  private boolean isRouted;
  private boolean mayReroute = true;
  private boolean isLocalCommit;
  private long statementTimeoutMs;
  private long idleInTransactionTimeoutMs;
  private int processId;

  /** Has the connection look for notifications. */
  private volatile Runnable onNotified = () -> {};

  /** What runs now may have run on a node that is lost. */
  private boolean isRepeated;

  /** And what ran there may still have locks. */
  private boolean mayMeetItself;

  /** Read by other threads, as the next one. */
  private volatile String application = "";

  private volatile String client = "";
  private String currentText = "";
  private String messageText = "";
  private StatementDeadline statementDeadline;

  SessionState(SessionServices services) {
    this.services = services;
    this.context = services.newContext();
    this.slowStatements = new SlowStatements(context);
    this.memory = services.memory().open();
    this.transaction = services.transactions().session(context);
    this.settings = new SessionSettings(this::checkSetting, this::settingChanged, memory::resize);
    this.roles = new SessionRoles(this);
    this.catalog = new SessionCatalog(services, this);
    this.path = new SchemaPath(catalog, roles);
    this.sampler = services.routing().sampling().session(context);
    this.notifications = new SessionNotifications(services, this);
    this.control =
        new TransactionControl(
            transaction, settings, catalog, sampler, exec.pending, notifications, memory);
    this.deferred = new DeferredConstraints(this);
    eval.session = new SessionFunctions(services, this);
    eval.sequences = catalog;
    eval.advisory = new SessionAdvisoryLocks(this);
    eval.notify = notifications;
    eval.clock = services.clock();
    eval.longWork = context.waits()::longWork;
    exec.transaction = transaction;
    exec.engine = context;
    exec.eval = eval;
    exec.tables = catalog;
    exec.temporaryFiles = services.temporaryFiles();
    exec.statementMemory = services.statementMemory();
  }

  private void checkSetting(SettingDefinition setting, String value) {
    switch (setting.name()) {
      case SettingDefinitions.ROLE, SettingDefinitions.SESSION_AUTHORIZATION ->
          roles.check(setting.name(), value);
      case "log_min_duration_statement" -> {
        // Statement texts would bring passwords into the log.
        if (!roles.isSuperuser()) {
          throw new GaussException(
              SqlState.INSUFFICIENT_PRIVILEGE,
              "permission denied to set parameter \"%s\"".formatted(setting.name()));
        }
      }
      default -> {
        TransactionMode mode = TransactionMode.of(setting);
        if (mode != null) {
          control.check(mode, value);
        }
        // All roles may set the others.
      }
    }
  }

  private void settingChanged(SettingDefinition setting, String value) {
    switch (setting.name()) {
      case "gauss.routing" -> {
        sampler.mode(RoutingMode.of(value));
        isRouted = !value.equals("off");
      }
      case "application_name" -> application = value;
      case "gauss.reroute" -> mayReroute = value.equals("on");
      case "gauss.commit_wait" -> isLocalCommit = value.equals("local");
      case SearchPath.SETTING -> path.names(SearchPath.read(value));
      case "log_min_duration_statement" -> slowStatements.threshold(Long.parseLong(value));
      case SettingDefinitions.ROLE, SettingDefinitions.SESSION_AUTHORIZATION ->
          roles.changed(setting.name(), value);
      case "statement_timeout" -> statementTimeoutMs = Long.parseLong(value);
      case "idle_in_transaction_session_timeout" ->
          idleInTransactionTimeoutMs = Long.parseLong(value);
      case "lock_timeout" ->
          transaction.lockTimeoutNanos(TimeUnit.MILLISECONDS.toNanos(Long.parseLong(value)));
      case "TimeZone" -> eval.timeZone = SettingChecks.zone(value);
      case "maintenance_work_mem" -> exec.maintenanceMemoryBytes = Long.parseLong(value) * 1024;
      case "work_mem" -> exec.workMemoryBytes = Long.parseLong(value) * 1024;
      default -> {
        TransactionMode mode = TransactionMode.of(setting);
        if (mode != null) {
          control.changed(mode, value);
        }
        // The others are read where they are needed.
      }
    }
    if (reportTo != null && REPORTED.contains(setting.name())) {
      reportTo.parameterStatus(setting.name(), value);
    }
  }

  /** Null when the settings allow transactions of the session to run on other nodes. */
  RerouteCounts.Reason staysBySettings() {
    if (isRouted) {
      return RerouteCounts.Reason.ROUTED;
    }
    if (!mayReroute) {
      return RerouteCounts.Reason.OFF;
    }
    // Another node may not know the session's last commit yet.
    return isLocalCommit ? RerouteCounts.Reason.COMMIT_WAIT : null;
  }

  /** Changes settings without notifying the client, which already knows them. */
  void quietly(Runnable change) {
    ResponseWriter before = reportTo;
    reportTo = null;
    try {
      change.run();
    } finally {
      reportTo = before;
    }
  }

  /** Reports changes to the client from now on. */
  void report(ResponseWriter out) {
    reportTo = out;
  }

  /** Warns the client. */
  void warn(GaussException warning) {
    if (reportTo != null) {
      reportTo.notice("WARNING", warning);
    }
  }

  void reportAll(ResponseWriter out) {
    for (String name : REPORTED) {
      out.parameterStatus(name, settings.get(name));
    }
    reportTo = out;
  }

  // ---------------------------------------------------------------- the current statement

  /** A message that runs statements begins: takes the time and starts the statement's timeout. */
  void beginMessage(String text) {
    slowStatements.begin();
    currentText(text);
    messageText = text;
    eval.statementTimestamp = services.clock().getAsLong();
    if (control.state() == TransactionControl.State.IDLE) {
      eval.transactionTimestamp = eval.statementTimestamp;
    }
    if (statementDeadline != null && statementDeadline.isSpent()) {
      statementDeadline = null;
    }
    if (statementTimeoutMs > 0 && statementDeadline == null) {
      statementDeadline = services.deadlines().schedule(context, statementTimeoutMs);
    }
  }

  /**
   * It has ended, or what follows has a time of its own: Parse, whose time goes on up to Execute,
   * ends with Sync at the latest.
   */
  void endMessage() {
    messageText = "";
    if (statementDeadline != null) {
      statementDeadline.end();
      statementDeadline = null;
    }
  }

  /** What runs now, for views and the log; a long text is not kept whole while nothing runs. */
  void currentText(String text) {
    currentText = text.length() <= MOST_SHOWN ? text : text.substring(0, MOST_SHOWN);
  }

  String currentText() {
    return currentText;
  }

  /** The text of the message that runs, as the client sent it. */
  String messageText() {
    return messageText;
  }

  // ---------------------------------------------------------------- parts

  EngineContext context() {
    return context;
  }

  /** What the session takes of the memory for clients. */
  ClientMemory.Share memory() {
    return memory;
  }

  Transaction transaction() {
    return transaction;
  }

  SessionSettings settings() {
    return settings;
  }

  SlowStatements slowStatements() {
    return slowStatements;
  }

  /** Progress of the running COPY; null when there is none. Read by other threads. */
  CopyProgress copyProgress() {
    return copyProgress;
  }

  void copyProgress(CopyProgress progress) {
    copyProgress = progress;
  }

  TransactionControl control() {
    return control;
  }

  SessionNotifications notifications() {
    return notifications;
  }

  /** Sets what is done when notifications begin to wait for the session; it must not wait. */
  void onNotified(Runnable action) {
    onNotified = action;
  }

  /** Notifications wait for the session. Any thread. */
  void notified() {
    onNotified.run();
  }

  DeferredConstraints deferred() {
    return deferred;
  }

  TransactionSampler sampler() {
    return sampler;
  }

  SessionRoles roles() {
    return roles;
  }

  SessionCatalog catalog() {
    return catalog;
  }

  EvalContext eval() {
    return eval;
  }

  ExecContext exec() {
    return exec;
  }

  /** The schemas in which names are looked up. */
  List<String> searchPath() {
    return path.all();
  }

  /** Those of them that the setting names, and that there are. */
  List<String> namedSchemas() {
    return path.named();
  }

  /** The schema for temporary relations, which is about to be created. */
  String temporarySchema() {
    if (temporarySchema == null) {
      temporarySchema = TemporarySchemas.name(services.transactions().node(), processId);
      path.temporary(temporarySchema);
    }
    return temporarySchema;
  }

  /** Null when the session has never made a temporary relation. */
  String temporarySchemaOrNull() {
    return temporarySchema;
  }

  long idleInTransactionTimeoutMs() {
    return idleInTransactionTimeoutMs;
  }

  int processId() {
    return processId;
  }

  /** Sets whether what runs from now on may have run on a node that is lost. */
  void isRepeated(boolean repeated) {
    isRepeated = repeated;
  }

  boolean isRepeated() {
    return isRepeated;
  }

  /**
   * Sets whether what runs from now on may be denied locks that its first attempt has, which runs
   * or is being rolled back on another node.
   */
  void mayMeetItself(boolean may) {
    mayMeetItself = may;
  }

  boolean mayMeetItself() {
    return mayMeetItself;
  }

  void processId(int id) {
    processId = id;
  }

  /** Name of the application that the client has given; any thread. */
  String application() {
    return application;
  }

  /** Address and port of the client, wherever it is connected; empty when unknown. Any thread. */
  String client() {
    return client;
  }

  void client(String address) {
    client = address;
  }

  /** How the log names the session. */
  String shownAs() {
    StringBuilder shown = new StringBuilder().append(processId);
    if (!client.isEmpty()) {
      shown.append(" of ").append(client);
    }
    if (!application.isEmpty()) {
      shown.append(" (").append(application).append(')');
    }
    return shown.toString();
  }

  /** Frees the resources of a session that has never begun. */
  void close() {
    close(EachStep.ofSession(0));
  }

  void close(EachStep end) {
    end.run("ending its message", this::endMessage);
    end.run("ending its samples", sampler::close);
    end.run("ending its notifications", notifications::close);
    end.run("closing its transaction", transaction::close);
    end.run("forgetting its checks", exec.pending::clear);
    end.run("freeing its buffer", context::idle);
    end.run("freeing its memory", memory::close);
  }
}
