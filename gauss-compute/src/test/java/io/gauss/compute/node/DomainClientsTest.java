package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.reference.ReferencePostgres;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ParameterMetaData;
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
import org.postgresql.util.PSQLException;

/** Domains as applications use them by pgjdbc, in Gauss and in PostgreSQL. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DomainClientsTest {
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
            inBoth("parameters", DomainClientsTest::parameters),
            inBoth("errors", DomainClientsTest::errors),
            inBoth("arrays", DomainClientsTest::arrays),
            inBoth("metadata", DomainClientsTest::metadata),
            inBoth("copy", DomainClientsTest::copy),
            inBoth("introspection", DomainClientsTest::introspection))
        .flatMap(tests -> tests);
  }

  private static void execute(Connection connection, String... texts) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String text : texts) {
        statement.execute(text);
      }
    }
  }

  private static void parameters(String url) throws SQLException {
    for (String more : List.of("", "&prepareThreshold=-1", "&preferQueryMode=simple")) {
      try (Connection connection = DriverManager.getConnection(url + more)) {
        execute(
            connection,
            "CREATE DOMAIN money_amount AS numeric(8,2) CHECK (VALUE >= 0)",
            "CREATE DOMAIN mail AS varchar(30) CHECK (VALUE LIKE '%@%')",
            "CREATE TABLE orders (id int PRIMARY KEY, a money_amount NOT NULL, m mail)");
        try (PreparedStatement insert =
            connection.prepareStatement("INSERT INTO orders VALUES (?, ?, ?)")) {
          for (int i = 0; i < 3; i++) {
            insert.setInt(1, i);
            insert.setBigDecimal(2, new java.math.BigDecimal("1.255"));
            insert.setString(3, "a@b");
            insert.addBatch();
          }
          assertArrayEquals(new int[] {1, 1, 1}, insert.executeBatch());
          insert.setInt(1, 4);
          insert.setBigDecimal(2, new java.math.BigDecimal(-1));
          insert.setString(3, "a@b");
          SQLException refused = assertThrows(SQLException.class, insert::executeUpdate);
          assertEquals("23514", refused.getSQLState());
          insert.setObject(2, 5, Types.OTHER);
          insert.setObject(3, "x@y", Types.OTHER);
          insert.executeUpdate();
          insert.setInt(1, 5);
          insert.setNull(3, Types.VARCHAR);
          insert.executeUpdate();
        }
        if (!more.contains("simple")) {
          try (PreparedStatement described =
              connection.prepareStatement("INSERT INTO orders VALUES (?, ?, ?)")) {
            ParameterMetaData parameters = described.getParameterMetaData();
            assertEquals("money_amount", parameters.getParameterTypeName(2));
            assertEquals("mail", parameters.getParameterTypeName(3));
          }
        }
        try (PreparedStatement select =
            connection.prepareStatement("SELECT id, a, m FROM orders WHERE a > ? ORDER BY id")) {
          select.setInt(1, 1);
          for (int i = 0; i < 8; i++) {
            try (ResultSet rows = select.executeQuery()) {
              rows.next();
              assertEquals(new java.math.BigDecimal("1.26"), rows.getBigDecimal(2));
              assertEquals(new java.math.BigDecimal("1.26"), rows.getObject(2));
              assertEquals("a@b", rows.getObject(3));
              assertEquals("numeric", rows.getMetaData().getColumnTypeName(2));
              assertEquals(8, rows.getMetaData().getPrecision(2));
              assertEquals(2, rows.getMetaData().getScale(2));
              assertEquals("varchar", rows.getMetaData().getColumnTypeName(3));
              assertEquals(30, rows.getMetaData().getPrecision(3));
            }
          }
        }
        execute(connection, "DROP TABLE orders", "DROP DOMAIN money_amount, mail");
      }
    }
  }

  private static void errors(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url)) {
      execute(
          connection,
          "CREATE DOMAIN posint AS int NOT NULL CONSTRAINT plus CHECK (VALUE > 0)",
          "CREATE TABLE t (a posint)");
      PSQLException check =
          assertThrows(PSQLException.class, () -> execute(connection, "INSERT INTO t VALUES (0)"));
      assertEquals("plus", check.getServerErrorMessage().getConstraint());
      assertEquals("posint", check.getServerErrorMessage().getDatatype());
      assertEquals("public", check.getServerErrorMessage().getSchema());
      PSQLException isNull =
          assertThrows(
              PSQLException.class, () -> execute(connection, "INSERT INTO t VALUES (NULL)"));
      assertEquals("23502", isNull.getSQLState());
      assertEquals("posint", isNull.getServerErrorMessage().getDatatype());
      execute(connection, "DROP TABLE t", "DROP DOMAIN posint");
    }
  }

  private static void arrays(String url) throws SQLException {
    for (String more : List.of("", "&prepareThreshold=-1")) {
      try (Connection connection = DriverManager.getConnection(url + more)) {
        execute(
            connection,
            "CREATE DOMAIN posint AS int CHECK (VALUE > 0)",
            "CREATE DOMAIN tags AS text[] CHECK (array_length(VALUE, 1) < 4)",
            "CREATE TABLE t (a posint[], b tags)");
        try (PreparedStatement insert =
            connection.prepareStatement("INSERT INTO t VALUES (?, ?)")) {
          insert.setArray(1, connection.createArrayOf("posint", new Integer[] {1, null, 3}));
          insert.setArray(2, connection.createArrayOf("text", new String[] {"x", "y z"}));
          insert.executeUpdate();
          insert.setArray(1, connection.createArrayOf("int4", new Integer[] {4}));
          insert.executeUpdate();
          insert.setArray(1, connection.createArrayOf("int4", new Integer[] {4, -4}));
          SQLException refused = assertThrows(SQLException.class, insert::executeUpdate);
          assertEquals("23514", refused.getSQLState());
          insert.setArray(1, connection.createArrayOf("int4", new Integer[] {4}));
          insert.setArray(2, connection.createArrayOf("text", new String[] {"", "", "", ""}));
          refused = assertThrows(SQLException.class, insert::executeUpdate);
          assertEquals("23514", refused.getSQLState());
        }
        try (PreparedStatement select =
            connection.prepareStatement("SELECT a, b FROM t WHERE ? = ANY (a)")) {
          select.setInt(1, 3);
          for (int i = 0; i < 8; i++) {
            try (ResultSet rows = select.executeQuery()) {
              rows.next();
              assertEquals("{1,NULL,3}", rows.getString(1));
              assertEquals("_posint", rows.getMetaData().getColumnTypeName(1));
              assertEquals("_text", rows.getMetaData().getColumnTypeName(2));
              assertArrayEquals(new String[] {"x", "y z"}, (Object[]) rows.getArray(2).getArray());
            }
          }
        }
        execute(connection, "DROP TABLE t", "DROP DOMAIN posint, tags");
      }
    }
  }

  private static void metadata(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url)) {
      execute(
          connection,
          "CREATE DOMAIN code AS varchar(5) NOT NULL DEFAULT 'x'",
          "CREATE DOMAIN sub AS code",
          "CREATE TABLE coded (c code, d code DEFAULT 'y', s sub, cs code[])");
      List<String> columns = new ArrayList<>();
      try (ResultSet found = connection.getMetaData().getColumns(null, null, "coded", null)) {
        while (found.next()) {
          columns.add(
              "%s %s %d %d %s %s %d"
                  .formatted(
                      found.getString("COLUMN_NAME"),
                      found.getString("TYPE_NAME"),
                      found.getInt("DATA_TYPE"),
                      found.getInt("COLUMN_SIZE"),
                      found.getString("COLUMN_DEF"),
                      found.getString("IS_NULLABLE"),
                      found.getInt("SOURCE_DATA_TYPE")));
        }
      }
      assertEquals(
          List.of(
              "c code 2001 9 null NO 12",
              "d code 2001 9 'y'::character varying NO 12",
              "s sub 2001 2147483647 null YES 2001",
              "cs _code 2003 2147483647 null YES 0"),
          columns);
      List<String> types = new ArrayList<>();
      try (ResultSet found = connection.getMetaData().getUDTs(null, null, "%", null)) {
        while (found.next()) {
          boolean isDomain = found.getInt("DATA_TYPE") == Types.DISTINCT;
          if (isDomain && found.getString("TYPE_SCHEM").equals("public")) {
            types.add(
                "%s %d %d"
                    .formatted(
                        found.getString("TYPE_NAME"),
                        found.getInt("DATA_TYPE"),
                        found.getInt("BASE_TYPE")));
          }
        }
      }
      assertEquals(List.of("code 2001 12", "sub 2001 2001"), types);
      execute(connection, "DROP TABLE coded", "DROP DOMAIN sub, code");
    }
  }

  private static void copy(String url) throws Exception {
    try (Connection connection = DriverManager.getConnection(url)) {
      execute(
          connection,
          "CREATE DOMAIN posint AS int CHECK (VALUE > 0)",
          "CREATE DOMAIN here AS varchar(3) NOT NULL DEFAULT 'd'",
          "CREATE TABLE t (n posint, h here, ps posint[])");
      CopyManager copies = connection.unwrap(PGConnection.class).getCopyAPI();
      String text = "1\tm\t{1,NULL}\n2\t\\\\N\t\\N\n\\N\tx l\t{}\n";
      copies.copyIn(
          "COPY t FROM STDIN", new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
      ByteArrayOutputStream binary = new ByteArrayOutputStream();
      copies.copyOut("COPY t TO STDOUT (FORMAT binary)", binary);
      execute(connection, "TRUNCATE t");
      copies.copyIn(
          "COPY t FROM STDIN (FORMAT binary)", new ByteArrayInputStream(binary.toByteArray()));
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      copies.copyOut("COPY (SELECT * FROM t ORDER BY n) TO STDOUT", out);
      assertEquals(text, out.toString(StandardCharsets.UTF_8));
      copyIn(copies, "COPY t (n) FROM STDIN", "5\n");
      refused(
          copies, "COPY t FROM STDIN", "0\tm\t\\N\n", "23514", "COPY t, line 1, column n: \"0\"");
      refused(
          copies,
          "COPY t FROM STDIN",
          "1\t\\N\t\\N\n",
          "23502",
          "COPY t, line 1, column h: null input");
      refused(
          copies,
          "COPY t FROM STDIN",
          "1\tlong\t\\N\n",
          "22001",
          "COPY t, line 1, column h: \"long\"");
      refused(
          copies,
          "COPY t FROM STDIN",
          "1\ta\t{1,-1}\n",
          "23514",
          "COPY t, line 1, column ps: \"{1,-1}\"");
      execute(connection, "ALTER TABLE t ALTER h SET DEFAULT NULL");
      refused(copies, "COPY t (n) FROM STDIN", "5\n", "23502", "COPY t, line 1: \"5\"");
      execute(connection, "DROP TABLE t", "DROP DOMAIN posint, here");
    }
  }

  private static void copyIn(CopyManager copies, String copy, String data) throws Exception {
    copies.copyIn(copy, new ByteArrayInputStream(data.getBytes(StandardCharsets.UTF_8)));
  }

  private static void refused(
      CopyManager copies, String copy, String data, String state, String where) {
    PSQLException refused =
        assertThrows(PSQLException.class, () -> copyIn(copies, copy, data), data);
    assertEquals(state, refused.getSQLState());
    assertEquals(where, refused.getServerErrorMessage().getWhere());
  }

  /** The query with which asyncpg learns of the types that it meets, shortened. */
  private static void introspection(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url)) {
      execute(
          connection,
          "CREATE DOMAIN base AS int",
          "CREATE DOMAIN upper AS base CHECK (VALUE > 0)",
          "CREATE TABLE t (a upper, b upper[])");
      String query =
          """
          WITH RECURSIVE typeinfo_tree (oid, ns, name, kind, basetype, elemtype, depth) AS (
            SELECT ti.oid, ti.ns, ti.name, ti.kind, ti.basetype, ti.elemtype, 0
            FROM (
              SELECT t.oid AS oid, ns.nspname AS ns, t.typname AS name, t.typtype AS kind,
                (CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE NULL END) AS basetype,
                t.typelem AS elemtype
              FROM pg_catalog.pg_type AS t
              INNER JOIN pg_catalog.pg_namespace ns ON (ns.oid = t.typnamespace)
            ) AS ti WHERE ti.name = '_upper'
            UNION ALL
            SELECT ti.oid, ti.ns, ti.name, ti.kind, ti.basetype, ti.elemtype, tt.depth + 1
            FROM (
              SELECT t.oid AS oid, ns.nspname AS ns, t.typname AS name, t.typtype AS kind,
                (CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE NULL END) AS basetype,
                t.typelem AS elemtype
              FROM pg_catalog.pg_type AS t
              INNER JOIN pg_catalog.pg_namespace ns ON (ns.oid = t.typnamespace)
            ) ti, typeinfo_tree tt
            WHERE (tt.elemtype IS NOT NULL AND ti.oid = tt.elemtype)
              OR (tt.basetype IS NOT NULL AND ti.oid = tt.basetype)
          )
          SELECT name, kind, depth FROM typeinfo_tree ORDER BY depth
          """;
      List<String> found = new ArrayList<>();
      try (Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery(query)) {
        while (rows.next()) {
          found.add(rows.getString(1) + " " + rows.getString(2));
        }
      }
      assertEquals(List.of("_upper b", "upper d", "base d", "int4 b"), found);
      assertTrue(connection.isValid(1));
      execute(connection, "DROP TABLE t", "DROP DOMAIN upper, base");
    }
  }
}
