package io.gauss.storage.node;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.Environment;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.Request;
import io.gauss.storage.wire.NodeStatus;
import io.gauss.storage.wire.NodeStatusLayout;
import io.gauss.storage.wire.StorageMessages;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers status requests. Runs on its own thread, since it accesses the disk and may wait for a
 * replica that is being started. Thread-safe.
 */
final class StatusService implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StatusService.class);

  private final Supplier<NodeStatus> status;
  private final ByteBufAllocator allocator;
  private final ExecutorService thread = Environment.scheduler("gauss-status");

  StatusService(Supplier<NodeStatus> status, ByteBufAllocator allocator) {
    this.status = status;
    this.allocator = allocator;
  }

  void register(Handlers handlers) {
    handlers.on(StorageMessages.NODE_STATUS, thread, this::answer);
  }

  private void answer(Request request) {
    try {
      NodeStatusLayout.checkRequest(request.payload());
      request.reply(NodeStatusLayout.write(allocator.buffer(), status.get()));
    } catch (GaussException e) {
      request.fail(e.state(), e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("this node's status cannot be told", e);
      request.fail(SqlState.INTERNAL_ERROR, e.toString());
    }
  }

  @Override
  public void close() {
    thread.shutdown();
  }
}
