package io.gauss.compute.reference;

import io.gauss.common.task.FreePorts;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The real PostgreSQL 15 that Gauss is compared with. Its binaries come out of a Maven artifact, so
 * nothing has to be installed; it listens on a free port, has its data in the temporary directory,
 * and ends with the test JVM.
 *
 * <p>PostgreSQL refuses to run as root. Started by root it runs in a user namespace of its own
 * ({@code unshare -U}), which needs no other account. When it cannot be started the tests that need
 * it fail: a comparison that silently did not take place would be worth nothing.
 *
 * <p>Thread-safe.
 */
public final class ReferencePostgres {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** As Gauss has it: order by bytes, but letters are those of Unicode. */
  private static final String CHARACTER_CLASSES = "C.UTF-8";

  private final EmbeddedPostgres server;
  private final AtomicInteger databases = new AtomicInteger();

  private static ReferencePostgres shared;
  private static AssertionError failure;

  private ReferencePostgres() throws IOException, SQLException {
    server =
        EmbeddedPostgres.builder()
            // The one that it would look for itself may be taken by another JVM while initdb runs.
            .setPort(FreePorts.one())
            .setPGStartupWait(PATIENCE)
            // One that the system gives out may be taken by then: initdb comes first.
            .setPort(FreePorts.one())
            .setLocaleConfig("locale", "C")
            .setLocaleConfig("lc-ctype", CHARACTER_CLASSES)
            .setServerConfig("max_connections", "200") // those that were closed end later
            .setServerConfig("fsync", "off") // it is never started again
            .setServerConfig("autovacuum", "off") // its locks and its statistics come at any time
            .setServerConfig("TimeZone", "UTC")
            .setServerConfig("log_timezone", "UTC")
            .start();
    try (Connection connection = DriverManager.getConnection(url("postgres", "postgres"));
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE ROLE gauss SUPERUSER CREATEROLE CREATEDB REPLICATION BYPASSRLS LOGIN");
    }
  }

  /** The server, started on first use. */
  public static synchronized ReferencePostgres get() {
    if (failure != null) {
      throw failure;
    }
    if (shared == null) {
      try {
        shared = new ReferencePostgres();
      } catch (IOException | SQLException | RuntimeException | LinkageError e) {
        failure = new AssertionError(explain(e), e);
        throw failure;
      }
    }
    return shared;
  }

  private static String explain(Throwable e) {
    String asRoot =
        System.getProperty("user.name").equals("root")
            ? "; as root it needs `unshare -U`, that is, user namespaces (else run the tests as an"
                + " ordinary user)"
            : "";
    return "the PostgreSQL to compare with did not start: %s%s; what it said is in target/test.log"
        .formatted(e, asRoot);
  }

  public int port() {
    return server.getPort();
  }

  /** Creates an empty database, owned by user gauss as everything in Gauss is; its JDBC URL. */
  public String newDatabase() throws SQLException {
    return url(createDatabase());
  }

  /** JDBC URL of a database for user gauss. */
  public String url(String database) {
    return url(database, "gauss");
  }

  /** Creates an empty database, owned by user gauss, and connects to it without a driver. */
  public PostgresClient newClient() throws IOException, SQLException {
    return new PostgresClient(port(), createDatabase());
  }

  /** Creates an empty database, owned by user gauss; its name. */
  public String createDatabase() throws SQLException {
    String name = "test" + databases.incrementAndGet();
    try (Connection connection = DriverManager.getConnection(url("postgres", "postgres"));
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + name + " OWNER gauss");
    }
    return name;
  }

  /** Drops a database and the roles that what ran in it has left. */
  public void dropDatabase(String name) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url("postgres", "postgres"));
        Statement statement = connection.createStatement()) {
      statement.execute("DROP DATABASE " + name + " WITH (FORCE)");
      List<String> roles = new ArrayList<>();
      try (ResultSet result =
          statement.executeQuery(
              "SELECT quote_ident(rolname) FROM pg_roles WHERE rolname !~"
                  + " '^(pg_|gauss$|postgres$)'")) {
        while (result.next()) {
          roles.add(result.getString(1));
        }
      }
      for (String role : roles) {
        statement.execute("DROP OWNED BY " + role);
        statement.execute("DROP ROLE " + role);
      }
    }
  }

  private String url(String database, String user) {
    return "jdbc:postgresql://127.0.0.1:%d/%s?user=%s".formatted(server.getPort(), database, user);
  }
}
