package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Set;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a server finds at its start is on the disk before it counts as forced. */
@Timeout(300)
class UnforcedTailTest {
  private static final GroupId STREAM = GroupId.stream(7);

  @TempDir Path directory;
  private RaftNodes nodes;
  private volatile Runnable whenMade = () -> {};
  private volatile Runnable whenLoaded = () -> {};
  private volatile FileTime modified;

  @BeforeEach
  void start() {
    nodes =
        new RaftNodes(
            1,
            directory,
            node ->
                group -> {
                  whenMade.run();
                  return new GroupMachine(
                      new SumReplica() {
                        @Override
                        public LogPosition load(ReplicaFiles from) throws IOException {
                          whenLoaded.run();
                          return super.load(from);
                        }
                      });
                });
    nodes.startAll();
    nodes.addGroup(STREAM);
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  private long add(long value) {
    return nodes.add(STREAM, value);
  }

  @Test
  void theTailIsWrittenAgainAndForcedWithItsDirectoriesBeforeTheServerStarts() throws Exception {
    add(5);
    nodes.stop(0);
    Path current = GroupDirectories.current(nodes.settings(0).directory(), STREAM).toAbsolutePath();
    Path open;
    try (var files = Files.list(current)) {
      open =
          files
              .filter(f -> f.getFileName().toString().startsWith("log_inprogress_"))
              .findAny()
              .orElseThrow();
    }
    FileTime longAgo = FileTime.from(Instant.EPOCH);
    Files.setLastModifiedTime(open, longAgo);
    Set<Path> forced = forcedBeforeTheMachineIsMade(open);
    assertNotEquals(longAgo, modified, "written again");
    assertTrue(
        forced.containsAll(
            Set.of(open, current, current.getParent(), current.getParent().getParent())),
        "forced: " + forced);
    assertEquals(7, add(2), "and nothing is lost");
  }

  /** It votes and takes entries as soon as its replica is loaded. */
  @Test
  void theDirectoriesOfANewGroupAreForcedBeforeItsMemberAnswers() throws Exception {
    GroupId group = GroupId.stream(8);
    Path current = GroupDirectories.current(nodes.settings(0).directory(), group).toAbsolutePath();
    Path file = directory.resolve("events.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("jdk.FileForce").withoutThreshold().withoutStackTrace();
      whenLoaded = recording::stop;
      recording.start();
      nodes.addGroup(group);
      recording.dump(file);
    } finally {
      whenLoaded = () -> {};
    }
    Set<Path> forced = forcedIn(file);
    assertTrue(
        forced.containsAll(Set.of(current, current.getParent(), current.getParent().getParent())),
        "forced: " + forced);
  }

  private static FileTime lastModified(Path file) {
    try {
      return Files.getLastModifiedTime(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Set<Path> forcedBeforeTheMachineIsMade(Path open) throws IOException {
    Path file = directory.resolve("events.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("jdk.FileForce").withoutThreshold().withoutStackTrace();
      whenMade =
          () -> {
            recording.stop();
            modified = lastModified(open);
          };
      recording.start();
      nodes.start(0);
      recording.dump(file);
    } finally {
      whenMade = () -> {};
    }
    return forcedIn(file);
  }

  private static Set<Path> forcedIn(Path file) throws IOException {
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().equals("jdk.FileForce"))
        .map(event -> Path.of(event.getString("path")).toAbsolutePath())
        .collect(Collectors.toSet());
  }
}
