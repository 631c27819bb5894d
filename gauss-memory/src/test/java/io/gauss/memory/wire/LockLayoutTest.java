package io.gauss.memory.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.SqlState;
import io.gauss.memory.lock.LockAction;
import io.gauss.memory.lock.LockMode;
import io.gauss.memory.lock.LockName;
import io.gauss.memory.lock.NodeLockTransitions.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Bytes of the messages about locks. */
class LockLayoutTest {
  private static final LockName TABLE = new LockName(LockName.Kind.TABLE, 7);

  private final List<Object> got = new ArrayList<>();

  @Test
  void aRequestForALockHasTheseBytes() {
    ByteBuf message = LockLayout.begin(Unpooled.directBuffer(), 3, 1);
    LockLayout.add(message, TABLE, new Message.Request(5, LockMode.SHARE, true, false));
    assertEquals(
        "0103010001000000"
            + "0700000000000000"
            + "01010501"
            + "00000000"
            + "0500000000000000"
            + "0000000000000000",
        ByteBufUtil.hexDump(message));
  }

  @Test
  void messagesOfLocksAreTheSameOnTheOtherSide() {
    List<Message> said =
        List.of(
            new Message.Request(1, LockMode.ACCESS_EXCLUSIVE, false, true),
            new Message.Request(2, LockMode.ACCESS_SHARE, true, false),
            new Message.Withdraw(3),
            new Message.Release(0b1_1000_0000, 4),
            new Message.Report(LockMode.EXCLUSIVE, 5),
            new Message.Probed(-7, 6));
    ByteBuf up = LockLayout.begin(Unpooled.directBuffer(), 3, 1);
    said.forEach(one -> LockLayout.add(up, TABLE, one));
    LockLayout.readAtHome(up, (name, message) -> got.add(message));
    assertEquals(said, got);

    List<LockAction> ordered =
        List.of(
            new LockAction.Grant(9, 1, LockMode.ROW_SHARE, 2),
            new LockAction.Recall(9, 0b1_1000_0000, 3),
            new LockAction.Keep(9, 0b10),
            new LockAction.Probe(9, -7, 6),
            new LockAction.Deny(9, 7));
    ByteBuf down = LockLayout.begin(Unpooled.directBuffer(), 3, 1);
    ordered.forEach(one -> LockLayout.add(down, TABLE, one));
    LockLayout.addRefusal(down, TABLE, 6, SqlState.OUT_OF_MEMORY, "full");
    got.clear();
    LockLayout.readAtNode(
        down,
        9,
        new LockLayout.NodeReceiver() {
          @Override
          public void order(LockName name, LockAction action) {
            got.add(action);
          }

          @Override
          public void refused(LockName name, long request, String state, String why) {
            got.add(request + state + why);
          }
        });
    List<Object> expected = new ArrayList<>(ordered);
    expected.add("653200full");
    assertEquals(expected, got);
  }

  @Test
  void whatIsNotUnderstoodIsRefused() {
    ByteBuf message = LockLayout.begin(Unpooled.directBuffer(), 3, 0x0102);
    LockLayout.add(message, TABLE, new Message.Withdraw(5));
    assertEquals(0x0102, LockHeader.bucket(message));
    assertEquals(3, LockHeader.slot(message));
    ByteBuf unknown = message.copy().setByte(LockHeader.BYTES + 9, 4);
    assertThrows(IllegalArgumentException.class, () -> read(unknown));
    ByteBuf later = message.copy().setByte(0, 2);
    assertThrows(IllegalArgumentException.class, () -> read(later));
    ByteBuf cut = message.copy().writerIndex(message.writerIndex() - 1);
    assertThrows(IndexOutOfBoundsException.class, () -> read(cut));
  }

  @Test
  void anItemThatMakesNoSenseCostsNoOther() {
    ByteBuf message = LockLayout.begin(Unpooled.directBuffer(), 3, 1);
    LockLayout.add(message, TABLE, new Message.Withdraw(5));
    int bad = message.writerIndex();
    LockLayout.add(message, TABLE, new Message.Withdraw(6));
    LockLayout.add(message, TABLE, new Message.Withdraw(7));
    message.setByte(bad + 8, 99); // kind of lock
    assertThrows(IllegalArgumentException.class, () -> read(message));
    assertEquals(List.of(new Message.Withdraw(5), new Message.Withdraw(7)), got);
  }

  private void read(ByteBuf message) {
    LockLayout.readAtHome(message, (name, what) -> got.add(what));
  }
}
