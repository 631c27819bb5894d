package io.gauss.common.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingValuesTest {
  @TempDir Path data;

  private SettingValues compute(Map<String, String> environment, Map<String, String> overrides) {
    return SettingValues.load(NodeKind.COMPUTE, data, environment, overrides);
  }

  private GaussException refused(Map<String, String> environment, Map<String, String> overrides) {
    return assertThrows(GaussException.class, () -> compute(environment, overrides));
  }

  private void file(String text) throws IOException {
    Files.writeString(data.resolve(SettingValues.FILE), text);
  }

  @Test
  void everyDefaultIsValid() {
    for (NodeKind kind : NodeKind.values()) {
      SettingValues values = SettingValues.load(kind, data, Map.of(), Map.of());
      NodeSettingTable.of(kind).forEach(row -> assertTrue(values.get(row) != null, row.name()));
    }
  }

  @Test
  void theLaterWins() throws IOException {
    file("pool.size = 9MB\nconnections.max = 1\nauth.timeout = 2\n");
    SettingValues values =
        compute(
            Map.of("GAUSS_POOL_SIZE", "10MB", "GAUSS_AUTH_TIMEOUT", " 3 "),
            Map.of("pool.size", "11MB"));
    assertEquals(11L << 20, values.get(NodeSettingTable.POOL_SIZE));
    assertEquals(1, values.get(NodeSettingTable.CONNECTIONS_MAX));
    assertEquals(Duration.ofSeconds(3), values.get(NodeSettingTable.AUTH_TIMEOUT));
    assertEquals(
        NodeSettingTable.PageRights.UNTIL_WANTED, values.get(NodeSettingTable.PAGES_RIGHTS));
  }

  @ParameterizedTest
  @CsvSource({
    "pool.size, 1KB, 'bytes, from 8MB'",
    "pool.size, 8TB, 'bytes, from 8MB'",
    "pool.size, '', 'bytes, from 8MB'",
    "pool.size, 99999999999999999GB, 'bytes, from 8MB'",
    "connections.max, 0, 'number, 1 to 1,000,000'",
    "connections.max, many, 'number, 1 to 1,000,000'",
    "storage.timeout, 86401, 'seconds, 1 to 86,400'",
    "storage.timeout, 99999999999, 'seconds, 1 to 86,400'",
    "auth.loopback, peer, 'trust, scram, trust-all'",
    "routing.learning, maybe, 'on, off'",
    "metrics.port, 65536, 'port, 0 to 65,535'",
    "listen.address, '', address",
  })
  void aValueThatDoesNotFitIsToldWithItsNameAndWhatWould(
      String name, String value, String expected) {
    GaussException e = refused(Map.of(), Map.of(name, value));
    assertEquals(SqlState.INVALID_PARAMETER_VALUE, e.state());
    assertEquals(
        "setting %s = \"%s\" in the command line is not valid; expected: %s"
            .formatted(name, value, expected),
        e.getMessage());
  }

  @Test
  void whereAWrongValueStandsIsTold() throws IOException {
    assertTrue(
        refused(Map.of("GAUSS_POOL_SIZE", "x"), Map.of())
            .getMessage()
            .contains("in the variable GAUSS_POOL_SIZE is not valid"));
    file("pool.size = x\n");
    assertTrue(
        refused(Map.of(), Map.of()).getMessage().contains(data + "/gauss.properties is not"));
  }

  @Test
  void unknownNamesAreRefusedWhereverTheyStand() throws IOException {
    GaussException e = refused(Map.of(), Map.of("pool.sice", "9MB"));
    assertEquals(SqlState.UNDEFINED_OBJECT, e.state());
    assertTrue(
        e.getMessage().startsWith("unknown setting \"pool.sice\" in the command line; known"));
    assertEquals(
        SqlState.UNDEFINED_OBJECT, refused(Map.of("GAUSS_POOL_SICE", "9MB"), Map.of()).state());
    file("pool.sice = 9MB\n");
    assertEquals(SqlState.UNDEFINED_OBJECT, refused(Map.of(), Map.of()).state());
  }

  @Test
  void aSettingOfAnotherKindOfNodeIsRefusedButInTheEnvironment() {
    GaussException e = refused(Map.of(), Map.of("cache.size", "1GB"));
    assertEquals(
        "setting \"cache.size\" in the command line is not one of a compute node; those that have"
            + " it: [memory]",
        e.getMessage());
    compute(Map.of("GAUSS_CACHE_SIZE", "1GB", "GAUSS_HEAP", "1g", "HOME", "/"), Map.of());
  }

  /** What Kubernetes tells the containers beside services named gauss, gauss-peer and gauss-sql. */
  @Test
  void whatKubernetesTellsOfServicesIsNoSetting() {
    SettingValues values =
        compute(
            Map.of(
                "GAUSS_SERVICE_HOST", "10.0.0.1",
                "GAUSS_SERVICE_PORT", "5432",
                "GAUSS_SERVICE_PORT_CLIENTS", "5432",
                "GAUSS_PORT", "tcp://10.0.0.1:5432",
                "GAUSS_PORT_5432_TCP", "tcp://10.0.0.1:5432",
                "GAUSS_PORT_5432_TCP_ADDR", "10.0.0.1",
                "GAUSS_PEER_PORT", "tcp://10.0.0.2:7000",
                "GAUSS_PEER_PORT_7000_TCP_PROTO", "tcp",
                "GAUSS_SQL_SERVICE_PORT", "5432"),
            Map.of());
    assertEquals(0, values.get(NodeSettingTable.PEER_PORT));
  }

  @ParameterizedTest
  @CsvSource({"GAUSS_PORT, 5432", "GAUSS_SERVICE, x", "GAUSS_PORT_TCP, x", "GAUSS_PEER_PORT, tcp"})
  void whatOnlyLooksSimilarIsRefused(String variable, String value) {
    refused(Map.of(variable, value), Map.of());
  }

  @Test
  void kindsThatShareANameHaveDefaultsOfTheirOwn() {
    SettingValues storage = SettingValues.load(NodeKind.STORAGE, data, Map.of(), Map.of());
    assertEquals(128L << 20, storage.get(NodeSettingTable.STORAGE_REDO_MEMORY));
    assertThrows(
        IllegalArgumentException.class, () -> storage.get(NodeSettingTable.COMPUTE_REDO_MEMORY));
  }

  @Test
  void filesAreInTheDataDirectoryUnlessNamed() {
    SettingValues values = compute(Map.of(), Map.of("tls.key", "own.pem"));
    assertEquals(data.resolve("k"), values.file(NodeSettingTable.CLUSTER_KEY, "k"));
    assertEquals(Optional.of(Path.of("own.pem")), values.get(NodeSettingTable.TLS_KEY));
  }
}
