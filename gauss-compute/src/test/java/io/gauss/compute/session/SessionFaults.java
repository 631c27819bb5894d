package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.compute.catalog.Catalog;

/** Lets tests make sessions fail. */
public final class SessionFaults {
  private SessionFaults() {}

  /** The next message of an idle session fails. */
  public static void failNext(SessionFactory sessions, int processId, GaussException with) {
    sessions.services().cluster().keys().find(processId).failNext(with);
  }

  /** The catalog of the node. */
  public static Catalog catalog(SessionFactory sessions) {
    return sessions.services().catalog();
  }
}
