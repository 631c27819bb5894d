package io.gauss.common.transport.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.TestNodes;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.local.LocalNetwork;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messages to another node. */
class SessionLinkTest {
  private static final MessageType TYPE = new MessageType(0x7001, "test");

  private final LocalNetwork network = new LocalNetwork();
  private final Transport memory = network.transport(TestNodes.config(101, NodeRole.MEMORY));
  private final Transport compute = network.transport(TestNodes.config(1, NodeRole.COMPUTE));
  private final BlockingQueue<Integer> got = new LinkedBlockingQueue<>();

  @AfterEach
  void close() {
    memory.close();
    compute.close();
  }

  private NodeAddress listen() {
    Handlers handlers = new Handlers();
    new SessionServer(
            compute.self(),
            compute.allocator(),
            (sender, epoch, type, payload) -> got.add(payload.readInt()))
        .register(handlers);
    return compute.listen(new NodeAddress("compute", 1), handlers);
  }

  private static ByteBuf number(int number) {
    return Unpooled.buffer(4).writeInt(number);
  }

  private List<Integer> take(int count) throws InterruptedException {
    List<Integer> taken = new ArrayList<>();
    while (taken.size() < count) {
      taken.add(got.poll(60, TimeUnit.SECONDS));
    }
    return taken;
  }

  private static List<Integer> upTo(int count) {
    return java.util.stream.IntStream.range(0, count).boxed().toList();
  }

  @Test
  void whatIsSaidBeforeTheNodeIsKnownArrivesInOrderOnceItIs() throws InterruptedException {
    try (SessionLink link = new SessionLink(1)) {
      for (int i = 0; i < 100; i++) {
        link.send(TYPE, number(i));
      }
      link.connect(memory, memory.self(), 1, listen());
      link.send(TYPE, number(100));
      assertEquals(upTo(101), take(101));
    }
  }

  @Test
  void whatTheWindowDoesNotTakeFollowsInOrder() throws InterruptedException {
    try (SessionLink link = new SessionLink(1, 4)) {
      link.connect(memory, memory.self(), 1, listen());
      for (int i = 0; i < 5_000; i++) {
        link.send(TYPE, number(i));
      }
      assertEquals(upTo(5_000), take(5_000));
    }
  }

  @Test
  void nothingIsKeptForANodeThatHasGone() {
    SessionLink link = new SessionLink(1);
    ByteBuf before = number(1);
    link.send(TYPE, before);
    link.close();
    assertEquals(0, before.refCnt());
    ByteBuf after = number(2);
    link.send(TYPE, after);
    assertEquals(0, after.refCnt());
  }
}
