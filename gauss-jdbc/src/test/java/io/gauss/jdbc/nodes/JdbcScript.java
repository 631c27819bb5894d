package io.gauss.jdbc.nodes;

import java.io.ByteArrayInputStream;
import java.io.StringReader;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.BatchUpdateException;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import org.postgresql.PGConnection;

/**
 * What applications do with JDBC, and what they see. The same calls on two drivers have to leave
 * the same transcript. Errors are written by class family and SQLSTATE.
 */
final class JdbcScript {
  private final Connection connection;
  private final List<String> transcript = new ArrayList<>();

  /** Calls that may fail. */
  @FunctionalInterface
  interface Calls {
    void run() throws Exception;
  }

  JdbcScript(Connection connection) {
    this.connection = connection;
  }

  List<String> run() throws Exception {
    part("statements", this::statements);
    part("prepared", this::prepared);
    part("types", this::types);
    part("batches", this::batches);
    part("keys", this::keys);
    part("scrolling", this::scrolling);
    part("updating", this::updating);
    part("cursors", this::cursors);
    part("transactions", this::transactions);
    part("savepoints", this::savepoints);
    part("results", this::results);
    part("settings", this::settings);
    part("metadata", this::metadata);
    part("arrays", this::arrays);
    part("calls", this::calls);
    part("limits", this::limits);
    part("printing", this::printing);
    part("closing", this::closing);
    part("wrapping", this::wrapping);
    return transcript;
  }

  private void part(String name, Calls calls) throws Exception {
    say("-- " + name);
    attempt(calls);
    attempt(
        () -> {
          if (!connection.getAutoCommit()) {
            connection.rollback();
            connection.setAutoCommit(true);
          }
        });
  }

  private void say(Object what) {
    transcript.add(String.valueOf(what));
  }

  private void attempt(Calls calls) throws Exception {
    try {
      calls.run();
    } catch (BatchUpdateException e) {
      say("batch error " + e.getSQLState() + " " + Arrays.toString(e.getUpdateCounts()));
    } catch (SQLException e) {
      say("error " + e.getSQLState());
    }
  }

  private void rows(ResultSet rows) throws SQLException {
    say(TwoNodes.rows(rows));
  }

