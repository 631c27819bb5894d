package io.gauss.memory.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.common.id.PageId;
import io.gauss.common.transport.session.SessionLink;
import io.gauss.memory.wire.FromHome;
import io.gauss.memory.wire.PageMessageLayout;
import io.gauss.memory.wire.ToCompute;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What waits for other messages, and for how long. */
class OrdersTest {
  private static final int SLOT = 1;
  private static final int EPOCH = 11;
  private static final long PAGE = PageId.of(9, 1);

  private final ComputeLinks links = new ComputeLinks(null, null); // frames stay in its links
  private final SessionLink link = links.heard(EPOCH, SLOT).link();
  private final SessionLink other = links.heard(12, 2).link();
  private final Orders orders = new Orders(links, UnpooledByteBufAllocator.DEFAULT, () -> this.now);
  private long now = 5;

  @AfterEach
  void close() {
    links.close();
  }

  private static ToCompute confirmed(long number) {
    return new FromHome.Confirmed(1, PAGE, number);
  }

  private static ToCompute revoke() {
    return new FromHome.Revoke(1, PAGE, 3);
  }

  private static int bytes(ToCompute... messages) {
    return PageMessageLayout.write(UnpooledByteBufAllocator.DEFAULT, List.of(messages))
        .readableBytes();
  }

  @Test
  void whatSomebodyWaitsForGoesAtOnce() {
    orders.toCompute(SLOT, EPOCH, revoke());
    orders.flush();
    assertEquals(1, link.waitingMessages());
  }

  @Test
  void aConfirmationGoesWithTheNextFrame() {
    orders.toCompute(SLOT, EPOCH, confirmed(1));
    orders.flush();
    assertEquals(0, link.waitingMessages());
    orders.toCompute(2, 12, revoke());
    orders.flush();
    assertEquals(0, link.waitingMessages(), "that is for another node");
    assertEquals(1, other.waitingMessages());
    orders.toCompute(SLOT, EPOCH, revoke());
    orders.flush();
    assertEquals(1, link.waitingMessages());
    assertEquals(bytes(confirmed(1), revoke()), link.waitingBytes());
    now += Orders.LATE_NANOS;
    orders.flush();
    assertEquals(1, link.waitingMessages(), "once");
  }

  @Test
  void confirmationsDoNotWaitForLong() {
    orders.toCompute(SLOT, EPOCH, confirmed(1));
    orders.flush();
    now += Orders.LATE_NANOS - 1;
    orders.toCompute(2, 12, confirmed(2));
    orders.flushLate();
    assertEquals(0, link.waitingMessages());
    now++;
    orders.flushLate();
    assertEquals(1, link.waitingMessages());
    assertEquals(1, other.waitingMessages(), "others go along");
    orders.toCompute(SLOT, EPOCH, confirmed(3));
    orders.flush();
    assertEquals(1, link.waitingMessages(), "it begins to wait anew");
  }

  @Test
  void theNextLifeOfANodeGetsNothingOfTheLast() {
    orders.toCompute(SLOT, EPOCH, confirmed(1));
    orders.flush();
    SessionLink next = links.heard(13, SLOT).link();
    orders.toCompute(SLOT, 13, revoke());
    orders.flush();
    assertEquals(bytes(confirmed(1)), link.waitingBytes());
    assertEquals(bytes(revoke()), next.waitingBytes());
  }
}
