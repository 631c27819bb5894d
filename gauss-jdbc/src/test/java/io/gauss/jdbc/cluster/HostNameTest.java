package io.gauss.jdbc.cluster;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** A server tells the driver where to connect, and nothing else. */
class HostNameTest {
  @Test
  void namesAndAddressesAreTaken() {
    for (String host :
        List.of(
            "db",
            "db-1.example.org",
            "DB.example.org.",
            "compute_1",
            "10.1.2.3",
            "::1",
            "[fe80::1]",
            "2001:db8::ff00:42:8329",
            "::ffff:10.0.0.1")) {
      assertTrue(HostName.isValid(host), host);
    }
  }

  @Test
  void whatWouldChangeTheUrlIsRefused() {
    for (String host :
        List.of(
            "evil/gauss?user=admin",
            "evil?sslmode=disable&x=",
            "a,b",
            "a:5432",
            "user@evil",
            "evil#",
            "a%2fb",
            "a b",
            "a\n",
            "[::1]:1",
            "[::1",
            "[db]",
            "::1/x",
            "fe80::1%eth0",
            "-a",
            "a..b",
            "",
            "ä",
            "x".repeat(254))) {
      assertFalse(HostName.isValid(host), host);
    }
    assertFalse(HostName.isValid(null));
  }
}
