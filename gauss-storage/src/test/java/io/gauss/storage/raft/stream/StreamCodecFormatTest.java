package io.gauss.storage.raft.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Golden bytes of requests about streams and of their answers: a change here is a new version. */
class StreamCodecFormatTest {
  private static final UnpooledByteBufAllocator ALLOCATOR = UnpooledByteBufAllocator.DEFAULT;

  private static final Map<StreamRequest, String> REQUESTS =
      Map.ofEntries(
          Map.entry(new StreamRequest.Ask(3), "211: 0100000003000000"),
          Map.entry(new StreamRequest.Seal(3, 9), "212: 0100000003000000" + "09000000"),
          Map.entry(
              new StreamRequest.Open(3, 9, 0xABCD),
              "213: 0100000003000000" + "09000000" + "cdab000000000000"),
          Map.entry(
              new StreamRequest.Trim(3, 0x1122), "214: 0100000003000000" + "2211000000000000"),
          Map.entry(
              new StreamRequest.Read(3, 0x1122, 0x1133, 0x10000, 250),
              "215: 0100000003000000"
                  + "2211000000000000"
                  + "3311000000000000"
                  + "00000100"
                  + "fa00000000000000"),
          Map.entry(
              new StreamRequest.Locate(3, 0x501, 0x1133),
              "216: 0100000003000000" + "0105000000000000" + "3311000000000000"),
          Map.entry(new StreamRequest.Entry(3, 77), "217: 0100000003000000" + "4d00000000000000"),
          Map.entry(
              new StreamRequest.Subscribe(3, 202, 90, 0x1122),
              "218: 0100000003000000" + "ca000000" + "5a00000000000000" + "2211000000000000"),
          Map.entry(
              new StreamRequest.Raise(3, 202, 90, 0x1122),
              "219: 0100000003000000" + "ca000000" + "5a00000000000000" + "2211000000000000"),
          Map.entry(
              new StreamRequest.Unsubscribe(3, 202, 90),
              "222: 0100000003000000" + "ca000000" + "5a00000000000000"));

  private static final Map<StreamAnswer, String> ANSWERS =
      Map.ofEntries(
          Map.entry(new StreamAnswer.Appended(0x1122), "01000100" + "2211000000000000"),
          Map.entry(new StreamAnswer.WrongOffset(0x1122), "01000200" + "2211000000000000"),
          Map.entry(new StreamAnswer.Fenced(9), "01000300" + "09000000"),
          Map.entry(
              new StreamAnswer.State(new StreamInfo(0x10, 0x1122, 0x501, 9)),
              "01000400"
                  + "1000000000000000"
                  + "2211000000000000"
                  + "0105000000000000"
                  + "09000000"),
          Map.entry(
              new StreamAnswer.Located(OptionalLong.of(0x1122)), "01000600" + "2211000000000000"),
          Map.entry(
              new StreamAnswer.Located(OptionalLong.empty()), "01000600" + "ffffffffffffffff"),
          Map.entry(new StreamAnswer.NotLeader(OptionalInt.of(202)), "01000700" + "ca000000"),
          Map.entry(new StreamAnswer.NotLeader(OptionalInt.empty()), "01000700" + "ffffffff"),
          Map.entry(new StreamAnswer.DiskFull("log"), "01000800" + "03000000" + "6c6f67"),
          Map.entry(new StreamAnswer.Busy("\u20ac"), "01000900" + "03000000" + "e282ac"),
          Map.entry(new StreamAnswer.Unknown(""), "01000a00" + "00000000"),
          Map.entry(
              new StreamAnswer.Subscribed(0x10, 90, 0x1122),
              "01000d00" + "1000000000000000" + "5a00000000000000" + "2211000000000000"),
          Map.entry(
              new StreamAnswer.Subscribed(0x10, -1, -1),
              "01000d00" + "1000000000000000" + "ffffffffffffffff" + "ffffffffffffffff"),
          Map.entry(
              new StreamAnswer.Refused("55000", "no"),
              "01000b00" + "05000000" + "3535303030" + "02000000" + "6e6f"));

