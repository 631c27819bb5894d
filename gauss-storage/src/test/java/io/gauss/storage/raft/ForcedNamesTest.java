package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.transport.TransportException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.apache.ratis.proto.RaftProtos.RaftGroupIdProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.protocol.TermIndex;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A power failure takes away names that were not forced: of a segment with acknowledged entries, or
 * of the file with a vote.
 */
@Timeout(120)
class ForcedNamesTest {
  private static final GroupId STREAM = GroupId.stream(7);
  private static final int SEGMENT_BYTES = 8 << 10;
  private static final byte[] ONE =
      "%01000d".formatted(1).getBytes(StandardCharsets.UTF_8); // of a size that counts

  @TempDir Path directory;
  private RaftNodes nodes;

  private void start(int members) {
    nodes =
        new RaftNodes(
            members,
            directory,
            node -> RaftHost.MachineFactory.of(group -> new SumReplica()),
            settings -> settings.withSegments(SEGMENT_BYTES, SEGMENT_BYTES / 2, SEGMENT_BYTES / 2));
    nodes.start(0);
    nodes.addGroup(STREAM);
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  private Path current() {
    return GroupDirectories.current(nodes.settings(0).directory(), STREAM).toAbsolutePath();
  }

  private interface Step {
    void run() throws Exception;
  }

  /** The paths that were forced meanwhile, in any thread. */
  private Set<Path> forcedBy(Step step) throws Exception {
    Path file = directory.resolve("events.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("jdk.FileForce").withoutThreshold().withoutStackTrace();
      recording.start();
      step.run();
      recording.stop();
      recording.dump(file);
    }
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().equals("jdk.FileForce"))
        .map(event -> Path.of(event.getString("path")).toAbsolutePath())
        .collect(Collectors.toSet());
  }

  private void add() {
    Submitted outcome = nodes.host(0).submit(STREAM, ONE).orTimeout(60, TimeUnit.SECONDS).join();
    assertInstanceOf(Submitted.Applied.class, outcome);
  }

  private Set<Path> segments() throws IOException {
    try (var files = Files.list(current())) {
      return files
          .filter(f -> f.getFileName().toString().startsWith(UnforcedTail.OPEN_SEGMENT))
          .collect(Collectors.toSet());
    }
  }

  @Test
  void aSegmentsNameIsForcedBeforeItsFirstEntryIsAcknowledged() throws Exception {
    start(1);
    nodes.awaitLeader(STREAM);
    add();
    Set<Path> before = segments();
    Set<Path> forced =
        forcedBy(
            () -> {
              while (segments().equals(before)) {
                add();
              }
            });
    assertTrue(forced.contains(current()), "forced: " + forced);
  }

  /**
   * Over the port. The only other node that runs is no member of the group, so that nothing is
   * decided meanwhile.
   */
  private boolean isGivenAVote() throws IOException {
    GroupId other = GroupId.stream(8);
    nodes.start(1).addGroup(other, List.of(nodes.members().get(1)));
    RaftServerRpc candidate = nodes.host(1).division(other).getRaftServer().getServerRpc();
    candidate.addRaftPeers(List.of(nodes.members().get(0).ratis()));
    RequestVoteRequestProto request =
        RequestVoteRequestProto.newBuilder()
            .setServerRequest(
                RaftRpcRequestProto.newBuilder()
                    .setRequestorId(GroupMember.peerId(1).toByteString())
                    .setReplyId(GroupMember.peerId(0).toByteString())
                    .setRaftGroupId(
                        RaftGroupIdProto.newBuilder().setId(STREAM.ratis().toByteString())))
            .setCandidateTerm(100)
            .setCandidateLastEntry(TermIndex.valueOf(99, 100).toProto())
            .build();
    while (true) {
      try {
        return candidate.requestVote(request).getServerReply().getSuccess();
      } catch (IOException e) {
        // A disk may take longer than an answer; the same candidate is given the same vote again.
        if (!isLate(e.getCause())) {
          throw e;
        }
      }
    }
  }

  private static boolean isLate(Throwable cause) {
    return cause instanceof TimeoutException
        || cause instanceof TransportException failure
            && failure.reason() == TransportException.Reason.TIMEOUT;
  }

  @Test
  void aVotesNameIsForcedBeforeItIsGiven() throws Exception {
    start(3);
    Set<Path> forced = forcedBy(() -> assertTrue(isGivenAVote()));
    assertEquals(100, nodes.host(0).status(STREAM).term());
    assertTrue(forced.contains(current()), "forced: " + forced);
    assertTrue(forced.contains(current().getParent()), "its copy's, forced: " + forced);
  }

  @Test
  void aVoteIsNotGivenBeforeThereIsACopyOfIt() throws Exception {
    start(3);
    String copy = "copy-of-raft-meta.new";
    Files.createDirectory(current().resolveSibling(copy));
    IOException refusal = assertThrows(IOException.class, this::isGivenAVote);
    assertTrue(refusal.getMessage().contains(copy), refusal.getMessage());
  }

  @Test
  void aNewLeadersVoteForItselfIsForcedBeforeItSendsAnything() throws Exception {
    start(1);
    nodes.awaitLeader(STREAM);
    RaftHost host = nodes.host(0);
    Set<Path> forced = forcedBy(() -> host.answers().beforeLeading(host.division(STREAM)));
    assertTrue(forced.contains(current()), "forced: " + forced);
  }
}
