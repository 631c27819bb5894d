package io.gauss.simulation;

import static io.gauss.common.transport.TestNodes.config;
import static io.gauss.common.transport.TestNodes.take;
import static io.gauss.common.transport.TestNodes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.runtime.Environment;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.local.Carrier.Messages;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Faults of the network that choose among messages. */
@Isolated
class NetworkFaultsTest {
  private static final MessageType ASKED = new MessageType(1, "test.asked");
  private static final MessageType OTHER = new MessageType(2, "test.other");
  private static final int CLIENT = 2;

  private final Simulation simulation = new Simulation(1);
  private final List<Transport> transports = new ArrayList<>();
  private SimulatedNetwork network;
  private NodeAddress server;
  private Transport client;

  private void run(Simulation.Work work) {
    simulation.run(
        () -> {
          network = new SimulatedNetwork(simulation, new SimulatedNetwork.Delay(20_000, 200_000));
          Handlers handlers = new Handlers();
          for (MessageType type : List.of(ASKED, OTHER)) {
            handlers.on(type, request -> request.reply(request.payload().retain()));
          }
          server = transport(1).listen(new NodeAddress("local", 0), handlers);
          client = transport(CLIENT);
          work.run();
          transports.forEach(Transport::close);
        });
  }

  private Transport transport(int node) {
    Transport transport = network.transport(config(node, NodeRole.STORAGE));
    transports.add(transport);
    return transport;
  }

  private static CompletableFuture<ByteBuf> call(Peer peer, MessageType type, String text) {
    return peer.call(type, text(text), TimeUnit.SECONDS.toNanos(30));
  }

  private static boolean isAsked(int from, Messages messages) {
    for (int i = 0; i < messages.count(); i++) {
      if (from == CLIENT && messages.type(i) == ASKED.id()) {
        return true;
      }
    }
    return false;
  }

  @Test
  void aConnectionStandsStillFromAMessageOnAndOthersDoNot() {
    run(
        () -> {
          Peer one = client.connect(server, 1);
          Peer other = client.connect(server, 1);
          assertEquals("before", take(call(one, OTHER, "before").join()));
          SimulatedNetwork.Stall stall =
              network.stall((from, to, messages) -> isAsked(from, messages));
          CompletableFuture<ByteBuf> held = call(one, ASKED, "held");
          CompletableFuture<ByteBuf> behind = call(one, OTHER, "behind");
          assertEquals("elsewhere", take(call(other, OTHER, "elsewhere").join()));
          Environment.parkNanos(TimeUnit.SECONDS.toNanos(1));
          assertFalse(held.isDone() || behind.isDone());
          stall.end();
          assertEquals("held", take(held.join()));
          assertEquals("behind", take(behind.join()));
        });
  }

  @Test
  void aMessageIsAwaited() {
    run(
        () -> {
          Peer peer = client.connect(server, 1);
          Environment.start(
              "later",
              () -> {
                Environment.parkNanos(TimeUnit.SECONDS.toNanos(2));
                call(peer, ASKED, "x").thenAccept(ByteBuf::release);
              });
          SimulatedNetwork.Choice asked = (from, to, messages) -> isAsked(from, messages);
          assertFalse(network.awaitSent(asked, TimeUnit.SECONDS.toNanos(1)));
          assertTrue(network.awaitSent(asked, TimeUnit.SECONDS.toNanos(30)));
          assertEquals(2, simulation.elapsed().toSeconds());
        });
  }

  @Test
  void otherBytesArrive() {
    run(
        () -> {
          Peer peer = client.connect(server, 1);
          network.tamper(
              (from, to, messages) -> {
                if (isAsked(from, messages)) {
                  messages.replace(messages.count() - 1, text("damaged"));
                }
              });
          assertEquals("whole", take(call(peer, OTHER, "whole").join()));
          assertEquals("damaged", take(call(peer, ASKED, "asked").join()));
        });
  }
}
