package io.gauss.jdbc.routing.model;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Writes the envelope and sections of a publication. */
final class PublicationWriter {
  /** Writes the content of a section. */
  @FunctionalInterface
  interface Content {
    void write(DataOutputStream out) throws IOException;
  }

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  PublicationWriter(int kind, long version) {
    ByteBuffer header = ByteBuffer.allocate(PublicationLayout.BODY_OFFSET);
    header.putInt(0, PublicationLayout.MAGIC);
    header.put(PublicationLayout.KIND_OFFSET, (byte) kind);
    header.put(PublicationLayout.MAJOR_OFFSET, (byte) PublicationLayout.MAJOR);
    header.put(PublicationLayout.MINOR_OFFSET, (byte) PublicationLayout.MINOR);
    header.putLong(PublicationLayout.VERSION_OFFSET, version);
    bytes.writeBytes(header.array());
  }

  /** A section that may be missing. */
  PublicationWriter section(int type, boolean isThere, Content content) {
    return isThere ? section(type, content) : this;
  }

  PublicationWriter section(int type, Content content) {
    ByteArrayOutputStream section = new ByteArrayOutputStream();
    try {
      content.write(new DataOutputStream(section));
    } catch (IOException e) {
      throw new UncheckedIOException("memory cannot be written", e);
    }
    ByteBuffer header = ByteBuffer.allocate(PublicationLayout.SECTION_HEADER);
    header.putShort(0, (short) type);
    header.putInt(PublicationLayout.SECTION_LENGTH_OFFSET, section.size());
    bytes.writeBytes(header.array());
    bytes.writeBytes(section.toByteArray());
    return this;
  }

  byte[] finish() {
    byte[] all = bytes.toByteArray();
    ByteBuffer header = ByteBuffer.wrap(all);
    header.putInt(PublicationLayout.LENGTH_OFFSET, all.length - PublicationLayout.BODY_OFFSET);
    header.putInt(PublicationLayout.CRC_OFFSET, Sections.crc(all));
    return all;
  }

  static void floats(DataOutputStream out, float[] values) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(values.length * Float.BYTES);
    buffer.asFloatBuffer().put(values);
    out.write(buffer.array());
  }

  static void string(DataOutputStream out, String text) throws IOException {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    out.writeShort(utf8.length);
    out.write(utf8);
  }
}
