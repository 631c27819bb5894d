package io.gauss.jdbc.routing.model;

import io.gauss.jdbc.routing.model.PublicationException.Reason;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * The envelope of publications, and reading with limits: allocations are bounded by the bytes
 * present, so a publication takes only a small multiple of its size, whatever lengths it claims.
 */
final class Sections {
  private Sections() {}

  /**
   * Checks envelope and checksum.
   *
   * @return the sections' contents, by type
   */
  static Map<Integer, ByteBuffer> read(byte[] bytes, int kind, int maxBytes)
      throws PublicationException {
    check(bytes.length <= maxBytes, Reason.TOO_LARGE, bytes.length + " bytes of " + maxBytes);
    check(bytes.length >= 4, Reason.TRUNCATED, bytes.length + " bytes");
    ByteBuffer all = ByteBuffer.wrap(bytes);
    check(all.getInt(0) == PublicationLayout.MAGIC, Reason.NOT_ONE, "no publication");
    check(bytes.length >= PublicationLayout.BODY_OFFSET, Reason.TRUNCATED, bytes.length + " bytes");
    int major = all.get(PublicationLayout.MAJOR_OFFSET) & 0xff;
    check(
        major <= PublicationLayout.MAJOR,
        Reason.TOO_NEW,
        "format " + major + ", known up to " + PublicationLayout.MAJOR);
    int length = all.getInt(PublicationLayout.LENGTH_OFFSET);
    check(
        length == bytes.length - PublicationLayout.BODY_OFFSET,
        length > bytes.length - PublicationLayout.BODY_OFFSET ? Reason.TRUNCATED : Reason.CORRUPT,
        "a body of " + length + " in " + bytes.length + " bytes");
    check(
        all.getInt(PublicationLayout.CRC_OFFSET) == crc(bytes),
        Reason.CORRUPT,
        "the checksum does not fit");
    int found = all.get(PublicationLayout.KIND_OFFSET);
    check(found == kind, Reason.NOT_ONE, "of kind " + found + ", not " + kind);
    return split(all);
  }

  static long version(byte[] bytes) {
    return ByteBuffer.wrap(bytes).getLong(PublicationLayout.VERSION_OFFSET);
  }

  private static Map<Integer, ByteBuffer> split(ByteBuffer all) throws PublicationException {
    Map<Integer, ByteBuffer> sections = new HashMap<>();
    int at = PublicationLayout.BODY_OFFSET;
    while (at < all.limit()) {
      check(all.limit() - at >= PublicationLayout.SECTION_HEADER, Reason.INVALID, "section's end");
      int type = all.getShort(at) & 0xffff;
      int length = all.getInt(at + PublicationLayout.SECTION_LENGTH_OFFSET);
      at += PublicationLayout.SECTION_HEADER;
      check(length >= 0 && length <= all.limit() - at, Reason.INVALID, "section of " + length);
      boolean first = sections.put(type, all.slice(at, length)) == null;
      check(first, Reason.INVALID, "section " + type + " twice");
      at += length;
    }
    return sections;
  }

  static ByteBuffer section(Map<Integer, ByteBuffer> sections, int type)
      throws PublicationException {
    ByteBuffer section = sections.get(type);
    check(section != null, Reason.INVALID, "section " + type + " is missing");
    return section;
  }

  /**
   * Reads a number of items that take at least {@code bytesEach} each: at most as many as there is
   * room for.
   */
  static int count(ByteBuffer section, int bytesEach) throws PublicationException {
    need(section, 4);
    int count = section.getInt();
    check(
        count >= 0 && (long) count * bytesEach <= section.remaining(),
        Reason.INVALID,
        count + " things in " + section.remaining() + " bytes");
    return count;
  }

  static void need(ByteBuffer section, long bytes) throws PublicationException {
    check(bytes <= section.remaining(), Reason.INVALID, "a section ends too early");
  }

  static float[] floats(ByteBuffer section, long count) throws PublicationException {
    need(section, count * Float.BYTES);
    float[] values = new float[(int) count];
    section.asFloatBuffer().get(values);
    section.position(section.position() + values.length * Float.BYTES);
    for (float value : values) {
      check(Float.isFinite(value), Reason.INVALID, "a number is " + value);
    }
    return values;
  }

  static double[] doubles(ByteBuffer section, int count) throws PublicationException {
    need(section, (long) count * Double.BYTES);
    double[] values = new double[count];
    section.asDoubleBuffer().get(values);
    section.position(section.position() + count * Double.BYTES);
    return values;
  }

  static String string(ByteBuffer section) throws PublicationException {
    need(section, 2);
    int length = section.getShort() & 0xffff;
    need(section, length);
    byte[] utf8 = new byte[length];
    section.get(utf8);
    return new String(utf8, StandardCharsets.UTF_8);
  }

  static void check(boolean holds, Reason reason, String what) throws PublicationException {
    if (!holds) {
      throw new PublicationException(reason, what);
    }
  }

  static int crc(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, PublicationLayout.CRC_OFFSET);
    crc.update(bytes, PublicationLayout.BODY_OFFSET, bytes.length - PublicationLayout.BODY_OFFSET);
    return (int) crc.getValue();
  }
}
