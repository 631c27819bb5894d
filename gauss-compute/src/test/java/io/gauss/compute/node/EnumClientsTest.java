package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.compute.reference.ReferencePostgres;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;
import org.postgresql.util.PGobject;

/** Enums as applications use them by pgjdbc, in Gauss and in PostgreSQL. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EnumClientsTest {
  private OneNode node;

  @BeforeAll
  void start(@TempDir Path data) {
    node = new OneNode(data);
  }

  @AfterAll
  void stop() {
    node.close();
  }

  private interface Work {
    void run(String url) throws Exception;
  }

  private Stream<DynamicTest> inBoth(String name, Work work) {
    String gauss = "jdbc:postgresql://127.0.0.1:%d/gauss?user=gauss".formatted(node.node.port());
    return Stream.of(
        DynamicTest.dynamicTest(name, () -> work.run(gauss)),
        DynamicTest.dynamicTest(
            name + " in PostgreSQL", () -> work.run(ReferencePostgres.get().newDatabase())));
  }

  @TestFactory
  Stream<DynamicTest> clients() {
    return Stream.of(
            inBoth("parameters", EnumClientsTest::parameters),
            inBoth("texts without a type", EnumClientsTest::untypedTexts),
            inBoth("arrays", EnumClientsTest::arrays),
            inBoth("metadata", EnumClientsTest::metadata),
            inBoth("copy", EnumClientsTest::copy),
            inBoth("plans and new labels", EnumClientsTest::plansAndNewLabels))
        .flatMap(tests -> tests);
  }

  private static void execute(Connection connection, String... texts) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String text : texts) {
        statement.execute(text);
      }
    }
  }

  /** As Hibernate binds an enum that it maps to a named one. */
  private static void parameters(String url) throws SQLException {
    for (String more : List.of("", "&prepareThreshold=-1", "&preferQueryMode=simple")) {
      try (Connection connection = DriverManager.getConnection(url + more)) {
        execute(
            connection,
            "CREATE TYPE status AS ENUM ('open', 'paid', 'sent')",
            "CREATE TABLE orders (id int PRIMARY KEY, s status NOT NULL)");
        try (PreparedStatement insert =
            connection.prepareStatement("INSERT INTO orders VALUES (?, ?)")) {
          for (int i = 0; i < 3; i++) {
            insert.setInt(1, i);
            insert.setObject(2, i == 1 ? "paid" : "open", Types.OTHER);
            insert.addBatch();
          }
          assertArrayEquals(new int[] {1, 1, 1}, insert.executeBatch());
          PGobject object = new PGobject();
          object.setType("status");
          object.setValue("sent");
          insert.setInt(1, 3);
          insert.setObject(2, object);
          insert.executeUpdate();
          insert.setInt(1, 4);
          insert.setObject(2, "lost", Types.OTHER);
          SQLException unknown = assertThrows(SQLException.class, insert::executeUpdate);
          assertEquals("22P02", unknown.getSQLState());
          insert.setInt(1, 4);
          insert.setString(2, "open");
          if (!more.contains("simple")) {
            SQLException text = assertThrows(SQLException.class, insert::executeUpdate);
            assertEquals("42804", text.getSQLState());
          }
        }
        try (PreparedStatement select =
            connection.prepareStatement("SELECT id, s FROM orders WHERE s = ? ORDER BY id")) {
          select.setObject(1, "open", Types.OTHER);
          for (int i = 0; i < 3; i++) {
            try (ResultSet rows = select.executeQuery()) {
              rows.next();
              assertEquals(0, rows.getInt(1));
              assertEquals("open", rows.getString(2));
              assertEquals("open", rows.getObject(2));
              assertEquals("status", rows.getMetaData().getColumnTypeName(2));
              assertEquals(Types.VARCHAR, rows.getMetaData().getColumnType(2));
              rows.next();
              assertEquals(2, rows.getInt(1));
            }
          }
        }
        execute(connection, "DROP TABLE orders", "DROP TYPE status");
      }
    }
  }

  private static void untypedTexts(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url + "&stringtype=unspecified")) {
      execute(
          connection,
          "CREATE TYPE status AS ENUM ('open', 'paid')",
          "CREATE TABLE orders (id serial PRIMARY KEY, s status)");
      try (PreparedStatement insert =
          connection.prepareStatement("INSERT INTO orders (s) VALUES (?), (?) RETURNING s")) {
        insert.setString(1, "paid");
        insert.setNull(2, Types.VARCHAR);
        try (ResultSet rows = insert.executeQuery()) {
          rows.next();
          assertEquals("paid", rows.getString(1));
        }
      }
      try (PreparedStatement update =
          connection.prepareStatement(
              "UPDATE orders SET s = CASE WHEN s IS NULL THEN ? ELSE s END WHERE s = ? OR s IS"
                  + " NULL")) {
        update.setString(1, "open");
        update.setString(2, "paid");
        assertEquals(2, update.executeUpdate());
      }
      execute(connection, "DROP TABLE orders", "DROP TYPE status");
    }
  }

  private static void arrays(String url) throws SQLException {
    for (String more : List.of("", "&prepareThreshold=-1")) {
      try (Connection connection = DriverManager.getConnection(url + more)) {
        execute(
            connection,
            "CREATE TYPE tag AS ENUM ('new', 'hot', 'old')",
            "CREATE TABLE tagged (id int, tags tag[])");
        try (PreparedStatement insert =
            connection.prepareStatement("INSERT INTO tagged VALUES (1, ?)")) {
          insert.setArray(1, connection.createArrayOf("tag", new String[] {"hot", null, "new"}));
          insert.executeUpdate();
        }
        try (PreparedStatement select =
            connection.prepareStatement("SELECT tags FROM tagged WHERE ?::tag = ANY (tags)")) {
          select.setString(1, "new");
          try (ResultSet rows = select.executeQuery()) {
            rows.next();
            assertEquals("{hot,NULL,new}", rows.getString(1));
            assertArrayEquals(
                new String[] {"hot", null, "new"}, (Object[]) rows.getArray(1).getArray());
            assertEquals("tag", rows.getArray(1).getBaseTypeName());
          }
        }
        execute(connection, "DROP TABLE tagged", "DROP TYPE tag");
      }
    }
  }

  private static void metadata(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url)) {
      execute(
          connection,
          "CREATE TYPE kind AS ENUM ('a', 'b')",
          "CREATE TABLE kinds (k kind DEFAULT 'a', ks kind[])");
      List<String> columns = new ArrayList<>();
      try (ResultSet found = connection.getMetaData().getColumns(null, null, "kinds", null)) {
        while (found.next()) {
          columns.add(
              "%s %s %d %s"
                  .formatted(
                      found.getString("COLUMN_NAME"),
                      found.getString("TYPE_NAME"),
                      found.getInt("DATA_TYPE"),
                      found.getString("COLUMN_DEF")));
        }
      }
      assertEquals(List.of("k kind 12 'a'::kind", "ks _kind 2003 null"), columns);
      List<String> types = new ArrayList<>();
      try (ResultSet found = connection.getMetaData().getTypeInfo()) {
        while (found.next()) {
          if (found.getString(1).contains("kind")) {
            types.add(found.getString("TYPE_NAME"));
          }
        }
      }
      assertEquals(List.of("kind"), types.stream().filter(name -> !name.startsWith("_")).toList());
      execute(connection, "DROP TABLE kinds", "DROP TYPE kind");
    }
  }

  private static void copy(String url) throws Exception {
    try (Connection connection = DriverManager.getConnection(url)) {
      execute(
          connection,
          "CREATE TYPE size AS ENUM ('s', 'm', 'x l')",
          "CREATE TABLE sizes (n int, z size, zs size[])");
      CopyManager copies = connection.unwrap(PGConnection.class).getCopyAPI();
      String text = "1\tm\t{s,\"x l\"}\n2\t\\N\t\\N\n3\tx l\t{}\n";
      copies.copyIn(
          "COPY sizes FROM STDIN", new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
      ByteArrayOutputStream binary = new ByteArrayOutputStream();
      copies.copyOut("COPY sizes TO STDOUT (FORMAT binary)", binary);
      execute(connection, "TRUNCATE sizes");
      copies.copyIn(
          "COPY sizes FROM STDIN (FORMAT binary)", new ByteArrayInputStream(binary.toByteArray()));
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      copies.copyOut("COPY (SELECT * FROM sizes ORDER BY n) TO STDOUT", out);
      assertEquals(text, out.toString(StandardCharsets.UTF_8));
      SQLException unknown =
          assertThrows(
              SQLException.class,
              () ->
                  copies.copyIn(
                      "COPY sizes FROM STDIN",
                      new ByteArrayInputStream("4\tl\t\\N\n".getBytes(StandardCharsets.UTF_8))));
      assertEquals("22P02", unknown.getSQLState());
      execute(connection, "DROP TABLE sizes", "DROP TYPE size");
    }
  }

  /** Prepared statements outlive changes of the type. */
  private static void plansAndNewLabels(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url + "&prepareThreshold=-1");
        Connection other = DriverManager.getConnection(url)) {
      execute(
          connection,
          "CREATE TYPE phase AS ENUM ('one', 'two')",
          "CREATE TABLE phases (p phase)",
          "INSERT INTO phases VALUES ('one'), ('two')");
      try (PreparedStatement select =
              connection.prepareStatement("SELECT p FROM phases WHERE p >= ? ORDER BY p");
          PreparedStatement insert = connection.prepareStatement("INSERT INTO phases VALUES (?)")) {
        select.setObject(1, "one", Types.OTHER);
        assertEquals(List.of("one", "two"), column(select));
        execute(other, "ALTER TYPE phase ADD VALUE 'half' BEFORE 'two'");
        insert.setObject(1, "half", Types.OTHER);
        insert.executeUpdate();
        assertEquals(List.of("one", "half", "two"), column(select));
        execute(other, "ALTER TYPE phase RENAME VALUE 'one' TO 'start'");
        select.setObject(1, "start", Types.OTHER);
        assertEquals(List.of("start", "half", "two"), column(select));
        select.setObject(1, "half", Types.OTHER);
        assertEquals(List.of("half", "two"), column(select));
      }
      execute(connection, "DROP TABLE phases", "DROP TYPE phase");
    }
  }

  private static List<String> column(PreparedStatement statement) throws SQLException {
    List<String> values = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        values.add(rows.getString(1));
      }
    }
    return values;
  }
}
