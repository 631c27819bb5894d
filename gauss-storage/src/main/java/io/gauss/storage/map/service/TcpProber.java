package io.gauss.storage.map.service;

import io.gauss.common.runtime.Environment;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Probes by connecting to a node's port for peers. A refusal proves that the process has ended: a
 * node listens there before it registers, and until it has stopped serving. The address must be of
 * the node's own host, not of a proxy or translator.
 */
final class TcpProber implements Prober {
  private static final Logger LOG = LoggerFactory.getLogger(TcpProber.class);

  private final int timeoutMillis;

  TcpProber(int timeoutMillis) {
    this.timeoutMillis = timeoutMillis;
  }

  @Override
  public CompletableFuture<Found> probe(MapNode node) {
    Optional<Endpoint> endpoint = node.endpoint(Endpoint.Purpose.PEER);
    if (endpoint.isEmpty()) {
      return CompletableFuture.completedFuture(Found.SILENT);
    }
    CompletableFuture<Found> found = new CompletableFuture<>();
    Environment.startVirtual(
        "gauss-map-probe-" + node.id(), () -> found.complete(connect(endpoint.get())));
    return found;
  }

  private Found connect(Endpoint endpoint) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(endpoint.host(), endpoint.port()), timeoutMillis);
      return Found.ANSWERS;
    } catch (SocketTimeoutException e) {
      return Found.SILENT;
    } catch (ConnectException e) {
      LOG.debug("{} cannot be connected to: {}", endpoint, e.getMessage());
      return "Connection refused".equals(e.getMessage()) ? Found.REFUSED : Found.SILENT;
    } catch (IOException e) {
      LOG.debug("{} cannot be reached: {}", endpoint, e.getMessage());
      return Found.SILENT;
    }
  }
}
