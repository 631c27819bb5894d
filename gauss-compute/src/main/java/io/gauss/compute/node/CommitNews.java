package io.gauss.compute.node;

import io.gauss.common.error.GaussException;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.notify.Notifications;
import java.util.function.Consumer;

/** This node's commits, as far as others may know of them. */
record CommitNews(LogBuffer log) implements Notifications.Log {
  @Override
  public void whenVisible(long lsn, Consumer<GaussException> done) {
    log.whenVisible(lsn, done::accept);
  }

  @Override
  public long visibleLsn() {
    return log.visibleLsn();
  }
}
