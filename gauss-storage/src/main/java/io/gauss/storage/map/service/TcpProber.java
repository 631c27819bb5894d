package io.gauss.storage.map.service;

import io.gauss.common.runtime.Environment;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
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
  private final String refusal;

  TcpProber(int timeoutMillis) {
    this(timeoutMillis, OfThisSystem.REFUSAL);
  }

  /**
   * @param refusal what this system says of a port that is refused
   */
  TcpProber(int timeoutMillis, String refusal) {
    this.timeoutMillis = timeoutMillis;
    this.refusal = refusal;
  }

  /**
   * What this system says, in its own language, of a port that is refused. The exception's type
   * does not tell it: that is the same for a host that says nothing, as soon as the system gives up
   * before the time of a probe is over.
   */
  private static final class OfThisSystem {
    static final String REFUSAL = find();

    private static final int TIMEOUT_MILLIS = 1000;

    private static String find() {
      // Nobody listens at the port, and nobody else can have it meanwhile.
      try (Socket bound = new Socket();
          Socket socket = new Socket()) {
        bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        socket.connect(bound.getLocalSocketAddress(), TIMEOUT_MILLIS);
        LOG.warn("a port at which nobody listens takes connections");
      } catch (ConnectException e) {
        return e.getMessage();
      } catch (IOException e) {
        LOG.warn("how this system refuses connections is not known: {}", e.toString());
      }
      return "Connection refused";
    }
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
      return found(e);
    } catch (IOException e) {
      LOG.debug("{} cannot be reached: {}", endpoint, e.getMessage());
      return Found.SILENT;
    }
  }

  /** What a connection that could not be made says. */
  Found found(ConnectException e) {
    return refusal.equals(e.getMessage()) ? Found.REFUSED : Found.SILENT;
  }
}
