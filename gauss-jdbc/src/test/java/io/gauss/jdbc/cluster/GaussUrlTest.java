package io.gauss.jdbc.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.jdbc.GaussDriver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

class GaussUrlTest {
  @Test
  void hostsPortsDatabaseAndParametersAreRead() throws SQLException {
    GaussUrl url = GaussUrl.parse("jdbc:gauss://a:1,b,[::1]:3/db?user=gauss&ssl=false");
    assertEquals(
        List.of(
            new GaussUrl.Node("a", 1), new GaussUrl.Node("b", 5432), new GaussUrl.Node("[::1]", 3)),
        url.nodes());
    assertEquals(
        "jdbc:postgresql://b:5432/db?user=gauss&ssl=false", url.pgjdbcUrl(url.nodes().get(1)));
  }

  @Test
  void theDatabaseMayBeLeftOut() throws SQLException {
    assertEquals("/", GaussUrl.parse("jdbc:gauss://h").databaseAndParameters());
    assertEquals("/?user=x", GaussUrl.parse("jdbc:gauss://h?user=x").databaseAndParameters());
  }

  @Test
  void malformedUrlsAreRefusedWith08001() {
    for (String bad :
        List.of(
            "jdbc:gauss:h/db", "jdbc:gauss:///db", "jdbc:gauss://a,,b/db", "jdbc:gauss://a:x/d")) {
      assertEquals(
          "08001", assertThrows(SQLException.class, () -> GaussUrl.parse(bad)).getSQLState(), bad);
    }
  }

  @Test
  void passwordsAreNotInMessages() throws SQLException {
    SQLException refused =
        assertThrows(
            SQLException.class, () -> GaussUrl.parse("jdbc:gauss://a,,b/db?user=x&password=pw7"));
    assertFalse(refused.getMessage().contains("pw7"), refused.getMessage());
    for (String password : List.of("pw7", "pw7:x", "pw7/x", "a@pw7")) {
      String url = "jdbc:gauss://ada:" + password + "@h/db?user=x";
      SQLException other = assertThrows(SQLException.class, () -> GaussUrl.parse(url));
      assertFalse(other.getMessage().contains("pw7"), other.getMessage());
    }
    String shown = GaussUrl.parse("jdbc:gauss://a/db?user=x&password=pw7").toString();
    assertFalse(shown.contains("pw7"), shown);
  }

  @Test
  void theServiceLoaderFindsTheDriver() throws SQLException {
    assertEquals(GaussDriver.class, DriverManager.getDriver("jdbc:gauss://h/db").getClass());
  }

  @Test
  void everyNodeIsTriedBeforeConnectFails() {
    SQLException e =
        assertThrows(
            SQLException.class,
            () ->
                DriverManager.getConnection(
                    "jdbc:gauss://127.0.0.1:1,127.0.0.1:2/db?user=x&connectTimeout=2"));
    assertEquals("08001", e.getSQLState());
    assertEquals(1, e.getSuppressed().length);
  }
}
