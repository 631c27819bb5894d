package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.fault.FaultPoints;
import io.gauss.compute.catalog.RoleDef;
import io.gauss.compute.session.message.ResponseWriter;
import io.gauss.compute.session.setting.StartOptions;
import io.gauss.compute.session.wire.ForwardLayout;
import java.util.Map;

/** Opens sessions for clients that have authenticated. Thread-safe. */
public final class SessionFactory {
  /** The only database of this version. */
  public static final String DATABASE = "gauss";

  private final SessionServices services;
  private final String slowStatementMillis;

  /**
   * @param slowStatementMillis log_min_duration_statement of new sessions
   */
  public SessionFactory(SessionServices services, int slowStatementMillis) {
    this.services = services;
    this.slowStatementMillis = Integer.toString(slowStatementMillis);
  }

  /**
   * Handles a client's request to cancel the statement of a session, on any compute node. A request
   * with a wrong number or secret is ignored. Never waits.
   */
  public void cancelByKey(int session, int secret) {
    services.cluster().cancelByKey(session, secret);
  }

  /** For tests of this package. */
  SessionServices services() {
    return services;
  }

  /** Counts a client that was not allowed to log in. */
  public void loginRefused() {
    services.metrics().loginRefused();
  }

  /** Whether there is a role of this name, and it is a superuser. */
  public boolean isSuperuser(String user) {
    RoleDef role = services.catalog().current().role(user);
    return role != null && role.superuser();
  }

  /** Sessions that serve clients of other nodes. */
  public ForwardedSessions forwarded() {
    return services.cluster().forwarded();
  }

  /**
   * Opens a session that serves the client of another node's session.
   *
   * @param ticket that the other node has got
   * @throws GaussException 28000 when it is invalid, or the role is not known here
   */
  public Session openForwarded(
      long ticket, long ticketEnd, Session.Connection of, ResponseWriter out) {
    ForwardedSessions.Admission admission = forwarded().take(ticket, ticketEnd);
    FaultPoints.hit("forward.open");
    ForwardLayout.Question question = admission == null ? null : admission.question();
    RoleDef role = question == null ? null : services.catalog().current().role(question.role());
    if (role == null) {
      throw new GaussException(
          SqlState.INVALID_AUTHORIZATION_SPECIFICATION, "no session may be forwarded here");
    }
    SessionState state = new SessionState(services);
    try {
      state.roles().authenticated(role);
      state.settings().adoptStart(question.settings());
    } catch (RuntimeException e) {
      state.close();
      throw e;
    }
    Session session = new Session(services, state, out);
    session.moves().serveOther();
    session.identifyAs(of, question.session(), question.client());
    services.sessionOpened(session);
    forwarded().opened(admission, session);
    return session;
  }

  /**
   * Opens a session.
   *
   * @param parameters of the start-up packet: user, database, options, and settings by name
   * @throws GaussException 28000 unknown user, 3D000 unknown database, 22023, 42704 or 0A000 for
   *     settings
   */
  public Session open(Map<String, String> parameters, ResponseWriter out) {
    String user = parameters.get("user");
    if (user == null || user.isEmpty()) {
      throw new GaussException(
          SqlState.INVALID_AUTHORIZATION_SPECIFICATION,
          "no PostgreSQL user name specified in startup packet");
    }
    RoleDef role = services.catalog().current().role(user);
    if (role == null) {
      throw new GaussException(
          SqlState.INVALID_AUTHORIZATION_SPECIFICATION,
          "role \"%s\" does not exist".formatted(user));
    }
    if (!role.login()) {
      throw new GaussException(
          SqlState.INVALID_AUTHORIZATION_SPECIFICATION,
          "role \"%s\" is not permitted to log in".formatted(user));
    }
    String database = parameters.getOrDefault("database", user);
    if (!database.equals(DATABASE)) {
      throw new GaussException(
          SqlState.INVALID_CATALOG_NAME, "database \"%s\" does not exist".formatted(database));
    }
    String replication = parameters.getOrDefault("replication", "false");
    if (!replication.equals("false") && !replication.equals("off") && !replication.equals("0")) {
      throw GaussException.notSupported("the replication protocol");
    }
    services.checkConnectionLimit(role);
    SessionState state = new SessionState(services);
    try {
      state.settings().setOwn("log_min_duration_statement", slowStatementMillis);
      state.roles().authenticated(role);
      for (Map.Entry<String, String> parameter : parameters.entrySet()) {
        switch (parameter.getKey()) {
          case "user", "database", "replication" -> {
            // Handled above.
          }
          case "options" -> StartOptions.apply(parameter.getValue(), state.settings());
          default -> state.settings().setAtStart(parameter.getKey(), parameter.getValue());
        }
      }
    } catch (RuntimeException e) {
      state.close();
      throw e;
    }
    Session session = new Session(services, state, out);
    services.sessionOpened(session);
    return session;
  }
}
