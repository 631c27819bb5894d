package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.compute.catalog.Catalog;
import io.gauss.compute.catalog.RoleDef;
import io.gauss.compute.session.wire.ForwardLayout;
import java.util.Map;

/** Lets tests make sessions fail. */
public final class SessionFaults {
  private SessionFaults() {}

  /** The next message of an idle session fails. */
  public static void failNext(SessionFactory sessions, int processId, GaussException with) {
    sessions.services().cluster().keys().find(processId).failNext(with);
  }

  /** The block of an idle session is lost with the node that had it. */
  public static void loseBlock(SessionFactory sessions, int processId, GaussException with) {
    sessions.services().cluster().keys().find(processId).moves().loseBlock(with);
  }

  /** As {@link #failNext}, of the session that serves another node's client. */
  public static void failForwarded(SessionFactory sessions, int processId, GaussException with) {
    sessions.forwarded().find(processId).failNext(with);
  }

  /** Ends the session that serves another node's client. */
  public static void endForwarded(SessionFactory sessions, int processId, GaussException with) {
    sessions.forwarded().find(processId).terminate(with);
  }

  /** Whether a session serves a client of another node. */
  public static boolean isServed(SessionFactory sessions, int processId) {
    return sessions.forwarded().find(processId) != null;
  }

  /** Lets another session in for a client of another node. */
  public static ForwardLayout.Answer ticket(SessionFactory sessions, int processId) {
    return sessions
        .forwarded()
        .admit(new ForwardLayout.Question(processId, RoleDef.BOOTSTRAP.oid(), "", Map.of()));
  }

  /** The catalog of the node. */
  public static Catalog catalog(SessionFactory sessions) {
    return sessions.services().catalog();
  }
}
