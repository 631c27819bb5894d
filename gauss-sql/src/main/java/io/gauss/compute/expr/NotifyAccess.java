package io.gauss.compute.expr;

import io.gauss.common.error.GaussException;
import java.util.List;

/** The session's notifications, for the functions about them. */
public interface NotifyAccess {
  NotifyAccess NONE = new NotifyAccess() {};

  /**
   * {@code pg_notify}: sessions that listen to the channel are notified when the transaction
   * commits. Only where waiting is allowed: what a statement has told is not undone when it is run
   * again.
   *
   * @throws GaussException 22023 when channel or payload is too long, or the channel empty
   */
  default void tell(String channel, String payload) {
    throw outside();
  }

  /** {@code pg_listening_channels}. */
  default List<String> listening() {
    throw outside();
  }

  /**
   * {@code pg_notification_queue_usage}: the taken share of the fullest queue of all compute nodes,
   * of those that answer. May wait for them.
   */
  default double queueUsage() {
    throw outside();
  }

  private static GaussException outside() {
    return GaussException.notSupported("a notification outside a session");
  }
}
