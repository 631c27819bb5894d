package io.gauss.server.format;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.Arrays;
import java.util.List;

/**
 * Something that is stored or sent, with the number by which it is known.
 *
 * @param space within which the number is unique
 * @param id the number, or the magic word, as the documentation has it
 * @param version that this release writes
 * @param classes simple names of the product's classes that write and read it
 * @param examples bytes that the product writes: question and answer, key and value, or just one
 */
record Format(
    Space space, String id, int version, String name, List<String> classes, List<byte[]> examples) {

  /** In which numbers are given out. */
  enum Space {
    LINK("kind of message of the transport"),
    MESSAGE("type of message"),
    PAGE_MESSAGE("kind of message about a page"),
    LOCK("kind of message about a lock"),
    PAGE("type of page"),
    REDO("type of redo record"),
    UNDO("kind of undo record"),
    STREAM("command to a log stream"),
    MAP("kind of frame of the cluster map"),
    FILE("file or store, by its magic word or key"),
    MEMORY("off-heap in a memory node"),
    ROW("bytes of rows"),
    TRAINING("kind of frame to or from the process that trains");

    private final String text;

    Space(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  static Format of(Space space, int id, int version, String name, String classes, Object... all) {
    String number = space == Space.MESSAGE ? "0x%04X".formatted(id) : Integer.toString(id);
    return of(space, number, version, name, classes, all);
  }

  static Format of(
      Space space, String id, int version, String name, String classes, Object... all) {
    List<byte[]> examples = Arrays.stream(all).map(Format::bytes).toList();
    return new Format(space, id, version, name, List.of(classes.split(" ")), examples);
  }

  private static byte[] bytes(Object example) {
    if (example instanceof ByteBuf buffer) {
      byte[] bytes = ByteBufUtil.getBytes(buffer);
      buffer.release();
      return bytes;
    }
    return (byte[]) example;
  }

  /** The row of the documentation. */
  String row() {
    return "| %s | %s | %d | %s | %s |"
        .formatted(space.text, id, version, name, "`" + String.join("`, `", classes) + "`");
  }
}
