package io.gauss.common.transport.local;

import static io.gauss.common.transport.TestNodes.config;
import static io.gauss.common.transport.TestNodes.take;
import static io.gauss.common.transport.TestNodes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.Leaks;
import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Request;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.link.NettyLoop;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node of a local network survives failures on its loop and nodes that stop. */
@Timeout(180)
class LocalNetworkTest {
  private static final MessageType ECHO = new MessageType(1, "test.echo");
  private static final MessageType SILENT = new MessageType(2, "test.silent");
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
    return future.orTimeout(60, TimeUnit.SECONDS).join();
  }

  private static void assertAnswers(Peer peer) {
    assertEquals("ping", take(await(peer.call(ECHO, text("ping"), TimeUnit.SECONDS.toNanos(30)))));
  }

  /** Returns when the peer's loop has run its submitted tasks. */
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
    // The server's loop is busy, so that it accepts only after the dialing node has stopped.
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

  @Test
  void aTransportWhoseLoopHasEndedClosesInPeace() {
    List<LocalEventLoop> loops = new ArrayList<>();
    LocalNetwork stoppable =
        new LocalNetwork(
            node -> {
              LocalEventLoop loop = new LocalEventLoop("stoppable-" + node);
              loops.add(loop);
              return new LocalNetwork.StoppableLoop(new NettyLoop(loop), () -> end(loop));
            },
            new DirectCarrier(),
            () -> 0.5);
    CompletableFuture<Request> asked = new CompletableFuture<>();
    handlers.on(SILENT, asked::complete);
    try (Transport server = stoppable.transport(config(1, NodeRole.STORAGE));
        Transport client = stoppable.transport(config(2, NodeRole.COMPUTE))) {
      Peer peer = client.connect(server.listen(ANY, handlers), 1);
      CompletableFuture<ByteBuf> call = peer.call(SILENT, text("x"), TimeUnit.SECONDS.toNanos(30));
      Request request = await(asked);
      loops.forEach(LocalNetworkTest::end);
      peer.close();
      assertThrows(CompletionException.class, () -> await(call));
      request.reply(text("nobody hears it"));
    }
  }

  /** Its loop may serve others, or be about to end. */
  @Test
  void aDialThatWasOnItsWayIsNotServedByATransportThatHasClosed() {
    List<LocalEventLoop> loops = new ArrayList<>();
    LocalNetwork lasting =
        new LocalNetwork(
            node -> {
              LocalEventLoop loop = new LocalEventLoop("lasting-" + node);
              loops.add(loop);
              return new LocalNetwork.StoppableLoop(new NettyLoop(loop), () -> {});
            },
            new DirectCarrier(),
            () -> 0.5);
    CompletableFuture<Void> resume = new CompletableFuture<>();
    try (Transport server = lasting.transport(config(1, NodeRole.STORAGE));
        Transport client = lasting.transport(config(2, NodeRole.COMPUTE))) {
      NodeAddress address = server.listen(ANY, handlers);
      loops.getFirst().execute(resume::join);
      Peer peer = client.connect(address, 1);
      turn(peer);
      server.close();
      resume.complete(null);
      CompletableFuture<ByteBuf> call =
          peer.call(ECHO, text("ping"), TimeUnit.MILLISECONDS.toNanos(500));
      assertThrows(CompletionException.class, () -> take(await(call)));
    } finally {
      resume.complete(null);
      loops.forEach(LocalNetworkTest::end);
    }
  }

  private static void end(LocalEventLoop loop) {
    loop.shutdownGracefully(0, 2, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
