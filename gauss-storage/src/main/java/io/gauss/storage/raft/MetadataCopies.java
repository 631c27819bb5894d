package io.gauss.storage.raft;

import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Second copies of what a member keeps beside its log: its term and vote, and who the members are.
 *
 * <p>Ratis 3.3.0 writes each to a new file that takes the old one's place when it is closed, also
 * when writing has failed. So on a full disk an empty file replaces the vote, and the node does not
 * start again. The copies lie above the directory that is Ratis's, and are put back by the next
 * start. They are never behind what counts (rule 37): no vote is given, and nobody leads, before
 * its copy is durable, and no entry that tells who the members are is forgotten before.
 *
 * <p>Not thread-safe for one group, but the two files are independent.
 */
final class MetadataCopies {
  private static final Logger LOG = LoggerFactory.getLogger(MetadataCopies.class);
  static final String VOTE = "raft-meta";
  static final String MEMBERS = "raft-meta.conf";
  private static final String COPY = "copy-of-";
  private static final String TERM = "term";
  private static final String VOTED_FOR = "votedFor";
  private static final String SEGMENTS = "log_";

  private MetadataCopies() {}

  /**
   * Copies term and vote. The name of a first copy is durable only when the directories are.
   *
   * @param current the group's directory {@code current}
   * @throws IOException when they cannot be copied, or a write that failed has destroyed them
   */
  static void keepVote(Path current) throws IOException {
    byte[] vote = ReplicaFiles.in(current).read(VOTE);
    if (vote == null || !isVote(vote)) {
      throw new IOException("writing term and vote to " + current.resolve(VOTE) + " has failed");
    }
    keep(current, VOTE, vote);
  }

  /** Keeps who the members are since this entry. */
  static void keepMembers(Path current, LogEntryProto entry) throws IOException {
    keep(current, MEMBERS, entry.toByteArray());
  }

  private static void keep(Path current, String name, byte[] content) throws IOException {
    ReplicaFiles copies = ReplicaFiles.in(current.getParent());
    if (!Arrays.equals(copies.read(COPY + name), content)) {
      copies.replace(COPY + name, content);
    }
  }

  /** The entry that says who the members are. */
  static LogEntryProto members(long term, long index, RaftConfigurationProto members) {
    return LogEntryProto.newBuilder()
        .setTerm(term)
        .setIndex(index)
        .setConfigurationEntry(members)
        .build();
  }

  /**
   * Replaces files that were destroyed by their copies, and copies those that are intact. Before
   * the server starts, and after the end of the log is settled. A file without a copy stays as it
   * is, and Ratis refuses it.
   */
  static void settle(Path current) throws IOException {
    ReplicaFiles files = ReplicaFiles.in(current);
    if (!settle(files, current, VOTE, MetadataCopies::isVote)) {
      return;
    }
    settle(files, current, MEMBERS, MetadataCopies::isMembers);
  }

  /** Returns false when there is no such file. */
  private static boolean settle(
      ReplicaFiles files, Path current, String name, Predicate<byte[]> isIntact)
      throws IOException {
    byte[] content = files.read(name);
    if (content == null) {
      return false;
    }
    if (isIntact.test(content)) {
      keep(current, name, content);
      return true;
    }
    byte[] copy = ReplicaFiles.in(current.getParent()).read(COPY + name);
    if (copy == null || !isIntact.test(copy)) {
      LOG.error("{} was destroyed, and there is no copy of it", current.resolve(name));
      return true;
    }
    LOG.warn(
        "{} was destroyed by a write that failed, as on a full disk: its copy is put back",
        current.resolve(name));
    files.replace(name, name.equals(VOTE) ? voteOf(copy, lastTerm(current)) : copy);
    return true;
  }

  /**
   * The vote of a copy, in the term of the log's last entry at least: this member may have had
   * entries of a term in which it gave no vote, and must take none of an older term's leader.
   */
  private static byte[] voteOf(byte[] copy, long lastTerm) {
    if (lastTerm <= Long.parseLong(properties(copy).getProperty(TERM))) {
      return copy;
    }
    return (TERM + "=" + lastTerm + "\n" + VOTED_FOR + "=\n").getBytes(StandardCharsets.UTF_8);
  }

  private static boolean isVote(byte[] content) {
    boolean isWhole = content.length > 0 && content[content.length - 1] == '\n';
    Properties properties = properties(content);
    return isWhole
        && properties.getProperty(TERM, "").matches("\\d+")
        && properties.getProperty(VOTED_FOR) != null;
  }

  private static Properties properties(byte[] content) {
    Properties properties = new Properties();
    try {
      properties.load(new StringReader(new String(content, StandardCharsets.UTF_8)));
    } catch (IOException | IllegalArgumentException notProperties) {
      properties.clear();
    }
    return properties;
  }

  private static boolean isMembers(byte[] content) {
    try {
      return LogEntryProto.parseFrom(ByteString.copyFrom(content)).hasConfigurationEntry();
    } catch (InvalidProtocolBufferException notAnEntry) {
      return false;
    }
  }

  /** The highest term of an entry in the log; 0 for an empty log. */
  private static long lastTerm(Path current) throws IOException {
    List<Path> segments;
    try (Stream<Path> files = Files.list(current)) {
      segments = files.filter(f -> f.getFileName().toString().startsWith(SEGMENTS)).toList();
    }
    long last = 0;
    for (Path segment : segments) {
      ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(segment));
      LogFrames.Frame frame = LogFrames.at(bytes, LogFrames.HEADER_BYTES);
      while (frame != null) {
        last = Math.max(last, frame.entry().getTerm());
        frame = LogFrames.at(bytes, frame.end());
      }
    }
    return last;
  }
}
