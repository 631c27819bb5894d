package io.gauss.storage.raft.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Bytes on disks that other versions will read. */
class StreamFormatsTest {
  private static final HexFormat HEX = HexFormat.of();

  private static final byte[] APPEND =
      StreamEntryLayout.append(
          3, 9, 0x1122, 0x501, 0x601, 0x1000, ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5}));

  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Test
  void anAppendHasTheseBytes() {
    assertEquals(
        "47534531" // magic
            + "01010000" // version, append
            + "03000000" // stream
            + "09000000" // epoch
            + "2211000000000000" // offset
            + "0105000000000000" // first LSN
            + "0106000000000000" // last LSN
            + "0010000000000000" // durable offset
            + "05000000" // length
            + "72e8df7c" // checksum
            + "0102030405",
        HEX.formatHex(APPEND));
    assertNull(StreamEntryLayout.flaw(littleEndian(APPEND)));
  }

  @Test
  void aTrimHasTheseBytes() {
    assertEquals(
        "47534531"
            + "01040000"
            + "03000000"
            + "00000000"
            + "e803000000000000"
            + "0000000000000000"
            + "0000000000000000"
            + "0000000000000000"
            + "00000000"
            + "82048ea7",
        HEX.formatHex(StreamEntryLayout.command(new StreamEntry.Trim(3, 0, 1000))));
  }

  @Test
  void aSnapshotHasTheseBytes() throws IOException {
    StreamSnapshot snapshot =
        new StreamSnapshot(3, 2, 77, 100, 5000, 0x901, 6, 5, 0xABCD, Subscriptions.NONE);
    String expected =
        "47535331" // magic
            + "01000000" // version
            + "03000000" // stream
            + "06000000" // epoch
            + "0200000000000000" // term
            + "4d00000000000000" // Raft index
            + "6400000000000000" // start
            + "8813000000000000" // end
            + "0109000000000000" // last LSN
            + "05000000" // opened epoch
            + "00000000"
            + "cdab000000000000" // token
            + "d34d26d4";
    assertEquals(expected, HEX.formatHex(snapshot.encode()));
    assertEquals(snapshot, StreamSnapshot.decode(HEX.parseHex(expected)));
  }

  @Test
  void aSnapshotWithSubscriptionsHasTheseBytes() throws IOException {
    Subscriptions two = Subscriptions.NONE.subscribed(4, 90, 1000, 0).subscribed(202, 7, 100, 0);
    StreamSnapshot snapshot = new StreamSnapshot(3, 2, 77, 100, 5000, 0x901, 6, 5, 0xABCD, two);
    String expected =
        "47535331"
            + "02000000" // version
            + "03000000"
            + "06000000"
            + "0200000000000000"
            + "4d00000000000000"
            + "6400000000000000"
            + "8813000000000000"
            + "0109000000000000"
            + "05000000"
            + "00000000"
            + "cdab000000000000"
            + "02000000" // subscriptions
            + "04000000" // node
            + "5a00000000000000" // tenure
            + "e803000000000000" // offset
            + "ca000000"
            + "0700000000000000"
            + "6400000000000000"
            + "ef829878";
    assertEquals(expected, HEX.formatHex(snapshot.encode()));
    assertEquals(snapshot, StreamSnapshot.decode(HEX.parseHex(expected)));
  }

  @Test
  void aSnapshotThatIsDamagedOrCutOffIsRefused() {
    Subscriptions one = Subscriptions.NONE.subscribed(4, 90, 1000, 0);
    byte[] whole = new StreamSnapshot(3, 2, 77, 100, 5000, 0x901, 6, 5, 1, one).encode();
    for (int bit = 0; bit < whole.length * 8; bit++) {
      byte[] damaged = whole.clone();
      damaged[bit / 8] ^= (byte) (1 << (bit % 8));
      assertThrows(IOException.class, () -> StreamSnapshot.decode(damaged), "bit " + bit);
    }
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThrows(IOException.class, () -> StreamSnapshot.decode(cut), "length " + length);
    }
  }

  @Test
  void commandsAboutSubscriptionsHaveTheseBytes() {
    StreamEntry.Subscribe subscribe = new StreamEntry.Subscribe(3, 202, 90, 1000);
    assertEquals(
        "47534531"
            + "02050000" // version, command
            + "03000000" // stream
            + "00000000"
            + "e803000000000000" // offset
            + "5a00000000000000" // tenure
            + "ca00000000000000" // storage node
            + "0000000000000000"
            + "00000000"
            + "c9b17b7f",
        HEX.formatHex(StreamEntryLayout.command(subscribe)));
    for (StreamEntry.Command command :
        List.of(
            subscribe,
            new StreamEntry.Raise(3, 202, 90, 2000),
            new StreamEntry.Unsubscribe(3, 202, 90))) {
      ByteBuffer bytes = littleEndian(StreamEntryLayout.command(command));
      assertNull(StreamEntryLayout.flaw(bytes));
      assertEquals(command, StreamEntryLayout.read(bytes));
      bytes.put(StreamEntryLayout.VERSION, (byte) 1);
      assertNotNull(StreamEntryLayout.flaw(bytes), "it has never been of version 1");
    }
  }

  @Test
  void everyFlippedBitOfAnEntryIsNoticed() {
    for (int bit = 0; bit < APPEND.length * 8; bit++) {
      byte[] damaged = APPEND.clone();
      damaged[bit / 8] ^= (byte) (1 << (bit % 8));
      assertNotNull(StreamEntryLayout.flaw(littleEndian(damaged)), "bit " + bit);
    }
  }

  @Test
  void aVersionThatIsNotKnownIsNamed() {
    byte[] newer = APPEND.clone();
    newer[StreamEntryLayout.VERSION] = 2;
    String flaw = StreamEntryLayout.flaw(littleEndian(newer));
    assertTrue(flaw.contains("format version 2"), flaw);
    byte[] snapshot =
        new StreamSnapshot(3, 2, 77, 100, 5000, 0x901, 6, 5, 1, Subscriptions.NONE).encode();
    snapshot[4] = 9;
    IOException refused = assertThrows(IOException.class, () -> StreamSnapshot.decode(snapshot));
    assertTrue(refused.getMessage().contains("format version 9"), refused.getMessage());
  }
}