  private void query(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows(rows);
    }
  }

  private void statements() throws Exception {
    try (Statement s = connection.createStatement()) {
      say(s.execute("CREATE TABLE a (id int PRIMARY KEY, name text, n numeric(8,2))"));
      say(s.getUpdateCount());
      say(s.executeUpdate("INSERT INTO a VALUES (1, 'one', 1.5), (2, 'two', 2.5), (3, NULL, 3)"));
      say(s.executeLargeUpdate("UPDATE a SET n = n + 1 WHERE id > 1"));
      rows(s.executeQuery("SELECT * FROM a ORDER BY id"));
      attempt(() -> s.executeQuery("UPDATE a SET n = n"));
      attempt(() -> s.executeUpdate("SELECT 1"));
      attempt(() -> s.execute("SELECT * FROM missing"));
      attempt(() -> s.execute("INSERT INTO a VALUES (1, 'again', 1)"));
      say(s.isClosed() + " " + s.getConnection().equals(connection));
    }
  }

  private void prepared() throws Exception {
    try (PreparedStatement s = connection.prepareStatement("SELECT name FROM a WHERE id = ?")) {
      attempt(s::executeQuery); // nothing is set
      attempt(() -> s.setInt(2, 1));
      attempt(() -> s.setInt(0, 1));
      for (int i = 1; i <= 7; i++) { // more than prepareThreshold
        s.setInt(1, i % 4);
        rows(s.executeQuery());
      }
      s.setObject(1, "2", Types.INTEGER);
      rows(s.executeQuery());
      attempt(() -> s.setObject(1, "x", Types.INTEGER));
      s.clearParameters();
      attempt(s::executeQuery);
      s.setNull(1, Types.INTEGER);
      rows(s.executeQuery());
      say(s.getParameterMetaData().getParameterTypeName(1));
      say(s.getMetaData().getColumnName(1));
      attempt(() -> s.execute("SELECT 1"));
      attempt(() -> s.addBatch("SELECT 1"));
    }
  }

  private void types() throws Exception {
    try (PreparedStatement s =
        connection.prepareStatement(
            "SELECT ?::bool, ?::int2, ?::int8, ?::float4, ?::float8, ?::numeric, ?::text,"
                + " ?::bytea, ?::date, ?::timestamp, ?::timestamptz, ?::text, ?::text, ?::text")) {
      s.setBoolean(1, true);
      s.setShort(2, (short) 2);
      s.setLong(3, 1L << 40);
      s.setFloat(4, 1.5f);
      s.setDouble(5, 2.25);
      s.setBigDecimal(6, new BigDecimal("123.4500"));
      s.setString(7, "naïve");
      s.setBytes(8, new byte[] {0, 1, -1});
      s.setDate(9, Date.valueOf("2024-02-29"));
      s.setTimestamp(10, Timestamp.valueOf("2024-02-29 12:34:56.789"));
      s.setObject(11, OffsetDateTime.parse("2024-02-29T12:34:56Z"));
      s.setObject(12, LocalDate.of(2024, 2, 29));
      s.setCharacterStream(13, new StringReader("from a reader"), 6);
      s.setAsciiStream(14, new ByteArrayInputStream("ascii".getBytes("US-ASCII")), 5);
      for (int i = 0; i < 7; i++) {
        try (ResultSet rows = s.executeQuery()) {
          rows.next();
          say(rows.getBoolean(1) + " " + rows.getShort(2) + " " + rows.getLong(3));
          say(rows.getFloat(4) + " " + rows.getDouble(5) + " " + rows.getBigDecimal(6));
          say(rows.getString(7) + " " + Arrays.toString(rows.getBytes(8)));
          say(rows.getDate(9) + " " + rows.getTimestamp(10));
          say(rows.getObject(11, OffsetDateTime.class).toInstant() + " " + rows.getString(12));
          say(rows.getString(13) + " " + rows.getString(14) + " " + rows.wasNull());
          say(rows.getObject(6).getClass() + " " + rows.findColumn("bool"));
          attempt(() -> rows.getInt(99));
        }
      }
    }
    try (PreparedStatement s = connection.prepareStatement("SELECT length(?::bytea)")) {
      s.setBinaryStream(1, new ByteArrayInputStream(new byte[10_000]), 10_000);
      rows(s.executeQuery());
      s.setObject(1, new ByteArrayInputStream(new byte[10]));
      rows(s.executeQuery());
    }
  }

  private void batches() throws Exception {
    connection.setAutoCommit(false);
    try (PreparedStatement s = connection.prepareStatement("INSERT INTO a VALUES (?, ?, ?)")) {
      for (int i = 10; i < 15; i++) {
        s.setInt(1, i);
        s.setString(2, "row " + i);
        s.setBigDecimal(3, BigDecimal.valueOf(i, 1));
        s.addBatch();
      }
      say(Arrays.toString(s.executeBatch()));
      say(Arrays.toString(s.executeBatch()));
      s.setInt(1, 15);
      s.addBatch();
      s.clearBatch();
      say(Arrays.toString(s.executeLargeBatch()));
      connection.commit();
      for (int i : new int[] {16, 1, 17}) {
        s.setInt(1, i);
        s.addBatch();
      }
      attempt(s::executeBatch);
      connection.rollback();
    }
    try (Statement s = connection.createStatement()) {
      s.addBatch("UPDATE a SET name = 'x' WHERE id >= 10");
      s.addBatch("DELETE FROM a WHERE id = 14");
      say(Arrays.toString(s.executeBatch()));
      say(Arrays.toString(s.executeBatch()));
      s.addBatch("SELECT 1");
      attempt(s::executeBatch);
      s.addBatch("DELETE FROM a WHERE id = 13");
      attempt(() -> s.addBatch("DELETE FROM a WHERE id = 12; DELETE FROM a WHERE id = 11"));
      say(Arrays.toString(s.executeBatch()));
    }
    connection.rollback();
    query("SELECT count(*) FROM a");
  }

  private void keys() throws Exception {
    try (Statement s = connection.createStatement()) {
      s.execute("CREATE TABLE k (id serial PRIMARY KEY, v text)");
      s.executeUpdate("INSERT INTO k (v) VALUES ('a'), ('b')", Statement.RETURN_GENERATED_KEYS);
      rows(s.getGeneratedKeys());
      s.executeUpdate("INSERT INTO k (v) VALUES ('c')", new String[] {"id"});
      rows(s.getGeneratedKeys());
      s.executeUpdate("INSERT INTO k (v) VALUES ('d')");
      rows(s.getGeneratedKeys());
    }
    try (PreparedStatement s =
        connection.prepareStatement(
            "INSERT INTO k (v) VALUES (?)", Statement.RETURN_GENERATED_KEYS)) {
      for (String v : List.of("e", "f")) {
        s.setString(1, v);
        s.addBatch();
      }
      s.executeBatch();
      rows(s.getGeneratedKeys());
      s.executeUpdate();
      rows(s.getGeneratedKeys());
    }
    query("SELECT currval('k_id_seq'), lastval()");
  }

  private void scrolling() throws Exception {
    try (Statement s =
            connection.createStatement(
                ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY);
        ResultSet rows = s.executeQuery("SELECT id FROM a ORDER BY id")) {
      say(rows.last() + " " + rows.getInt(1) + " " + rows.getRow());
      say(rows.absolute(2) + " " + rows.getInt("id") + " " + rows.relative(-1));
      say(rows.isFirst() + " " + rows.previous() + " " + rows.isBeforeFirst());
      say(rows.getType() + " " + rows.getConcurrency() + " " + rows.getHoldability());
      attempt(() -> rows.updateInt(1, 1));
      ResultSetMetaData about = rows.getMetaData();
      say(about.getColumnTypeName(1) + about.getTableName(1) + about.getColumnClassName(1));
    }
    try (Statement s = connection.createStatement();
        ResultSet rows = s.executeQuery("SELECT id FROM a")) {
      attempt(rows::last);
    }
  }

  private void updating() throws Exception {
    try (Statement s =
            connection.createStatement(
                ResultSet.TYPE_SCROLL_SENSITIVE, ResultSet.CONCUR_UPDATABLE);
        ResultSet rows = s.executeQuery("SELECT id, name, n FROM a WHERE id < 4 ORDER BY id")) {
      rows.next();
      rows.updateString("name", "uno");
      rows.updateBigDecimal(3, new BigDecimal("9.5"));
      rows.updateRow();
      say(rows.getString(2));
      rows.moveToInsertRow();
      rows.updateInt(1, 50);
      rows.updateString(2, "fifty");
      rows.insertRow();
      rows.moveToCurrentRow();
      rows.next();
      rows.updateNull(2);
      rows.cancelRowUpdates();
      rows.refreshRow();
      say(rows.getString(2));
      rows.deleteRow();
    }
    query("SELECT * FROM a WHERE id < 4 OR id = 50 ORDER BY id");
  }

  private void cursors() throws Exception {
    connection.setAutoCommit(false);
    try (Statement s = connection.createStatement()) {
      s.setFetchSize(2);
      try (ResultSet rows = s.executeQuery("SELECT id FROM a ORDER BY id")) {
        say(rows.next() + " " + rows.getInt(1));
        query("SELECT 1"); // another statement in between
        while (rows.next()) {
          say(rows.getInt(1));
        }
      }
      s.setMaxRows(2);
      rows(s.executeQuery("SELECT id FROM a ORDER BY id"));
      say(s.getMaxRows() + " " + s.getFetchSize());
      attempt(() -> s.setFetchSize(-1));
      ResultSet open = s.executeQuery("SELECT id FROM a ORDER BY id");
      s.execute("SELECT 2");
      say(open.isClosed());
    }
    connection.commit();
  }

  private void transactions() throws Exception {
    connection.setAutoCommit(false);
    query("SELECT count(*) FROM a");
    attempt(() -> connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ));
    connection.rollback();
    attempt(() -> query("SELECT * FROM missing"));
    attempt(() -> query("SELECT 1"));
    attempt(connection::commit);
    query("SELECT 1");
    connection.rollback();
    connection.setAutoCommit(true);
    attempt(connection::commit);
    attempt(connection::rollback);
    try (Statement s = connection.createStatement()) {
      s.execute("BEGIN");
      s.execute("UPDATE a SET name = 'gone'");
      s.execute("ROLLBACK");
    }
    query("SELECT count(*) FROM a WHERE name = 'gone'");
  }

  private void savepoints() throws Exception {
    attempt(() -> connection.setSavepoint());
    connection.setAutoCommit(false);
    Savepoint first = connection.setSavepoint("first");
    query("SELECT 1");
    say(first.getSavepointName());
    attempt(() -> query("SELECT 1/0"));
    connection.rollback(first);
    query("SELECT 2");
    Savepoint second = connection.setSavepoint();
    connection.releaseSavepoint(second);
    attempt(() -> connection.rollback(second));
    connection.rollback();
  }

  private void results() throws Exception {
    try (Statement s = connection.createStatement()) {
      say(s.execute("SELECT 1; UPDATE a SET n = n WHERE id = 1; SELECT 2"));
      rows(s.getResultSet());
      say(s.getMoreResults() + " " + s.getUpdateCount());
      say(s.getMoreResults());
      rows(s.getResultSet());
      say(s.getMoreResults() + " " + s.getUpdateCount());
      say(s.getResultSet());
      s.execute("DROP TABLE IF EXISTS missing");
      SQLWarning warning = s.getWarnings();
      say(warning == null ? null : warning.getSQLState());
      s.clearWarnings();
      say(s.getWarnings());
      say(connection.getWarnings());
    }
  }

  private void settings() throws Exception {
    say(connection.getAutoCommit() + " " + connection.isReadOnly() + " " + connection.getSchema());
    connection.setReadOnly(true);
    connection.setAutoCommit(false);
    attempt(() -> query("INSERT INTO a VALUES (99, '', 1) RETURNING id"));
    connection.rollback();
    connection.setReadOnly(false);
    connection.setAutoCommit(true);
    try (Statement s = connection.createStatement()) {
      s.execute("CREATE SCHEMA aside");
    }
    connection.setSchema("aside");
    say(connection.getSchema());
    connection.setSchema("public");
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    say(connection.getTransactionIsolation());
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    connection.setHoldability(ResultSet.CLOSE_CURSORS_AT_COMMIT);
    say(connection.getHoldability());
    Properties info = new Properties();
    info.setProperty("ApplicationName", "script");
    connection.setClientInfo(info);
    say(connection.getClientInfo("ApplicationName"));
    query("SHOW application_name");
    connection.setNetworkTimeout(Runnable::run, 30_000);
    say(connection.getNetworkTimeout() + " " + connection.isValid(5));
    say(connection.nativeSQL("SELECT {d '2024-01-01'}"));
    query("SELECT {fn concat('a', 'b')}, {d '2024-01-01'}");
  }

  private void metadata() throws Exception {
    try (ResultSet rows = connection.getMetaData().getColumns(null, "public", "a", "%")) {
      while (rows.next()) {
        say(rows.getString("COLUMN_NAME") + " " + rows.getString("TYPE_NAME"));
      }
    }
    try (ResultSet rows = connection.getMetaData().getPrimaryKeys(null, "public", "a")) {
      rows.next();
      say(rows.getString("COLUMN_NAME"));
      say(rows.getStatement().getConnection().equals(connection));
    }
    say(connection.getMetaData().getConnection().equals(connection));
    say(connection.getMetaData().supportsSavepoints());
  }

  private void arrays() throws Exception {
    Array array = connection.createArrayOf("int4", new Object[] {1, 3});
    try (PreparedStatement s =
        connection.prepareStatement("SELECT id FROM a WHERE id = ANY (?) ORDER BY id")) {
      s.setArray(1, array);
      rows(s.executeQuery());
      s.setObject(1, new int[] {3});
      rows(s.executeQuery());
    }
    try (Statement s = connection.createStatement();
        ResultSet rows = s.executeQuery("SELECT ARRAY[1, 2]")) {
      rows.next();
      say(Arrays.toString((Object[]) rows.getArray(1).getArray()));
    }
  }

  private void calls() throws Exception {
    try (CallableStatement s = connection.prepareCall("{? = call upper(?)}")) {
      s.registerOutParameter(1, Types.VARCHAR);
      s.setString(2, "loud");
      s.execute();
      say(s.getString(1));
      s.setString(2, "louder");
      s.execute();
      say(s.getString(1));
      attempt(() -> s.getInt(1));
    }
  }

  private void limits() throws Exception {
    try (Statement s = connection.createStatement()) {
      s.setQueryTimeout(9);
      say(s.getQueryTimeout());
      attempt(() -> s.setQueryTimeout(-1));
      attempt(() -> s.setMaxRows(-1));
      s.cancel(); // nothing runs: nothing happens
      query("SELECT 'alive'");
    }
  }

  private void printing() throws Exception {
    String sql = "SELECT ?::text, ?::int, ?::bytea, ?::date";
    try (PreparedStatement s = connection.prepareStatement(sql)) {
      say(s);
      s.setString(1, "it's");
      s.setInt(2, -7);
      say(s);
      s.setBytes(3, new byte[] {1, 2});
      s.setNull(4, Types.DATE);
      say(s);
      rows(s.executeQuery());
      say(s);
      s.setInt(2, 8);
      rows(s.executeQuery());
      say(s);
      s.clearParameters();
      say(s);
    }
    try (PreparedStatement s = connection.prepareStatement("UPDATE a SET n = n WHERE id = ?")) {
      for (int i = 1; i < 3; i++) {
        s.setInt(1, i);
        s.addBatch();
      }
      say(s);
      say(Arrays.toString(s.executeBatch()));
      say(s);
    }
    PreparedStatement s = connection.prepareStatement("SELECT ?");
    s.setString(1, "closed");
    s.close();
    say(s);
    try (CallableStatement call = connection.prepareCall("{? = call abs(?)}")) {
      call.registerOutParameter(1, Types.INTEGER);
      call.setInt(2, -3);
      say(call);
      call.execute();
      say(call + " " + call.getInt(1));
    }
  }

  private void closing() throws Exception {
    Statement s = connection.createStatement();
    s.closeOnCompletion();
    ResultSet rows = s.executeQuery("SELECT 1");
    say(s.isCloseOnCompletion() + " " + s.isClosed());
    rows.close();
    say(rows.isClosed() + " " + s.isClosed());
    attempt(() -> s.executeQuery("SELECT 1"));
    attempt(rows::next);
    PreparedStatement p = connection.prepareStatement("SELECT 1");
    p.close();
    p.close();
    attempt(p::executeQuery);
    attempt(() -> p.setMaxRows(1));
    attempt(p::getConnection);
    attempt(p::addBatch);
  }

  private void wrapping() throws Exception {
    say(connection.isWrapperFor(PGConnection.class));
    say(connection.unwrap(PGConnection.class).escapeLiteral("it's"));
    StringBuilder copied = new StringBuilder();
    byte[] in = "60\tsixty\t6\n61\t\\N\t\\N\n".getBytes("UTF-8");
    PGConnection pg = connection.unwrap(PGConnection.class);
    copied.append(pg.getCopyAPI().copyIn("COPY a FROM STDIN", new ByteArrayInputStream(in)));
    say(copied);
    query("SELECT id, name FROM a WHERE id >= 60 ORDER BY id");
    attempt(() -> connection.unwrap(Runnable.class));
  }
}
