package io.gauss.storage.raft.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.junit.jupiter.api.Test;

/** What one member writes another one reads, and nothing else. */
class RaftMessageLayoutTest {
  private static List<AppendEntriesRequestProto> read(ByteBuf message) {
    try {
      return RaftMessageLayout.readParts(message, AppendEntriesRequestProto.parser());
    } finally {
      message.release();
    }
  }

  private static void assertRefused(ByteBuf message) {
    GaussException refused = assertThrows(GaussException.class, () -> read(message));
    assertEquals(SqlState.PROTOCOL_VIOLATION, refused.state());
  }

  @Test
  void partsComeAsTheyWereSent() {
    List<AppendEntriesRequestProto> parts =
        List.of(RaftExamples.ENTRY, RaftExamples.HEARTBEAT, RaftExamples.ENTRY);
    assertEquals(parts, read(RaftExamples.message(RaftExamples.ENTRY, parts.get(1), parts.get(2))));
    assertEquals(List.of(), read(RaftExamples.message()));
  }

  /** They stay in the log's memory when the message's has become another one's. */
  @Test
  void partsKeepNothingOfTheMessage() {
    ByteBuf message = RaftExamples.message(RaftExamples.ENTRY);
    AppendEntriesRequestProto entry =
        RaftMessageLayout.read(message, AppendEntriesRequestProto.parser());
    message.setZero(0, message.readableBytes());
    assertEquals(RaftExamples.ENTRY, entry);
    assertEquals(
        0,
        entry
            .getEntries(0)
            .getStateMachineLogEntry()
            .getLogData()
            .asReadOnlyByteBuffer()
            .position());
    message.release();
  }

  @Test
  void aPartMayBeMissing() {
    ByteBuf message = RaftExamples.message(null, RaftExamples.HEARD);
    assertEquals(
        Arrays.asList(null, RaftExamples.HEARD),
        RaftMessageLayout.readParts(message, AppendEntriesReplyProto.parser()));
    assertThrows(
        GaussException.class,
        () -> RaftMessageLayout.readAll(message, AppendEntriesReplyProto.parser()));
    message.release();
  }

  @Test
  void aMessageThatIsCutOffAnywhereIsRefused() {
    ByteBuf whole = RaftExamples.message(RaftExamples.ENTRY, RaftExamples.HEARTBEAT);
    for (int length = 0; length < whole.readableBytes(); length++) {
      assertRefused(whole.copy(0, length));
    }
    assertRefused(Unpooled.wrappedBuffer(whole, Unpooled.wrappedBuffer(new byte[1])));
  }

  @Test
  void anotherVersionIsRefused() {
    ByteBuf message = RaftExamples.message(RaftExamples.HEARTBEAT);
    message.setShortLE(0, RaftMessageLayout.VERSION_VALUE + 1);
    assertRefused(message);
  }

  @Test
  void aLengthBelowZeroIsRefused() {
    ByteBuf message = RaftExamples.message(RaftExamples.HEARTBEAT);
    message.setIntLE(4, -1);
    assertRefused(message);
  }
}
