package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.api.StorageAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where commands find the storage nodes. */
class ClusterAccessTest {
  private static final StorageAddress FIRST = new StorageAddress(201, "storage-1", 7000, 7100);
  private static final StorageAddress OTHER = new StorageAddress(202, "storage-2", 7000, 7100);

  @TempDir Path data;

  private void inFile(StorageAddress node) throws IOException {
    Path own = Files.createDirectory(data.resolve("compute-1"));
    Files.writeString(own.resolve("gauss.properties"), "storage.nodes=" + node + "\n");
  }

  @Test
  void theFileOfANodeBelowNamesThem() throws IOException {
    inFile(FIRST);
    ClusterAccess found = ClusterAccess.find(data, Map.of()).orElseThrow();
    assertEquals(List.of(FIRST), found.nodes());
    assertEquals(data.resolve("compute-1/cluster.key"), found.key());
  }

  @Test
  void theEnvironmentOfAContainerComesFirst() throws IOException {
    inFile(FIRST);
    ClusterAccess found =
        ClusterAccess.find(
                data,
                Map.of(
                    "GAUSS_STORAGE_NODES", OTHER.toString(),
                    "GAUSS_CLUSTER_KEY", "/run/key",
                    "GAUSS_PEER_TLS_CERTIFICATE", "/run/certificate",
                    "GAUSS_PEER_TLS_KEY", "/run/certificate-key",
                    "GAUSS_PEER_TLS_AUTHORITY", "/run/authority"))
            .orElseThrow();
    assertEquals(List.of(OTHER), found.nodes());
    assertEquals(Path.of("/run/key"), found.key());
    assertEquals(Path.of("/run/authority"), found.tls().authority());
  }

  @Test
  void nothingIsFoundWhereNobodyNamesThem() throws IOException {
    assertTrue(ClusterAccess.find(data, Map.of("GAUSS_STORAGE_NODES", " ")).isEmpty());
  }

  @Test
  void whatIsNoListOfNodesIsRefused() {
    assertThrows(
        RefusedException.class,
        () -> ClusterAccess.find(data, Map.of("GAUSS_STORAGE_NODES", "storage-1")));
  }
}
