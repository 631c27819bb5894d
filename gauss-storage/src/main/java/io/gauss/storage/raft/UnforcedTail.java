package io.gauss.storage.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the end of a group's log durable before the server opens it, and cuts off what a power
 * failure left half written, which Ratis would refuse to open.
 *
 * <p>Ratis counts every entry that it finds at its start as forced, and acknowledges it to the
 * leader. But the process before may have ended, or failed, between writing and forcing. So all
 * entries of the segment that was being written are written again, in place, and forced. Forcing
 * alone would not do: after a failed write-back Linux takes the pages in memory for clean, and a
 * later force succeeds although the device never got them.
 *
 * <p>Ratis writes entries into space that it has filled with zeros, so an entry that was not forced
 * may be present in part, and later ones of the same write may be whole. Such entries were never
 * counted as flushed here, so cutting them off loses nothing that was acknowledged. Damage to an
 * entry that had been forced looks the same. {@link LogEvidence} decides whether the entries after
 * the damage prove that case; then nothing is cut off and the node does not start.
 *
 * <p>Limit: damage to the last entries, after which there is no evidence that they were durable,
 * cannot be distinguished from a torn write.
 */
final class UnforcedTail {
  private static final Logger LOG = LoggerFactory.getLogger(UnforcedTail.class);
  static final String OPEN_SEGMENT = "log_inprogress_";

  private final Path file;
  private final ByteBuffer bytes;
  private final LogEvidence evidence;

  private UnforcedTail(Path file, ByteBuffer bytes, LogEvidence evidence) {
    this.file = file;
    this.bytes = bytes;
    this.evidence = evidence;
  }

  /**
   * Settles the segment that a group was writing, if there is one.
   *
   * @param current the directory of the group's log
   * @throws IOException when entries that had been durable are damaged, naming file and position,
   *     or the segment cannot be written
   */
  static void settle(Path current, LogEvidence evidence) throws IOException {
    for (Path file : open(current)) {
      new UnforcedTail(file, ByteBuffer.wrap(Files.readAllBytes(file)), evidence).settle();
    }
  }

  /**
   * Deletes the segment that a group was writing when it ends before the position at which the
   * replica continues: the process before ended after the state there had been fetched, and before
   * the log began anew behind it. Ratis would go on in that segment, and refuse every entry for the
   * gap.
   */
  static void beginBehind(Path current, long index) throws IOException {
    for (Path file : open(current)) {
      if (Long.parseLong(file.getFileName().toString().substring(OPEN_SEGMENT.length())) > index) {
        continue;
      }
      ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
      long last = -1;
      LogFrames.Frame frame = LogFrames.at(bytes, LogFrames.HEADER_BYTES);
      while (frame != null) {
        last = frame.entry().getIndex();
        frame = LogFrames.at(bytes, frame.end());
      }
      if (last < index) {
        LOG.info("{} ends before Raft index {}, where its replica begins: deleted", file, index);
        Files.delete(file);
        GroupDirectories.force(current);
      }
    }
  }

  private static List<Path> open(Path current) throws IOException {
    try (var files = Files.list(current)) {
      return files.filter(f -> f.getFileName().toString().startsWith(OPEN_SEGMENT)).toList();
    }
  }

  private void settle() throws IOException {
    int end = checkedEnd();
    boolean torn = end < bytes.limit() && !onlyZerosFrom(end);
    if (torn) {
      LOG.warn(
          "{} is cut at position {}: what follows was not completely written before a crash",
          file,
          end);
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      if (torn) {
        channel.truncate(end);
      }
      ByteBuffer intact = bytes.duplicate().position(0).limit(Math.min(end, bytes.limit()));
      while (intact.hasRemaining()) {
        channel.write(intact, intact.position());
      }
      channel.force(true);
    }
  }

  /**
   * The position behind the last intact entry.
   *
   * @throws IOException when what follows proves that more had been durable
   */
  private int checkedEnd() throws IOException {
    int at = LogFrames.HEADER_BYTES;
    ByteString last = null;
    while (at < bytes.limit()) {
      LogFrames.Frame frame = LogFrames.at(bytes, at);
      if (frame == null) {
        break;
      }
      if (frame.entry().hasStateMachineLogEntry()) {
        last = frame.entry().getStateMachineLogEntry().getLogData();
      }
      at = frame.end();
    }
    if (at < bytes.limit() && !onlyZerosFrom(at)) {
      List<ByteString> behind = framesBehind(at);
      if (!behind.isEmpty() && evidence.wasDurable(last, behind)) {
        throw new IOException(
            "log corrupted: file "
                + file
                + ", position "
                + at
                + ": no intact entry, and entries behind it tell that it had been durable");
      }
    }
    return at;
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
      LogFrames.Frame frame = LogFrames.at(bytes, at);
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
}
