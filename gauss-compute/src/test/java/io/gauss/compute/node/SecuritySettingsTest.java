package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.transport.ClusterKeyFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a compute node decides about secrets and exposure when it reads its settings. */
class SecuritySettingsTest {
  @TempDir Path directory;

  private Path key;

  @BeforeEach
  void makeKey() {
    key = directory.resolve(ClusterKeyFile.NAME);
    ClusterKeyFile.ensure(key);
  }

  private NodeSettings inCluster(String node, Map<String, String> more) throws IOException {
    Map<String, String> settings = new TreeMap<>(more);
    settings.put("storage.nodes", "201@127.0.0.1:7000:7100");
    settings.put("cluster.key", key.toString());
    return NodeSettings.load(Files.createDirectories(directory.resolve(node)), 0, settings);
  }

  private String refusal(Map<String, String> settings) {
    GaussException refused =
        assertThrows(GaussException.class, () -> inCluster("refused", settings));
    assertEquals("22023", refused.state().code());
    assertTrue(refused.hint().contains("peer.plaintext = on"), refused.hint());
    return refused.getMessage();
  }

  @Test
  void aNodeThatOthersCanReachWantsEncryptionOrAWord() throws IOException {
    assertTrue(refusal(Map.of("peer.address", "10.0.0.1")).contains("10.0.0.1"));
    assertTrue(refusal(Map.of("peer.listen", "0.0.0.0")).contains("0.0.0.0"));
    assertTrue(refusal(Map.of("peer.address", "no-such-host.invalid")).contains("no-such-host"));
    inCluster("a", Map.of());
    inCluster("b", Map.of("peer.address", "localhost", "peer.listen", "127.0.0.1"));
    inCluster("c", Map.of("peer.address", "10.0.0.1", "peer.plaintext", "on"));
    inCluster(
        "d",
        Map.of(
            "peer.address", "10.0.0.1",
            "peer.tls.certificate", "c.pem",
            "peer.tls.key", "k.pem",
            "peer.tls.authority", "a.pem"));
  }

  @Test
  void aNodeWithoutOthersHasNoPortForThem() {
    NodeSettings.load(directory, 0, Map.of("peer.address", "10.0.0.1"));
  }

  @Test
  void saltsOfUnknownRolesAreTheSameOnAllNodesOfACluster() throws IOException {
    assertArrayEquals(
        MockSecret.of(inCluster("1", Map.of())), MockSecret.of(inCluster("2", Map.of())));
  }

  @Test
  void saltsOfUnknownRolesOutliveARestartOfASingleNode() throws IOException {
    Path other = Files.createDirectory(directory.resolve("other"));
    byte[] before = MockSecret.of(NodeSettings.load(directory, 0, Map.of()));
    assertArrayEquals(before, MockSecret.of(NodeSettings.load(directory, 0, Map.of())));
    byte[] ofOther = MockSecret.of(NodeSettings.load(other, 0, Map.of()));
    assertFalse(Arrays.equals(before, ofOther));
  }
}
