package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.ratis.server.raftlog.RaftLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Empty files have taken the place of a member's vote, or of its members: the disk was full. */
@Timeout(120)
class MetadataCopiesTest {
  private static final GroupId STREAM = GroupId.stream(7);
  private static final int NODE = 2;

  @TempDir Path directory;
  private final Map<Integer, SumReplica> replicas = new ConcurrentHashMap<>();
  private final Map<Integer, GroupMachine> machines = new ConcurrentHashMap<>();
  private RaftNodes nodes;

  @BeforeEach
  void start() {
    nodes =
        new RaftNodes(
            3,
            directory,
            node ->
                group -> {
                  replicas.put(node, new SumReplica());
                  machines.put(node, new GroupMachine(replicas.get(node)));
                  return machines.get(node);
                });
    // Only two at first: nobody leads without the vote of node 2.
    nodes.start(0);
    nodes.start(NODE);
    nodes.addGroup(STREAM);
    add(1);
    nodes.start(1).addGroup(STREAM, nodes.members());
    GroupNodes.await("node 2 to have it", () -> replicas.get(NODE).sum() == 1);
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  private void add(long value) {
    nodes.add(STREAM, value);
  }

  private Path current() {
    return GroupDirectories.current(nodes.settings(NODE).directory(), STREAM);
  }

  private Path copyOf(String name) {
    return current().resolveSibling("copy-of-" + name);
  }

  private byte[] read(String name) throws IOException {
    return Files.readAllBytes(current().resolve(name));
  }

  /**
   * Stops node 2 in a term of which its log has an entry, and its vote a copy. Both may be missing
   * when the leader has just changed: of a term of which a member has only heard there is no copy,
   * since it has promised nothing in it.
   *
   * @return the term
   */
  private long stopAfterItsVote() throws IOException {
    while (true) {
      RaftHost host = nodes.start(NODE);
      RaftLog log = host.division(STREAM).getRaftLog();
      GroupNodes.await(
          "node 2 to have an entry of its term",
          () -> log.getLastEntryTermIndex().getTerm() == host.status(STREAM).term());
      long term = log.getLastEntryTermIndex().getTerm();
      nodes.stop(NODE);
      byte[] vote = read(MetadataCopies.VOTE);
      if (new String(vote, StandardCharsets.UTF_8).contains("term=" + term + "\n")
          && Arrays.equals(vote, Files.readAllBytes(copyOf(MetadataCopies.VOTE)))) {
        return term;
      }
    }
  }

  private void destroy(String name) throws IOException {
    Files.write(current().resolve(name), new byte[0]);
  }

  private void settle() throws IOException {
    GroupDirectories.settle(nodes.settings(NODE).directory(), Map.of());
  }

  @Test
  void theVoteIsPutBackAndTheMemberTakesPartAgain() throws Exception {
    stopAfterItsVote();
    byte[] vote = read(MetadataCopies.VOTE);
    destroy(MetadataCopies.VOTE);
    settle();
    assertArrayEquals(vote, read(MetadataCopies.VOTE));
    destroy(MetadataCopies.VOTE);
    nodes.start(NODE);
    add(2);
    GroupNodes.await("node 2 to have both", () -> replicas.get(NODE).sum() == 3);
  }

  @Test
  void aVoteThatIsPutBackIsInTheTermOfTheLogAtLeast() throws Exception {
    long term = stopAfterItsVote();
    String old = "votedFor=s1\nterm=0\n";
    Files.writeString(copyOf(MetadataCopies.VOTE), old);
    destroy(MetadataCopies.VOTE);
    settle();
    String now = new String(read(MetadataCopies.VOTE), StandardCharsets.UTF_8);
    assertEquals("term=" + term + "\nvotedFor=\n", now);
    nodes.start(NODE);
    add(2);
    GroupNodes.await("node 2 to have both", () -> replicas.get(NODE).sum() == 3);
  }

  @Test
  void aVoteThatWasCutOffIsPutBack() throws Exception {
    stopAfterItsVote();
    byte[] vote = read(MetadataCopies.VOTE);
    for (int length = 0; length < vote.length; length++) {
      Files.write(current().resolve(MetadataCopies.VOTE), Arrays.copyOf(vote, length));
      settle();
      assertArrayEquals(vote, read(MetadataCopies.VOTE), "after " + length + " bytes");
    }
  }

  @Test
  void aVoteThatIsNotOnTheDiskCannotBeCopied() throws Exception {
    nodes.stop(NODE);
    destroy(MetadataCopies.VOTE);
    byte[] copy = Files.readAllBytes(copyOf(MetadataCopies.VOTE));
    assertThrows(IOException.class, () -> MetadataCopies.keepVote(current()));
    assertArrayEquals(copy, Files.readAllBytes(copyOf(MetadataCopies.VOTE)));
  }

  @Test
  void withoutACopyTheNodeDoesNotStart() throws Exception {
    nodes.stop(NODE);
    Files.delete(copyOf(MetadataCopies.VOTE));
    destroy(MetadataCopies.VOTE);
    assertThrows(GaussException.class, () -> nodes.start(NODE));
  }

  /** Their entries are forgotten: only the file tells who the members are. */
  @Test
  void theMembersArePutBack() throws Exception {
    List<GroupMember> two = nodes.members().subList(1, 3);
    nodes.change(STREAM, two);
    nodes.stop(0);
    add(2);
    GroupNodes.await("node 2 to have both", () -> replicas.get(NODE).sum() == 3);
    nodes.host(NODE).forget(STREAM).orTimeout(30, TimeUnit.SECONDS).join();
    nodes.stop(NODE);
    destroy(MetadataCopies.MEMBERS);
    nodes.start(NODE);
    assertEquals(
        Set.of(1, 2),
        nodes.host(NODE).members(STREAM).stream()
            .map(GroupMember::node)
            .collect(Collectors.toSet()));
    add(3);
    GroupNodes.await("node 2 to have all", () -> replicas.get(NODE).sum() == 6);
  }

  @Test
  void entriesAreNotForgottenBeforeWhoTheMembersAreIsCopied() throws Exception {
    Path obstacle = Files.createDirectory(copyOf(MetadataCopies.MEMBERS + ".new"));
    List<GroupMember> two = nodes.members().subList(1, 3);
    nodes.change(STREAM, two);
    nodes.stop(0);
    add(2);
    GroupNodes.await("node 2 to have both", () -> replicas.get(NODE).sum() == 3);
    assertThrows(IOException.class, machines.get(NODE)::takeSnapshot);
    assertTrue(replicas.get(NODE).lastSnapshot() == null);
    Files.delete(obstacle);
    nodes.host(NODE).forget(STREAM).orTimeout(30, TimeUnit.SECONDS).join();
    assertTrue(replicas.get(NODE).lastSnapshot() != null);
    nodes.stop(NODE);
    assertArrayEquals(
        read(MetadataCopies.MEMBERS), Files.readAllBytes(copyOf(MetadataCopies.MEMBERS)));
  }
}
