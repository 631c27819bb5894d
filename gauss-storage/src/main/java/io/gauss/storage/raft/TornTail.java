package io.gauss.storage.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cuts off what a power failure left half written at the end of a group's log, which Ratis would
 * refuse to open.
 *
 * <p>Ratis writes entries into room that it has filled with zeros, so an entry that was not forced
 * may be there in part, and later ones of the same write may be whole. Such entries were never
 * counted as flushed here, so cutting them loses nothing that anybody was promised. Damage to an
 * entry that had been forced looks the same; whoever knows the group's entries is asked whether
 * what lies behind proves that ({@link LogEvidence}), and then nothing is cut and the node does not
 * start.
 *
 * <p>Limit: damage to the last entries, behind which nothing tells that they were durable, cannot
 * be told from a torn write.
 *
 * <p>The format is Ratis's: 8 bytes "RaftLog1", then per entry its length as a varint, a {@code
 * LogEntryProto}, and a CRC32C of both (big-endian); zeros up to the end of the file.
 */
final class TornTail {
  private static final Logger LOG = LoggerFactory.getLogger(TornTail.class);

  private static final int HEADER_BYTES = 8;
  private static final int CHECKSUM_BYTES = 4;
  private static final int MAX_VARINT_BYTES = 5;

  /** First byte of an entry: the tag of its term. */
  private static final byte ENTRY_TAG = 0x08;

  private record Frame(int end, LogEntryProto entry) {}

  private final Path file;
  private final ByteBuffer bytes;
  private final LogEvidence evidence;

  private TornTail(Path file, ByteBuffer bytes, LogEvidence evidence) {
    this.file = file;
    this.bytes = bytes;
    this.evidence = evidence;
  }

  /**
   * Looks at the segment that a group was writing.
   *
   * @param group the group's directory
   * @throws IOException when entries that had been durable are damaged, naming file and position
   */
  static void cut(Path group, LogEvidence evidence) throws IOException {
    Path current = group.resolve("current");
    if (!Files.isDirectory(current)) {
      return;
    }
    List<Path> open;
    try (var files = Files.list(current)) {
      open = files.filter(f -> f.getFileName().toString().startsWith("log_inprogress_")).toList();
    }
    for (Path file : open) {
      new TornTail(file, ByteBuffer.wrap(Files.readAllBytes(file)), evidence).cut();
    }
  }

  private void cut() throws IOException {
    int at = HEADER_BYTES;
    ByteString last = null;
    while (at < bytes.limit()) {
      Frame frame = frame(at);
      if (frame == null) {
        break;
      }
      if (frame.entry().hasStateMachineLogEntry()) {
        last = frame.entry().getStateMachineLogEntry().getLogData();
      }
      at = frame.end();
    }
    if (at >= bytes.limit() || onlyZerosFrom(at)) {
      return;
    }
    List<ByteString> behind = framesBehind(at);
    if (!behind.isEmpty() && evidence.wasDurable(last, behind)) {
      throw new IOException(
          "log corrupted: file "
              + file
              + ", position "
              + at
              + ": no intact entry, and entries behind it tell that it had been durable");
    }
    LOG.warn(
        "{} is cut at position {}: what follows was not completely written before a crash",
        file,
        at);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(at);
      channel.force(true);
    }
  }

  private boolean onlyZerosFrom(int position) {
    for (int i = position; i < bytes.limit(); i++) {
      if (bytes.get(i) != 0) {
        return false;
      }
    }
    return true;
  }

  private List<ByteString> framesBehind(int damaged) {
    List<ByteString> found = new ArrayList<>();
    int at = damaged + 1;
    while (at < bytes.limit()) {
      Frame frame = frame(at);
      if (frame == null) {
        at++;
      } else {
        if (frame.entry().hasStateMachineLogEntry()) {
          found.add(frame.entry().getStateMachineLogEntry().getLogData());
        }
        at = frame.end();
      }
    }
    return found;
  }

  /** The entry that begins at a position; null when there is no intact one. */
  private Frame frame(int position) {
    int at = position;
    int length = 0;
    for (int shift = 0; ; shift += 7) {
      if (at >= bytes.limit() || at - position >= MAX_VARINT_BYTES) {
        return null;
      }
      byte next = bytes.get(at++);
      length |= (next & 0x7F) << shift;
      if (next >= 0) {
        break;
      }
    }
    if (length <= 0 || length > bytes.limit() - at - CHECKSUM_BYTES || bytes.get(at) != ENTRY_TAG) {
      return null;
    }
    int end = at + length;
    CRC32C crc = new CRC32C();
    crc.update(bytes.array(), position, end - position);
    if ((int) crc.getValue() != bytes.getInt(end)) {
      return null;
    }
    try {
      LogEntryProto entry =
          LogEntryProto.parseFrom(bytes.duplicate().position(at).limit(end).slice());
      return new Frame(end + CHECKSUM_BYTES, entry);
    } catch (InvalidProtocolBufferException notAnEntry) {
      return null; // a checksum that fits by chance
    }
  }
}
