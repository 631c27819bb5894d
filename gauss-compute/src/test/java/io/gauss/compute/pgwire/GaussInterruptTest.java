package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.WireMessages.cancelRequest;
import static io.gauss.compute.pgwire.WireMessages.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever a session does or waits for, it stops when it is cancelled, when its time is up, and
 * when its client has gone, and holds no lock afterwards. None of these statements ends by itself
 * in the time that the test has.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class GaussInterruptTest {
  @RegisterExtension static final GaussNode NODE = new GaussNode();

  /** Takes for ever: all the ways to divide many letters into four parts are tried. */
  private static final String ENDLESS_MATCH = "repeat('a', 20000 + id * 0) ~ '(.*)(.*)(.*)(.*)b'";

  private static WireClient holder;
  private WireClient client;
  private WireClient watcher;

  @BeforeAll
  static void fill() throws IOException {
    holder = WireClient.started(NODE.port(), "gauss");
    holder.query("CREATE TABLE t (id int PRIMARY KEY, v int)");
    holder.query("INSERT INTO t SELECT i, 0 FROM generate_series(1, 1000) i");
    holder.query("CREATE TABLE held (id int PRIMARY KEY, v int)");
    holder.query("INSERT INTO held VALUES (1, 0)");
    holder.query("CREATE TABLE target (id bigint, v text)");
    // A row lock and a lock of its table that last as long as the tests.
    holder.query("BEGIN; UPDATE held SET v = 1");
  }

  static Stream<String> endless() {
    return Stream.of(
        "SELECT count(*) FROM t a, t b, t c, t d",
        "SELECT count(*) FROM t a JOIN t b USING (v) JOIN t c USING (v) JOIN t d USING (v)",
        "SELECT a.id FROM t a, t b, t c ORDER BY a.v, b.v + c.v, c.id, b.id",
        "SELECT a.id + b.id * 1000, count(*) FROM t a, t b, t c GROUP BY 1",
        "SELECT DISTINCT a.id, b.id, c.id FROM t a, t b, t c",
        "SELECT count(*) OVER (PARTITION BY a.id) FROM t a, t b, t c",
        "SELECT a.id FROM t a, t b, t c EXCEPT SELECT a.id FROM t a, t b, t c",
        "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r",
        "WITH RECURSIVE r AS (SELECT 1 AS i UNION SELECT (i + 1) % 1000000007 FROM r)"
            + " SELECT max(i) FROM r",
        "SELECT * FROM generate_series(1, 1000000000000) ORDER BY 1 DESC",
        "SELECT i FROM generate_series(1, 1000000000000) i",
        "SELECT " + ENDLESS_MATCH + " FROM t",
        "SELECT repeat('a', 20000) ~ '(.*)(.*)(.*)(.*)b'",
        "SELECT regexp_replace(repeat('a', 20000), '(.*)(.*)(.*)(.*)b', 'x')",
        "SELECT position(repeat('a', 30000000) || 'b' IN repeat('a', 60000000))",
        "SELECT exp(300000.0)",
        "SELECT pg_sleep(1000)",
        "INSERT INTO target SELECT a.id, 'x' FROM t a, t b, t c",
        "INSERT INTO target SELECT id, (" + ENDLESS_MATCH + ")::text FROM t",
        "UPDATE t SET v = (SELECT count(*) FROM t a, t b, t c WHERE a.id > t.id)",
        "DELETE FROM t WHERE id = (SELECT count(*) FROM t a, t b, t c, t d)",
        "COPY (SELECT a.id FROM t a, t b, t c) TO STDOUT",
        "COPY target FROM STDIN",
        "UPDATE held SET v = 2 WHERE id = 1",
        "SELECT * FROM held FOR UPDATE",
        "LOCK TABLE held",
        "TRUNCATE held",
        "CREATE INDEX ON held (v)",
        "ALTER TABLE held ADD COLUMN w int",
        "ALTER TABLE t ADD CHECK (NOT " + ENDLESS_MATCH + ")",
        "ALTER TABLE t ALTER COLUMN v TYPE text USING (" + ENDLESS_MATCH + ")::text",
        "ALTER TABLE t ADD COLUMN w bool DEFAULT repeat('a', 20000) ~ '(.*)(.*)(.*)(.*)b'",
        "EXPLAIN ANALYZE SELECT count(*) FROM t a, t b, t c, t d",
        "PREPARE p AS SELECT count(*) FROM t a, t b, t c, t d; EXECUTE p");
  }

  private void begin() throws IOException {
    client = WireClient.started(NODE.port(), "gauss");
    watcher = WireClient.started(NODE.port(), "gauss");
    client.query("BEGIN");
    client.query("INSERT INTO target VALUES (-1, 'own')");
  }

  private boolean watched(String question) throws IOException {
    return watcher.query(question).contains("DataRow t");
  }

  private void awaitBusy() throws IOException {
    String busy = "SELECT state IN ('active', 'waiting') FROM gauss.transactions WHERE pid = ";
    while (!watched(busy + client.processId())) {
      Thread.onSpinWait();
    }
  }

  private void awaitNothingHeld() throws IOException {
    String left = "SELECT count(*) = 0 FROM gauss.locks WHERE pid = " + client.processId();
    while (!watched(left)) {
      Thread.onSpinWait();
    }
    watcher.close();
    client.close();
  }

  @ParameterizedTest
  @MethodSource("endless")
  void itStopsWhenItIsCancelled(String sql) throws Exception {
    begin();
    client.send(query(sql));
    awaitBusy();
    // A request that comes before the statement has begun is lost: ask again.
    AtomicBoolean answered = new AtomicBoolean();
    Thread canceller =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    while (!answered.get()) {
                      try (WireClient request = new WireClient(NODE.port())) {
                        request.send(cancelRequest(client.processId(), client.secret()));
                        request.readUntilClosed();
                      }
                      watched("SELECT true FROM generate_series(1, 1000)");
                    }
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                });
    String answer = client.readUntilReady(GaussInterruptTest::isNoRow);
    answered.set(true);
    canceller.join();
    assertTrue(
        answer.contains("ERROR 57014 canceling statement due to user request"), sql + answer);
    assertEquals("CommandComplete ROLLBACK\nReadyForQuery I", client.query("ROLLBACK"));
    awaitNothingHeld();
  }

  @ParameterizedTest
  @Tag("long")
  @MethodSource("endless")
  void itStopsWhenItsTimeIsUp(String sql) throws IOException {
    begin();
    client.query("SET statement_timeout = '50ms'");
    client.send(query(sql));
    String answer = client.readUntilReady(GaussInterruptTest::isNoRow);
    assertTrue(
        answer.contains("ERROR 57014 canceling statement due to statement timeout"), sql + answer);
    client.query("ROLLBACK");
    awaitNothingHeld();
  }

  @ParameterizedTest
  @MethodSource("endless")
  void itStopsWhenItsClientHasGone(String sql) throws IOException {
    begin();
    client.send(query(sql));
    awaitBusy();
    client.close();
    String sessions = "SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = ";
    while (!watched(sessions + client.processId())) {
      Thread.onSpinWait();
    }
    awaitNothingHeld();
  }

  private static boolean isNoRow(String line) {
    return !line.startsWith("DataRow") && !line.startsWith("CopyData");
  }
}
