package io.gauss.storage.map.service;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.transport.ConnectionListener;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.RemoteNode;
import io.gauss.common.transport.Request;
import io.gauss.storage.map.codec.MapMessageCodec;
import io.gauss.storage.map.message.MapAnswer;
import io.gauss.storage.map.message.MapMessages;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the cluster map over the transport, and informs the service of broken connections.
 * Handlers run on event loops and do not block. Thread-safe.
 */
public final class MapTransportServer implements ConnectionListener {
  private static final Logger LOG = LoggerFactory.getLogger(MapTransportServer.class);

  private final ClusterMapService service;

  public MapTransportServer(ClusterMapService service) {
    this.service = service;
  }

  public void register(Handlers handlers) {
    handlers.on(MapMessages.CLUSTER_MAP, this::handle);
  }

  private void handle(Request request) {
    try {
      service
          .handle(MapMessageCodec.decodeRequest(ByteBufUtil.getBytes(request.payload())))
          .whenComplete((answer, failure) -> reply(request, answer, failure));
    } catch (GaussException e) {
      request.fail(e.state(), e.getMessage());
    }
  }

  private static void reply(Request request, MapAnswer answer, Throwable failure) {
    if (failure == null) {
      request.reply(Unpooled.wrappedBuffer(MapMessageCodec.encode(answer)));
      return;
    }
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof GaussException e) {
      request.fail(e.state(), e.getMessage());
    } else {
      LOG.error("a request about the cluster map failed", cause);
      request.fail(SqlState.INTERNAL_ERROR, cause.toString());
    }
  }

  @Override
  public void connected(RemoteNode node, boolean outgoing) {
    LOG.debug("{} is connected", node);
  }

  /**
   * Considers only connections opened by the other node: nodes keep those for their whole life,
   * while this node's own connections, for probing among others, are temporary.
   */
  @Override
  public void disconnected(RemoteNode node, boolean outgoing, String reason) {
    if (!outgoing) {
      service.connectionLost(node.node());
    }
  }
}
