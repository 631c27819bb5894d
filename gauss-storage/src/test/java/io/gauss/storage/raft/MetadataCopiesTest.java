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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
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
    nodes.startAll();
    nodes.addGroup(STREAM);
    add(1);
    GroupNodes.await("node 2 to have it", () -> replicas.get(NODE).sum() == 1);
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  private RaftHost leader() {
    return nodes.host(nodes.awaitLeader(STREAM));
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

  private void destroy(String name) throws IOException {
    Files.write(current().resolve(name), new byte[0]);
  }

  private void settle() throws IOException {
    GroupDirectories.settle(nodes.settings(NODE).directory(), Map.of());
  }

  @Test
  void theVoteIsPutBackAndTheMemberTakesPartAgain() throws Exception {
    nodes.stop(NODE);
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
    nodes.stop(NODE);
    String old = "votedFor=s1\nterm=0\n";
    Files.writeString(copyOf(MetadataCopies.VOTE), old);
    destroy(MetadataCopies.VOTE);
    settle();
    String now = new String(read(MetadataCopies.VOTE), StandardCharsets.UTF_8);
    long term = nodes.host(nodes.awaitLeader(STREAM)).status(STREAM).term();
    assertEquals("term=" + term + "\nvotedFor=\n", now);
    nodes.start(NODE);
    add(2);
    GroupNodes.await("node 2 to have both", () -> replicas.get(NODE).sum() == 3);
  }

  @Test
  void aVoteThatWasCutOffIsPutBack() throws Exception {
    nodes.stop(NODE);
    byte[] vote = read(MetadataCopies.VOTE);
    for (int length = 0; length < vote.length; length++) {
      Files.write(current().resolve(MetadataCopies.VOTE), Arrays.copyOf(vote, length));
      settle();
      assertArrayEquals(vote, read(MetadataCopies.VOTE), "after " + length + " bytes");
    }
  }

  @Test
  void aVoteThatIsNotOnTheDiskCannotBeCopied() throws Exception {
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
    leader().setMembers(STREAM, two);
    nodes.stop(0);
    add(2);
    GroupNodes.await("node 2 to have both", () -> replicas.get(NODE).sum() == 3);
    nodes.host(NODE).forget(STREAM).orTimeout(30, TimeUnit.SECONDS).join();
    nodes.stop(NODE);
    destroy(MetadataCopies.MEMBERS);
    nodes.start(NODE);
    assertEquals(
        List.of(1, 2), nodes.host(NODE).members(STREAM).stream().map(GroupMember::node).toList());
    add(3);
    GroupNodes.await("node 2 to have all", () -> replicas.get(NODE).sum() == 6);
  }

  @Test
  void entriesAreNotForgottenBeforeWhoTheMembersAreIsCopied() throws Exception {
    Path obstacle = Files.createDirectory(copyOf(MetadataCopies.MEMBERS + ".new"));
    List<GroupMember> two = nodes.members().subList(1, 3);
    leader().setMembers(STREAM, two);
    nodes.stop(0);
    add(2);
    GroupNodes.await("node 2 to have both", () -> replicas.get(NODE).sum() == 3);
    assertThrows(IOException.class, machines.get(NODE)::takeSnapshot);
    assertTrue(replicas.get(NODE).lastSnapshot() == null);
    Files.delete(obstacle);
    nodes.host(NODE).forget(STREAM).orTimeout(30, TimeUnit.SECONDS).join();
    assertTrue(replicas.get(NODE).lastSnapshot() != null);
    assertArrayEquals(
        read(MetadataCopies.MEMBERS), Files.readAllBytes(copyOf(MetadataCopies.MEMBERS)));
  }
}
