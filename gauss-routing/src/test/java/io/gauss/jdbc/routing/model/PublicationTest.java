package io.gauss.jdbc.routing.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.routing.model.PublicationException.Reason;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PublicationTest {
  private static final int MAX = 4 << 20;

  @Test
  void aModelThatIsReadComputesWhatTheWrittenOneDid() throws PublicationException {
    RoutingModel written = RandomModels.any(new Random(1), 7);
    RoutingModel read = Publication.readModel(Publication.write(written), MAX);
    assertEquals(7, read.version());
    assertEquals(written.groups(), read.groups());
    float[] expected = new float[written.outputs()];
    float[] found = new float[written.outputs()];
    float[] input = new float[written.inputs()];
    Arrays.fill(input, 0.5f);
    new JavaEngine(written.layers()).infer(input, expected);
    new JavaEngine(read.layers()).infer(input, found);
    assertArrayEquals(expected, found);
    assertArrayEquals(new NodeScores(written).of(expected), new NodeScores(read).of(found));
  }

  @Test
  void periodsOfColumnsAreInASectionOfTheirOwn() throws PublicationException {
    ColumnProfile column =
        new ColumnProfile(
            "t.id", ColumnProfile.Kind.NUMBER, "", new double[] {0, 9}, 10, true, 60_000);
    ColumnProfile other =
        new ColumnProfile("t.other", ColumnProfile.Kind.NUMBER, "", new double[] {0, 9}, 10, true);
    RoutingModel model =
        new RoutingModel(
            1,
            List.of(other, column),
            List.of(RandomModels.template()),
            List.of(RandomModels.layer(new Random(5), FeatureEncoder.width(1, 2), 1)),
            List.of(new GroupRange(1, 2)),
            List.of());
    byte[] bytes = Publication.write(model);
    List<ColumnProfile> read = Publication.readModel(bytes, MAX).columns();
    assertEquals(List.of(0, 60_000), read.stream().map(ColumnProfile::period).toList());
    assertTrue(read.stream().allMatch(ColumnProfile::phases));
    ByteBuffer section = ByteBuffer.wrap(bytes);
    int at = bytes.length - 4 - PublicationLayout.SECTION_HEADER;
    assertEquals(PublicationLayout.PERIODS, section.getShort(at));
    section.putShort(at, (short) 4711);
    List<ColumnProfile> before = Publication.readModel(withCrc(bytes), MAX).columns();
    assertEquals(
        List.of(true, false),
        before.stream().map(ColumnProfile::phases).toList(),
        "who does not know the section takes no other periods");
  }

  @Test
  void valuesThatTheNetworkGetsWrongAreLookedUp() throws PublicationException {
    RoutingModel read =
        Publication.readModel(Publication.write(RandomModels.any(new Random(4), 1)), MAX);
    try (ModelSnapshot model = new ModelSnapshot(read, new JavaEngine(read.layers()))) {
      int[] operators = {0, 0};
      assertArrayEquals(
          new float[] {0, 0, 1},
          model.scores(0, operators, new Object[] {RandomModels.KNOWN, "x"}));
      assertArrayEquals(
          new float[] {0, 0, 1}, model.scores(0, operators, new Object[] {"4711", "x"}));
      assertTrue(model.scores(0, operators, new Object[] {4712L, "x"})[0] > 0);
      assertNotEquals(
          model.quantised(0, new Object[] {RandomModels.KNOWN, "x"}),
          model.quantised(0, new Object[] {4712L, "x"}));
    }
  }

  @Test
  void aTableThatIsReadSaysWhatTheWrittenOneDid() throws PublicationException {
    RoutingTable read = Publication.readTable(Publication.write(table()), MAX);
    assertEquals(5, read.version());
    assertEquals(1, read.node(42, new Object[] {null, 9L}));
    assertEquals(2, read.node(42, new Object[] {null, 10L}));
    assertEquals(2, read.node(42, new Object[] {null, "1e9"}));
    assertEquals(0, read.node(42, new Object[] {null, null}));
    assertEquals(0, read.node(43, new Object[] {null, 9L}));
    assertEquals(0, read.node(42, new Object[] {9L}));
  }

  private static RoutingTable table() {
    return new RoutingTable(
        5,
        List.of(
            new RoutingTable.Entry(
                42, 2, 1, ColumnProfile.Kind.NUMBER, "", new double[] {10}, new short[] {1, 2})));
  }

  @Test
  void theBytesOfATableAreThese() {
    assertEquals(
        "47525001"
            + "02"
            + "01"
            + "02"
            + "00"
            + "0000000000000005"
            + "00000029"
            + "a0190ef2"
            + "0010"
            + "0000"
            + "00000021"
            + "00000001"
            + "000000000000002a"
            + "02"
            + "01"
            + "00"
            + "0000"
            + "00000002"
            + "4024000000000000"
            + "0001"
            + "0002",
        HexFormat.of().formatHex(Publication.write(table())));
  }

  @Test
  void templatesByOwnersOfKeysAreInASectionOfTheirOwn() throws PublicationException {
    byte[] bytes =
        Publication.write(new RoutingTable(table().version(), table().entries(), Set.of(42L)));
    assertEquals("28a55641", HexFormat.of().formatHex(bytes, PublicationLayout.CRC_OFFSET, 24));
    assertEquals(
        "0007" + "0000" + "0000000c" + "00000001" + "000000000000002a",
        HexFormat.of().formatHex(bytes, bytes.length - 20, bytes.length));
    assertEquals(Set.of(42L), Publication.readTable(bytes, MAX).byOwner());
    assertEquals(Set.of(), Publication.readTable(Publication.write(table()), MAX).byOwner());
    RoutingModel model = RandomModels.any(new Random(2), 3).with(Set.of(1L, -7L));
    assertEquals(Set.of(1L, -7L), Publication.readModel(Publication.write(model), MAX).byOwner());
  }

  @Test
  void sectionsOfLaterVersionsAreSkipped() throws PublicationException {
    RoutingModel model = RandomModels.any(new Random(2), 3);
    byte[] bytes = Publication.write(model);
    byte[] later = Arrays.copyOf(bytes, bytes.length + 12);
    ByteBuffer buffer = ByteBuffer.wrap(later);
    buffer.put(PublicationLayout.MINOR_OFFSET, (byte) 9);
    buffer.putInt(PublicationLayout.LENGTH_OFFSET, later.length - PublicationLayout.BODY_OFFSET);
    buffer.putShort(bytes.length, (short) 4711);
    buffer.putInt(bytes.length + PublicationLayout.SECTION_LENGTH_OFFSET, 4);
    assertEquals(model.groups(), Publication.readModel(withCrc(later), MAX).groups());
  }

  @Test
  void whatCannotBeUsedIsRefusedWithAReason() {
    byte[] good = Publication.write(RandomModels.any(new Random(3), 1));
    assertReason(Reason.NOT_ONE, "hello, this is no model".getBytes(StandardCharsets.UTF_8), MAX);
    assertReason(Reason.NOT_ONE, Publication.write(table()), MAX);
    assertReason(Reason.TOO_LARGE, good, good.length - 1);
    assertReason(Reason.TRUNCATED, Arrays.copyOf(good, good.length - 1), MAX);
    assertReason(Reason.TRUNCATED, Arrays.copyOf(good, 10), MAX);
    assertReason(Reason.TRUNCATED, new byte[0], MAX);
    byte[] flipped = good.clone();
    flipped[good.length / 2] ^= 4;
    assertReason(Reason.CORRUPT, flipped, MAX);
    byte[] newer = good.clone();
    newer[PublicationLayout.MAJOR_OFFSET] = 2;
    assertReason(Reason.TOO_NEW, withCrc(newer), MAX);
  }

  private static void assertReason(Reason reason, byte[] bytes, int max) {
    assertEquals(
        reason,
        assertThrows(PublicationException.class, () -> Publication.readModel(bytes, max)).reason());
  }

  /** Damage below a checksum that fits: what a wrong writer, or a malicious one, could send. */
  @Test
  void noBytesMakeReadingFailOtherwiseOrTakeMuchMemory() {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    Random random = new Random(seed);
    int usable = 0;
    for (int round = 0; round < 600; round++) {
      boolean model = random.nextBoolean();
      byte[] bytes =
          model ? Publication.write(RandomModels.any(random, 1)) : Publication.write(table());
      for (int i = random.nextInt(4); i >= 0; i--) {
        int at =
            PublicationLayout.BODY_OFFSET
                + random.nextInt(bytes.length - PublicationLayout.BODY_OFFSET);
        if (random.nextInt(3) == 0 && at + 4 <= bytes.length) {
          ByteBuffer.wrap(bytes)
              .putInt(at, random.nextBoolean() ? -1 : Integer.MAX_VALUE >>> random.nextInt(31));
        } else {
          bytes[at] = (byte) random.nextInt();
        }
      }
      if (random.nextInt(4) == 0) {
        bytes =
            Arrays.copyOf(
                bytes,
                PublicationLayout.BODY_OFFSET
                    + random.nextInt(bytes.length - PublicationLayout.BODY_OFFSET));
        ByteBuffer.wrap(bytes)
            .putInt(PublicationLayout.LENGTH_OFFSET, bytes.length - PublicationLayout.BODY_OFFSET);
      }
      try {
        if (model) {
          Publication.readModel(withCrc(bytes), MAX);
        } else {
          Publication.readTable(withCrc(bytes), MAX);
        }
        usable++;
      } catch (PublicationException e) {
        assertTrue(e.getMessage() != null && !e.getMessage().isEmpty());
      } catch (RuntimeException | OutOfMemoryError e) {
        throw new AssertionError("-Dgauss.seed=" + seed + " round " + round, e);
      }
    }
    assertTrue(usable > 0 && usable < 600, usable + " of 600 could be used");
  }

  private static byte[] withCrc(byte[] bytes) {
    ByteBuffer.wrap(bytes).putInt(PublicationLayout.CRC_OFFSET, Sections.crc(bytes));
    return bytes;
  }
}
