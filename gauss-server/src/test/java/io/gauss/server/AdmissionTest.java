package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.config.NodeKind;
import io.gauss.server.join.ClusterAuthority;
import io.gauss.server.join.JoinAnswer;
import io.gauss.server.join.JoinRefused;
import io.gauss.server.join.JoinRequest;
import io.gauss.server.join.JoinToken;
import io.gauss.server.join.NodeCredentials;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who becomes a node, as which one, and who does not. */
class AdmissionTest {
  private static final List<String> ALL = List.of("compute", "memory", "storage");
  private static final String HOST = "10.0.0.9";
  private static final Instant NOW = Instant.parse("2026-11-29T00:00:00Z");

  @TempDir private Path parent;
  private Path data;
  private final StorageMap cluster = new StorageMap();
  private Admission admission;

  @BeforeEach
  void found() throws IOException {
    data =
        Files.createDirectory(
            parent.resolve("a"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    NodeDescription first =
        new NewMachine(EnumSet.allOf(NodeKind.class), "10.0.0.1", 7000, 5432, "", 0, Map.of())
            .found(data);
    admission = new Admission(data, first);
    cluster.member(101, Role.MEMORY, NodeState.UP);
    storage(1);
  }

  private void storage(int count) {
    IntStream.rangeClosed(1, count).forEach(node -> cluster.storage(200 + node, NodeState.UP));
  }

  private JoinToken token() {
    return ClusterAuthority.open(data)
        .tokens()
        .give("10.0.0.1", 7000, NOW.plus(Duration.ofHours(1)), NOW);
  }

  private JoinRequest request(JoinToken token, String machine, int replaces) {
    return JoinRequest.of(
        token,
        NodeCredentials.in(parent.resolve(machine)),
        new JoinRequest.Wish(ALL, HOST, replaces));
  }

  private JoinAnswer admit(JoinRequest request, Integer... silent) {
    Set<Integer> answering =
        cluster.map(1).nodes().keySet().stream()
            .filter(node -> !Set.of(silent).contains(node))
            .collect(Collectors.toSet());
    return admission.admit(request, new Admission.Cluster(cluster.map(1), answering), NOW);
  }

  private void assertRefused(String because, JoinRequest request, Integer... silent) {
    JoinRefused refused = assertThrows(JoinRefused.class, () -> admit(request, silent));
    assertTrue(refused.getMessage().contains(because), refused.getMessage());
  }

  @Test
  void whoDoesNotKnowWhetherItWasTakenInAsksAgainAndIsTheSameNode() {
    JoinRequest request = request(token(), "b", 0);
    JoinAnswer answer = admit(request);
    assertEquals(2, answer.node());
    assertEquals(answer.node(), admit(request).node());
    assertEquals(answer.clusterKey(), admit(request).clusterKey());
    assertEquals(3, admit(request(token(), "c", 0)).node());
  }

  @Test
  void whoHasComeBecomesNoSecondNodeByTheSameToken() {
    JoinToken token = token();
    admit(request(token, "b", 0));
    assertRefused("used already", request(token, "c", 0));
    cluster.storage(202, NodeState.UP);
    assertRefused("has become node 2", request(token, "b", 0));
  }

  @Test
  void whoIsRefusedKeepsTheToken() {
    JoinToken token = token();
    storage(5);
    assertRefused("has 5 storage nodes", request(token, "b", 0));
    cluster.storage(205, NodeState.REMOVED);
    assertNotEquals(0, admit(request(token, "b", 0)).node());
  }

  /** Each of them found four in the map, and room for itself. */
  @Test
  void placesOfThoseThatAreAboutToComeAreTaken() {
    storage(4);
    JoinRequest first = request(token(), "b", 0);
    admit(first);
    assertRefused("has 5 storage nodes", request(token(), "c", 0));
    admit(first); // its own place
    Instant later = NOW.plus(Duration.ofMinutes(11)); // the first does not come
    admission.admit(
        request(token(), "d", 0), new Admission.Cluster(cluster.map(1), Set.of()), later);
  }

  @Test
  void whoseStorageAnswersIsNotReplaced() {
    storage(3); // of the second nothing but storage was started
    JoinRequest request = request(token(), "b", 2);
    assertRefused("node 2 is alive", request);
    assertEquals(4, admit(request, 202).node());
  }
}
