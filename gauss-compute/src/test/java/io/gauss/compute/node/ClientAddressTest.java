package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where clients are told to connect. */
class ClientAddressTest {
  private static final String STORAGE = "201@10.0.0.1:7000:7100";

  @TempDir Path data;

  private NodeSettings settings(Map<String, String> given) {
    return NodeSettings.load(data, 5432, given);
  }

  private ClientAddress clients(Map<String, String> given) {
    return settings(given).clients();
  }

  @ParameterizedTest
  @CsvSource({
    "db.example.org, db.example.org, 0",
    "db.example.org:6432, db.example.org, 6432",
    "10.0.0.1:65535, 10.0.0.1, 65535",
    "[fd00::1]:5432, fd00::1, 5432",
    "[fd00::1], fd00::1, 0",
    "fd00::1, fd00::1, 0"
  })
  void hostsHaveAPortOrNone(String text, String host, int port) {
    assertEquals(new ClientAddress(host, port), ClientAddress.parse(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "host:",
        "host:0",
        "host:65536",
        "host:x",
        ":5432",
        "[fd00::1",
        "[::1]5432",
        "a b"
      })
  void whatIsNoAddressIsRefusedWithTheSettingsName(String text) {
    GaussException refused =
        assertThrows(GaussException.class, () -> settings(Map.of("advertise.address", text)));
    assertEquals(SqlState.INVALID_PARAMETER_VALUE, refused.state());
    assertEquals(
        "setting advertise.address = \"%s\" in the command line is not valid; expected: host or host:port"
            .formatted(text),
        refused.getMessage());
  }

  @Test
  void aSingleNodeTellsTheAddressOnWhichItListens() {
    assertEquals("127.0.0.1", clients(Map.of()).host());
    assertEquals("127.0.0.2", clients(Map.of("listen.address", "127.0.0.2")).host());
    assertEquals("127.0.0.1", clients(Map.of("listen.address", "0.0.0.0")).host());
  }

  @Test
  void aNodeOfAClusterTellsTheOneByWhichOtherNodesReachIt() {
    Map<String, String> given =
        Map.of(
            "storage.nodes", STORAGE,
            "peer.address", "10.0.0.2",
            "peer.plaintext", "on",
            "listen.address", "0.0.0.0");
    assertEquals(new ClientAddress("10.0.0.2", 0), clients(given));
    assertEquals("127.0.0.1", settings(given).listensAt());
  }

  @Test
  void whatIsSetIsToldInsteadOfBoth() {
    ClientAddress told = clients(Map.of("advertise.address", "db:6432", "listen.address", "::1"));
    assertEquals(new ClientAddress("db", 6432), told.withPort(5432));
    assertEquals(
        new ClientAddress("db", 5432), clients(Map.of("advertise.address", "db")).withPort(5432));
  }
}