  private static String hex(StreamRequest request) {
    return StreamCodec.type(request).id()
        + ": "
        + ByteBufUtil.hexDump(StreamCodec.encode(request, ALLOCATOR));
  }

  private static StreamAnswer decoded(String hex) {
    return StreamCodec.decodeAnswer(ALLOCATOR.buffer().writeBytes(ByteBufUtil.decodeHexDump(hex)));
  }

  private static String hex(StreamAnswer answer) {
    return ByteBufUtil.hexDump(StreamCodec.encode(answer, ALLOCATOR));
  }

  @Test
  void requestsHaveTheseBytes() {
    REQUESTS.forEach(
        (request, bytes) -> {
          assertEquals(bytes, hex(request));
          assertEquals(
              request,
              StreamCodec.decodeRequest(
                  StreamCodec.type(request), StreamCodec.encode(request, ALLOCATOR)));
        });
  }

  @Test
  void anAppendIsItsEntryBehindTheHeader() {
    StreamRequest.Append append = new StreamRequest.Append(3, new byte[] {1, 2, 3});
    assertEquals("210: 0100000003000000" + "010203", hex(append));
    StreamRequest.Append read =
        (StreamRequest.Append)
            StreamCodec.decodeRequest(
                StreamCodec.type(append), StreamCodec.encode(append, ALLOCATOR));
    assertArrayEquals(append.entry(), read.entry());
  }

  @Test
  void answersHaveTheseBytes() {
    ANSWERS.forEach(
        (answer, bytes) -> {
          assertEquals(bytes, hex(answer));
          assertEquals(answer, decoded(bytes));
        });
  }

  @Test
  void batchesHaveTheseBytes() {
    StreamAnswer.Batch batch =
        new StreamAnswer.Batch(0x1122, 0x501, 0x601, ByteBuffer.wrap(new byte[] {1, 2, 3}));
    String bytes =
        "01000500"
            + "3311000000000000"
            + "01000000"
            + "2211000000000000"
            + "0105000000000000"
            + "0106000000000000"
            + "03000000"
            + "010203";
    StreamAnswer answer = new StreamAnswer.Batches(List.of(batch), 0x1133);
    assertEquals(bytes, hex(answer));
    assertEquals(answer, decoded(bytes));
  }

  @Test
  void anEntryHasTheseBytes() {
    String bytes = "01000c00" + "03000000" + "080102";
    assertEquals(bytes, hex(new StreamAnswer.Entry(new byte[] {8, 1, 2})));
    assertArrayEquals(new byte[] {8, 1, 2}, ((StreamAnswer.Entry) decoded(bytes)).bytes());
  }

  @Test
  void whatIsCutOffOrTooLongOrOfAnotherVersionIsRefused() {
    REQUESTS
        .keySet()
        .forEach(
            request -> {
              ByteBuf bytes = StreamCodec.encode(request, ALLOCATOR);
              for (int length = 0; length < bytes.readableBytes(); length++) {
                assertRefused(request, bytes.slice(0, length));
              }
              assertRefused(request, bytes.copy().writeByte(0));
              assertRefused(request, bytes.copy().setShortLE(0, 2));
            });
    ANSWERS
        .values()
        .forEach(
            hex -> {
              assertThrows(GaussException.class, () -> decoded(hex + "00"));
              assertThrows(GaussException.class, () -> decoded(hex.substring(0, hex.length() - 2)));
              assertThrows(GaussException.class, () -> decoded("0200" + hex.substring(4)));
            });
    assertThrows(GaussException.class, () -> decoded("01000e00"));
  }

  private static void assertRefused(StreamRequest request, ByteBuf bytes) {
    assertThrows(
        GaussException.class,
        () -> StreamCodec.decodeRequest(StreamCodec.type(request), bytes),
        request.toString());
  }
}
