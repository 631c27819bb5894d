package io.gauss.storage.raft;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * The directories of a server's groups. Below the server's directory there is one for each group,
 * named by its UUID; in it, {@code current} has the segments of the log, and term and vote, of
 * which there are copies beside it ({@link MetadataCopies}).
 */
final class GroupDirectories {
  private GroupDirectories() {}

  /** The groups found in a server's directory, which other files may also be in. */
  static List<GroupId> groups(Path server) throws IOException {
    try (Stream<Path> found = Files.list(server)) {
      return found
          .map(directory -> group(directory.getFileName().toString()))
          .flatMap(Optional::stream)
          .toList();
    }
  }

  private static Optional<GroupId> group(String name) {
    try {
      return GroupId.of(UUID.fromString(name));
    } catch (IllegalArgumentException notAGroup) {
      return Optional.empty();
    }
  }

  /**
   * Makes what is found at a start durable, since a server counts every entry that it finds as
   * forced. To be called before it starts.
   *
   * @throws IOException when that fails, or when entries that had been durable are damaged
   */
  static void settle(Path server, Map<GroupId.Kind, LogEvidence> evidence) throws IOException {
    for (GroupId group : groups(server)) {
      Path current = current(server, group);
      if (Files.isDirectory(current)) {
        UnforcedTail.settle(
            current, evidence.getOrDefault(group.kind(), LogEvidence.IN_DOUBT_DURABLE));
        MetadataCopies.settle(current);
        forceUpwards(current);
      }
    }
  }

  static Path current(Path server, GroupId group) {
    return server.resolve(group.uuid().toString()).resolve("current");
  }

  /**
   * Forces a group's directory {@code current} and those above it, up to the server's: files that
   * were created or renamed there stay so.
   */
  static void forceUpwards(Path current) throws IOException {
    force(current);
    force(current.getParent());
    force(current.getParent().getParent());
  }

  static void force(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory)) {
      channel.force(true);
    }
  }
}
