package io.gauss.jdbc.nodes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.gauss.jdbc.GaussDataSource;
import io.gauss.jdbc.GaussXADataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.SimpleJdbcInsert;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** With the pool and the library that most applications have. */
class DriverPoolsTest {
  private TwoNodes nodes;

  @BeforeEach
  void start() throws Exception {
    nodes = new TwoNodes();
  }

  @AfterEach
  void stop() throws SQLException {
    nodes.close();
  }

  private HikariDataSource pool(String properties) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(nodes.url(properties));
    config.setMaximumPoolSize(3);
    config.setConnectionTimeout(120_000);
    return new HikariDataSource(config);
  }

  @Test
  void aPooledConnectionUsesBothNodes() throws SQLException {
    try (HikariDataSource pool = pool("routing.mode=random")) {
      JdbcTemplate template = new JdbcTemplate(pool);
      Set<Integer> used = new TreeSet<>();
      for (int i = 0; i < 50; i++) {
        template.queryForObject("SELECT v FROM t WHERE id = ?", Integer.class, 1 + i % 20);
        try (Connection connection = pool.getConnection()) {
          used.add(TwoNodes.node(connection));
        }
      }
      assertEquals(Set.of(1, 2), used);
    }
  }

  @Test
  void thePoolSurvivesTheLossOfANode() throws Exception {
    try (HikariDataSource pool = pool("")) {
      TransactionTemplate transactions =
          new TransactionTemplate(new DataSourceTransactionManager(pool));
      JdbcTemplate template = new JdbcTemplate(pool);
      assertThrows(
          RuntimeException.class,
          () ->
              transactions.executeWithoutResult(
                  status -> {
                    template.update("UPDATE t SET v = 1 WHERE id = 1");
                    nodes.first.shut();
                    template.update("UPDATE t SET v = 1 WHERE id = 2");
                  }));
      transactions.executeWithoutResult(
          status -> {
            template.update("UPDATE t SET v = 5 WHERE id = 3");
            template.update("UPDATE t SET v = 5 WHERE id = 4");
          });
      assertEquals(10, template.queryForObject("SELECT sum(v) FROM t", Integer.class));
    }
  }

  @Test
  void springDoesWhatItDoesWithPgjdbc() {
    try (HikariDataSource pool = pool("routing.mode=random")) {
      JdbcTemplate template = new JdbcTemplate(pool);
      template.execute("CREATE TABLE person (id serial PRIMARY KEY, name text UNIQUE)");
      Number key =
          new SimpleJdbcInsert(pool)
              .withTableName("person")
              .usingGeneratedKeyColumns("id")
              .executeAndReturnKey(Map.of("name", "ada"));
      assertEquals(1, key.intValue());
      int[] counts =
          template.batchUpdate(
              "INSERT INTO person (name) VALUES (?)",
              List.of(new Object[] {"emmy"}, new Object[] {"sofia"}));
      assertEquals(2, counts.length);
      assertEquals(
          List.of("ada", "emmy", "sofia"),
          template.queryForList("SELECT name FROM person ORDER BY id", String.class));
      assertThrows(
          DuplicateKeyException.class,
          () -> template.update("INSERT INTO person (name) VALUES (?)", "ada"));
      TransactionTemplate transactions =
          new TransactionTemplate(new DataSourceTransactionManager(pool));
      transactions.executeWithoutResult(
          status -> {
            Object savepoint = status.createSavepoint();
            template.update("DELETE FROM person");
            status.rollbackToSavepoint(savepoint);
            template.update("UPDATE person SET name = 'sonja' WHERE name = ?", "sofia");
          });
      assertEquals(3, template.queryForObject("SELECT count(*) FROM person", Integer.class));
    }
  }

  @Test
  void springKnowsAConflict() throws Exception {
    try (HikariDataSource pool = pool("");
        Connection other = nodes.direct()) {
      TransactionTemplate transactions =
          new TransactionTemplate(new DataSourceTransactionManager(pool));
      transactions.setIsolationLevel(Connection.TRANSACTION_REPEATABLE_READ);
      JdbcTemplate template = new JdbcTemplate(pool);
      assertThrows(
          ConcurrencyFailureException.class,
          () ->
              transactions.executeWithoutResult(
                  status -> {
                    template.queryForList("SELECT v FROM t");
                    try {
                      TwoNodes.execute(other, "UPDATE t SET v = 1 WHERE id = 1");
                    } catch (SQLException e) {
                      throw new IllegalStateException(e);
                    }
                    template.update("UPDATE t SET v = 2 WHERE id = 1");
                  }));
    }
  }

  @Test
  void wrongPropertiesAreRefused() {
    for (String wrong :
        List.of(
            "routing.mode=fast",
            "routing.speed=1",
            "retry.attempts=-1",
            "retry.attempts=x",
            "routing.discover=maybe",
            "routing.engine=gpu")) {
      SQLException e = assertThrows(SQLException.class, () -> nodes.connect(wrong), wrong);
      assertEquals("22023", e.getSQLState(), wrong);
      assertTrue(e.getMessage().contains(wrong.split("=")[0]), e.getMessage());
    }
    GaussDataSource source = new GaussDataSource();
    source.setUrl(nodes.url(""));
    source.setProperty("routing.mode", "none");
    assertEquals("22023", assertThrows(SQLException.class, source::getConnection).getSQLState());
  }

  @Test
  void distributedTransactionsAreRefused() {
    SQLException e =
        assertThrows(SQLException.class, () -> new GaussXADataSource().getXAConnection());
    assertEquals("0A000", e.getSQLState());
    assertTrue(e.getMessage().contains("two-phase commit"), e.getMessage());
  }
}
