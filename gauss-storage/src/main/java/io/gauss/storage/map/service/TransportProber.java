package io.gauss.storage.map.service;

import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Transport;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.client.PeerMapConnection;
import io.gauss.storage.map.message.MapAnswer;
import io.gauss.storage.map.message.MapMessages;
import io.gauss.storage.map.message.MapRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Probes by connecting and, if the connection is accepted, by asking for the incarnation: a
 * restarted process listens at the same port. Thread-safe.
 */
public final class TransportProber implements Prober {
  private final Transport transport;
  private final Prober ports;
  private final int timeoutMillis;

  /**
   * @param ports tells whether the port is open
   */
  public TransportProber(Transport transport, Prober ports, int timeoutMillis) {
    this.transport = transport;
    this.ports = ports;
    this.timeoutMillis = timeoutMillis;
  }

  @Override
  public CompletableFuture<Found> probe(MapNode node) {
    return ports
        .probe(node)
        .thenCompose(
            found -> found == Found.ANSWERS ? ask(node) : CompletableFuture.completedFuture(found));
  }

  private CompletableFuture<Found> ask(MapNode node) {
    Endpoint endpoint = node.endpoint(Endpoint.Purpose.PEER).orElseThrow();
    // Accepts any node at that address: it may be another one.
    Peer peer = transport.connect(new NodeAddress(endpoint.host(), endpoint.port()), 0);
    return new PeerMapConnection(node.id(), peer, MapMessages.NODE_INCARNATION)
        .request(new MapRequest.WhoAreYou(), TimeUnit.MILLISECONDS.toNanos(timeoutMillis))
        .thenApply(
            answer ->
                answer instanceof MapAnswer.Incarnation is && is.incarnation() != node.incarnation()
                    ? Found.OTHER
                    : Found.ANSWERS)
        .exceptionally(failure -> Found.SILENT)
        .whenComplete((found, failure) -> peer.close());
  }
}
