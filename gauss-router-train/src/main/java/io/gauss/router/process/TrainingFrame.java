package io.gauss.router.process;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A frame ({@link TrainingLayout}).
 *
 * @param type of the layout's
 * @param body little-endian; reading it moves its position
 */
record TrainingFrame(int type, ByteBuffer body) {
  static final ByteBuffer EMPTY = TrainingLayout.buffer(0);

  /** Writes a frame; {@code body} from its position to its limit. */
  static void write(OutputStream out, int type, ByteBuffer body) throws IOException {
    int length = body.remaining();
    if (length > TrainingLayout.MAX_BODY) {
      throw new IllegalArgumentException("a frame of " + length + " bytes");
    }
    byte[] bytes = Arrays.copyOfRange(body.array(), body.position(), body.limit());
    ByteBuffer header = TrainingLayout.buffer(TrainingLayout.BODY_OFFSET);
    header.putInt(0, TrainingLayout.MAGIC);
    header.put(TrainingLayout.VERSION_OFFSET, (byte) TrainingLayout.VERSION);
    header.put(TrainingLayout.TYPE_OFFSET, (byte) type);
    header.putInt(TrainingLayout.LENGTH_OFFSET, length);
    header.putInt(
        TrainingLayout.CRC_OFFSET, TrainingLayout.crc(header.array(), bytes, bytes.length));
    out.write(header.array());
    out.write(bytes);
  }

  /** Writes a frame whose body is a text, cut to what a reader takes. */
  static void write(OutputStream out, int type, String reason) throws IOException {
    byte[] bytes = reason.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(bytes.length, TrainingLayout.MAX_REASON);
    write(out, type, ByteBuffer.wrap(bytes, 0, length));
  }

  /**
   * Reads a frame.
   *
   * @return null when there is none, because the other side has ended
   * @throws BadFrameException when what comes is none
   */
  static TrainingFrame read(InputStream in) throws IOException {
    byte[] header = in.readNBytes(TrainingLayout.BODY_OFFSET);
    if (header.length == 0) {
      return null;
    }
    if (header.length < TrainingLayout.BODY_OFFSET) {
      throw new EOFException("the end in the middle of a frame");
    }
    ByteBuffer fields = ByteBuffer.wrap(header).order(TrainingLayout.buffer(0).order());
    int magic = fields.getInt(0);
    int version = fields.get(TrainingLayout.VERSION_OFFSET) & 0xff;
    int length = fields.getInt(TrainingLayout.LENGTH_OFFSET);
    if (magic != TrainingLayout.MAGIC) {
      throw new BadFrameException("0x%08x where a frame should begin".formatted(magic));
    }
    if (version != TrainingLayout.VERSION) {
      throw new BadFrameException("a frame of version " + version);
    }
    if (length < 0 || length > TrainingLayout.MAX_BODY) {
      throw new BadFrameException("a frame of " + length + " bytes");
    }
    byte[] body = in.readNBytes(length);
    if (body.length < length) {
      throw new EOFException("the end in the middle of a frame");
    }
    if (fields.getInt(TrainingLayout.CRC_OFFSET) != TrainingLayout.crc(header, body, length)) {
      throw new BadFrameException("a frame whose checksum is wrong");
    }
    int type = fields.get(TrainingLayout.TYPE_OFFSET) & 0xff;
    return new TrainingFrame(type, ByteBuffer.wrap(body).order(fields.order()));
  }

  /** The body as a text, without what could break a line of a log. */
  String reason() {
    byte[] bytes = new byte[Math.min(body.remaining(), TrainingLayout.MAX_REASON)];
    body.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}+", " ").strip();
  }
}
