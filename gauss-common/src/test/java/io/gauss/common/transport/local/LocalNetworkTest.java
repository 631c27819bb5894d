package io.gauss.common.transport.local;

import static io.gauss.common.transport.TestNodes.config;
import static io.gauss.common.transport.TestNodes.take;
import static io.gauss.common.transport.TestNodes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.Leaks;
import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a node of a local network survives: failures on its loop, and others that stop. */
@Timeout(60)
class LocalNetworkTest {
  private static final MessageType ECHO = new MessageType(1, "test.echo");
  private static final NodeAddress ANY = new NodeAddress("local", 0);

  private final LocalNetwork network = new LocalNetwork();
  private final Handlers handlers =
      new Handlers().on(ECHO, request -> request.reply(request.payload().retain()));
  private final List<Transport> nodes = new ArrayList<>();

  @AfterEach
  void close() {
    nodes.forEach(Transport::close);
  }

  @AfterAll
  static void nothingWasLeaked() {
    Leaks.check();
  }

  private Transport node(int id) {
    Transport transport = network.transport(config(id, NodeRole.STORAGE));
    nodes.add(transport);
    return transport;
  }

  private static <T> T await(CompletableFuture<T> future) {
    return future.orTimeout(30, TimeUnit.SECONDS).join();
  }

  private static void assertAnswers(Peer peer) {
    assertEquals("ping", take(await(peer.call(ECHO, text("ping"), TimeUnit.SECONDS.toNanos(30)))));
  }

  /** Returns when the peer's loop has done what it was given. */
  private static void turn(Peer peer) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    peer.execute(() -> done.complete(null));
    await(done);
  }

  @Test
  void aTaskThatFailsDoesNotEndItsNode() {
    Peer peer = node(2).connect(node(1).listen(ANY, handlers), 1);
    await(peer.connected());
    peer.execute(
        () -> {
          throw new IllegalStateException("wanted by the test");
        });
    assertAnswers(peer);
  }

  @Test
  void aNodeOutlivesOneThatStopsWhileItDials() {
    Transport server = node(1);
    NodeAddress address = server.listen(ANY, handlers);
    // The server's loop is busy, so that it accepts only after the one that dials has stopped.
    CompletableFuture<Void> resume = new CompletableFuture<>();
    Peer ofServer = server.connect(new NodeAddress("local", 1), 9);
    ofServer.execute(resume::join);
    Transport client = node(2);
    turn(client.connect(address, 1));
    client.close();
    resume.complete(null);
    assertAnswers(node(3).connect(address, 1));
    server.close();
  }
}
