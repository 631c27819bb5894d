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
 * Cuts off entries that a power failure left half written at the end of a group's log, which Ratis
 * would refuse to open.
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
final class TornTail {
  private static final Logger LOG = LoggerFactory.getLogger(TornTail.class);

  private final Path file;
  private final ByteBuffer bytes;
  private final LogEvidence evidence;

  private TornTail(Path file, ByteBuffer bytes, LogEvidence evidence) {
    this.file = file;
    this.bytes = bytes;
    this.evidence = evidence;
  }

  /**
   * Checks the segment that a group was writing.
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
