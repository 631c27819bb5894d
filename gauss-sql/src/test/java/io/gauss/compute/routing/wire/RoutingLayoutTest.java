package io.gauss.compute.routing.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.routing.data.AccessSample;
import io.gauss.compute.routing.data.GroupOwners;
import io.gauss.compute.routing.data.GroupOwners.Place;
import io.gauss.compute.routing.data.NodeLoad;
import io.gauss.compute.routing.data.PublishedRouting;
import io.gauss.compute.routing.data.RoutingMode;
import io.gauss.compute.routing.wire.RoutingLayout.Question;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The bytes of messages about routing, and what is refused. */
class RoutingLayoutTest {
  private static void assertBytes(String expected, ByteBuf message) {
    assertEquals(expected.replace(" ", ""), ByteBufUtil.hexDump(message));
  }

  private static void assertRefused(Runnable reading) {
    GaussException e = assertThrows(GaussException.class, reading::run);
    assertEquals(SqlState.PROTOCOL_VIOLATION, e.state());
  }

  @Test
  void loadAndSamples() {
    AccessSample sample =
        new AccessSample(
            3,
            7,
            RoutingMode.TABLE,
            true,
            "ö",
            Arrays.asList(5L, null, 0.5, "a"),
            new long[] {0x11, 0x12},
            new long[] {0x12},
            new long[] {0x11},
            2.5,
            20,
            9,
            4,
            false,
            10,
            new int[] {0x4000, 0x4001});
    ByteBuf message =
        RoutingLayout.writeQuestion(
            Unpooled.buffer(), new Question(3, 17, new NodeLoad(6, 2, 0.25), List.of(sample)));
    assertBytes(
        "0400 0300 1100000000000000 06000000 02000000 fa00 0100"
            + " 0700000000000000 02 01 0200c3b6"
            + " 0400 010500000000000000 00 02000000000000e03f 03010061"
            + " 0a000000 0200 00400000 01400000"
            + " 0200 1100000000000000 1200000000000000 0100 1200000000000000"
            + " 0100 1100000000000000 00002040 14000000 09000000 04000000",
        message);
    for (int length = 0; length < message.readableBytes(); length++) {
      ByteBuf part = message.slice(0, length);
      assertRefused(() -> RoutingLayout.readQuestion(part));
    }
    assertRefused(() -> RoutingLayout.readQuestion(message.copy().setShortLE(0, 3)));
    Question read = RoutingLayout.readQuestion(message.slice());
    assertEquals(17, read.known());
    assertEquals(new NodeLoad(6, 2, 0.25), read.load());
    AccessSample got = read.samples().getFirst();
    assertEquals(sample.values(), got.values());
    assertArrayEquals(sample.groups(), got.groups());
    assertEquals(sample.withoutStatement().routing(), got.routing());
    assertEquals(3, got.node());
    assertArrayEquals(sample.moved(), got.moved());
    assertEquals(2.5, got.weight());
    assertEquals(20, got.accesses());
    assertEquals(10, got.role());
    assertArrayEquals(sample.tables(), got.tables());
    int weightAt = message.readableBytes() - 16;
    for (float wrong : new float[] {0, Float.NaN, Float.POSITIVE_INFINITY}) {
      ByteBuf other = message.copy().readerIndex(0);
      assertRefused(() -> RoutingLayout.readQuestion(other.setFloatLE(weightAt, wrong)));
    }
  }

  @Test
  void whatWasLearned() {
    ByteBuf none = RoutingLayout.writeAnswer(Unpooled.buffer(), null);
    assertBytes("0400 00", none);
    assertNull(RoutingLayout.readAnswer(none));
    ByteBuf answer =
        RoutingLayout.writeAnswer(
            Unpooled.buffer(),
            new PublishedRouting(
                2,
                3,
                new byte[] {8, 9},
                null,
                new byte[] {7},
                GroupOwners.of(
                    Map.of(0x21L, new Place(4, 65_535, 0.5f), 0x11L, new Place(5, 2, 1)))));
    assertBytes(
        "0400 01 0200000000000000 0300000000000000 02000000 0809 ffffffff 01000000 07"
            + " 02000000 1100000000000000 0500 0200 0000803f"
            + " 2100000000000000 0400 ffff 0000003f",
        answer);
    for (int length = 0; length < answer.readableBytes(); length++) {
      ByteBuf part = answer.slice(0, length);
      assertRefused(() -> RoutingLayout.readAnswer(part));
    }
    PublishedRouting read = RoutingLayout.readAnswer(answer);
    assertEquals(2, read.version());
    assertArrayEquals(new byte[] {8, 9}, read.model());
    assertNull(read.table());
    assertArrayEquals(new byte[] {7}, read.sources());
    assertEquals(2, read.owners().size());
    assertEquals(new Place(4, 65_535, 0.5f), read.owners().places().get(0x21L));
    assertEquals(5, read.owners().slot(0x11));
    assertEquals(4, read.owners().slot(0x21));
    assertEquals(0, read.owners().slot(0x12));
  }
}
