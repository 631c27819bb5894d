package io.gauss.storage.raft;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.thirdparty.com.google.protobuf.InvalidProtocolBufferException;

/**
 * Replaces damaged entries in a closed segment of a group's log by intact ones, while the group is
 * in use.
 *
 * <p><b>Why this is safe.</b> Only a segment whose entries are all committed is touched, and a
 * committed entry is the same on every member that has it (term and index identify it; the log in
 * memory still knows the term). So the written bytes equal the original ones. Ratis opens a closed
 * segment again for each read and never writes it again. It also keeps the positions of entries, so
 * an entry is written exactly where the damaged one was, and one that does not fit is refused. The
 * file is changed in place and never created: if Ratis purges the segment meanwhile, the bytes have
 * no effect. A crash in the middle leaves the segment damaged as before.
 *
 * <p>For one thread at a time and group; reads and writes the disk.
 */
public final class SegmentRepair {
  private static final Pattern CLOSED = Pattern.compile("log_(\\d+)-(\\d+)");
  private static final byte[] HEADER = "RaftLog1".getBytes(StandardCharsets.US_ASCII);

  private SegmentRepair() {}

  /**
   * A segment without damage.
   *
   * @param entries number of replaced entries
   */
  public record Repaired(long firstIndex, long lastIndex, int entries) {}

  private record Segment(Path file, long first, long last) {}

  private record Patch(int position, byte[] bytes) {}

  /**
   * Repairs the segment that holds an entry.
   *
   * @param intact returns the bytes of a committed entry by its index, from another member; may
   *     throw GaussException
   * @return empty when no closed and committed segment holds the entry, not yet or no longer
   * @throws GaussException XX001 when the returned bytes do not fit; exceptions of {@code intact}
   */
  static Optional<Repaired> repair(
      RaftServer.Division division, long index, LongFunction<byte[]> intact) throws IOException {
    Path directory = division.getRaftStorage().getStorageDir().getCurrentDir().toPath();
    RaftLog log = division.getRaftLog();
    Optional<Segment> found = segment(directory, index);
    if (found.isEmpty() || found.get().last() > log.getLastCommittedIndex()) {
      return Optional.empty();
    }
    Segment segment = found.get();
    try {
      List<Patch> patches = patches(segment, log, intact);
      write(segment.file(), patches);
      return Optional.of(new Repaired(segment.first(), segment.last(), patches.size()));
    } catch (NoSuchFileException forgotten) {
      return Optional.empty();
    }
  }

  private static Optional<Segment> segment(Path directory, long index) throws IOException {
    try (var files = Files.list(directory)) {
      return files
          .map(SegmentRepair::closed)
          .flatMap(Optional::stream)
          .filter(segment -> segment.first() <= index && index <= segment.last())
          .findAny();
    }
  }

  private static Optional<Segment> closed(Path file) {
    Matcher name = CLOSED.matcher(file.getFileName().toString());
    return name.matches()
        ? Optional.of(
            new Segment(file, Long.parseLong(name.group(1)), Long.parseLong(name.group(2))))
        : Optional.empty();
  }

  /** The bytes to write to restore the segment. */
  private static List<Patch> patches(Segment segment, RaftLog log, LongFunction<byte[]> intact)
      throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(segment.file()));
    List<Patch> patches = new ArrayList<>();
    if (!ByteBuffer.wrap(HEADER).equals(bytes.slice(0, Math.min(HEADER.length, bytes.limit())))) {
      patches.add(new Patch(0, HEADER));
    }
    int at = HEADER.length;
    for (long index = segment.first(); index <= segment.last(); index++) {
      TermIndex expected = log.getTermIndex(index);
      if (expected == null) {
        throw new NoSuchFileException(segment.file().toString()); // it is being purged
      }
      LogFrames.Frame frame = LogFrames.at(bytes, at);
      if (frame != null && TermIndex.valueOf(frame.entry()).equals(expected)) {
        at = frame.end();
      } else {
        byte[] entry = intact.apply(index);
        check(entry, expected);
        byte[] fresh = LogFrames.of(entry);
        patches.add(new Patch(at, fresh));
        at += fresh.length;
      }
    }
    require(
        at >= bytes.limit(),
        "the entries of %s take %d bytes of its %d".formatted(segment, at, bytes.limit()));
    return patches;
  }

  private static void check(byte[] entry, TermIndex expected) {
    try {
      TermIndex is = TermIndex.valueOf(LogEntryProto.parseFrom(entry));
      require(is.equals(expected), "entry " + is + " was given for " + expected);
    } catch (InvalidProtocolBufferException e) {
      throw new GaussException(SqlState.DATA_CORRUPTED, "no entry was given for " + expected, e);
    }
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new GaussException(
          SqlState.DATA_CORRUPTED, "a segment of the log cannot be repaired: " + otherwise);
    }
  }

  private static void write(Path file, List<Patch> patches) throws IOException {
    if (patches.isEmpty()) {
      return;
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      for (Patch patch : patches) {
        ByteBuffer bytes = ByteBuffer.wrap(patch.bytes());
        while (bytes.hasRemaining()) {
          channel.write(bytes, patch.position() + bytes.position());
        }
      }
      channel.force(true);
    }
  }
}
