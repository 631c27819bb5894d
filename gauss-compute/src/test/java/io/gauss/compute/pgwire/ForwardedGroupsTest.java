package io.gauss.compute.pgwire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.engine.Seeds;
import io.gauss.compute.node.ForwardedClients;
import io.gauss.compute.node.WholeCluster;
import io.gauss.compute.routing.BetterNode;
import io.gauss.compute.routing.RerouteCounts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that send several groups of messages at once get the same answers whether or not
 * transactions are forwarded on the way.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
class ForwardedGroupsTest {
  private static final int HERE = 1;
  private static final int THERE = 2;
  private static final String THERE_IS_BETTER = "/*there*/ ";
  private static final int CONVERSATIONS = 50;
  private static final int MOST_GROUPS = 10;

  private static final List<String> TEXTS =
      List.of(
          "BEGIN",
          "BEGIN",
          "BEGIN ISOLATION LEVEL REPEATABLE READ",
          "BEGIN READ ONLY",
          "COMMIT",
          "COMMIT",
          "ROLLBACK",
          "COMMIT AND CHAIN",
          "SAVEPOINT a",
          "ROLLBACK TO a",
          "INSERT INTO t VALUES (%d, 1)",
          "INSERT INTO t VALUES (%d, 2) RETURNING id",
          "BEGIN; INSERT INTO t VALUES (%d, 3); COMMIT",
          "BEGIN; INSERT INTO t VALUES (%d, 4)",
          "UPDATE t SET v = v + 1",
          "SELECT count(*), sum(v) FROM t",
          "SELECT id, v FROM t ORDER BY id",
          "SELECT 1 / 0",
          "SELEC",
          "",
          "SET work_mem = '9MB'",
          "SET LOCAL work_mem = '7MB'",
          "SELECT current_setting('work_mem'), current_setting('transaction_isolation')",
          "SHOW transaction_read_only",
          "PREPARE p AS SELECT v FROM t ORDER BY id",
          "EXECUTE p",
          "DEALLOCATE p",
          "DECLARE c CURSOR FOR SELECT id FROM t ORDER BY id",
          "DECLARE h CURSOR WITH HOLD FOR SELECT id FROM t ORDER BY id",
          "FETCH 2 FROM c",
          "FETCH 1 FROM h",
          "CLOSE h",
          "CREATE TEMP TABLE mine (a int)",
          "INSERT INTO mine VALUES (%d)",
          "SELECT count(*) FROM mine",
          "DROP TABLE mine");

  private static final List<String> STATEMENTS = List.of("", "s");
  private static final List<String> PORTALS = List.of("", "q");

  private WholeCluster cluster;
  private WireClient admin;

  /** Messages, and how many ReadyForQuery they are answered by. */
  private record Conversation(byte[] messages, int groups) {}

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    cluster = new WholeCluster(directory, 1, 1, 2, Map.of(), Map.of("routing.reroute", "on"));
    cluster.node(HERE).reroutes().route(ForwardedGroupsTest::where);
    cluster.node(HERE).reroutes().timeOfDay(() -> 0); // of no trial
    admin = session();
    admin.query("CREATE TABLE t (id int PRIMARY KEY, v int)");
  }

  @AfterAll
  void stop() throws IOException {
    admin.close();
    cluster.close();
  }

  private static int where(String text, List<?> parameters) {
    if (text.startsWith(THERE_IS_BETTER)) {
      return THERE;
    }
    return text.startsWith("BEGIN") || text.startsWith("S") && !text.startsWith("SEL")
        ? BetterNode.NOT_YET
        : BetterNode.NOT_KNOWN;
  }

  private WireClient session() throws IOException {
    return WireClient.started(cluster.port(HERE), "gauss");
  }

  private RerouteCounts counts() {
    return cluster.node(HERE).routing().reroutes();
  }

  /** Reads the answers to groups of messages that were sent at once. */
  private static String answers(WireClient client, Conversation of) throws IOException {
    client.send(of.messages);
    StringBuilder all = new StringBuilder();
    for (int group = 0; group < of.groups; group++) {
      all.append(client.readUntilReady()).append('\n');
    }
    return all.toString();
  }

  private WireClient ready() throws IOException {
    WireClient client = session();
    while (!client.query(THERE_IS_BETTER + "SELECT " + ForwardedClients.NODE).contains("Row 2")) {
      Thread.yield();
    }
    return client;
  }

  @Test
  void severalGroupsAtOnceAreAnsweredAsOnOneNode() throws IOException {
    long before = counts().forwarded();
    for (int i = 0; i < CONVERSATIONS; i++) {
      long seed = Seeds.next();
      String alone;
      try (WireClient client = session()) {
        admin.query("DELETE FROM t");
        client.query("SET gauss.reroute = off");
        alone = answers(client, conversation(new Random(seed)));
      }
      try (WireClient client = ready()) {
        admin.query("DELETE FROM t");
        assertEquals(alone, answers(client, conversation(new Random(seed))), "seed " + seed);
      }
    }
    assertTrue(counts().forwarded() - before > 2 * CONVERSATIONS, "hardly any was forwarded");
  }

  private static Conversation conversation(Random random) {
    List<byte[]> messages = new ArrayList<>();
    int groups = 1 + random.nextInt(MOST_GROUPS);
    for (int group = 0; group < groups; group++) {
      if (random.nextBoolean()) {
        messages.add(WireMessages.query(text(random)));
      } else {
        extended(random, messages);
        messages.add(WireMessages.sync());
      }
    }
    messages.add(WireMessages.query("ROLLBACK"));
    return new Conversation(WireMessages.join(messages.toArray(byte[][]::new)), groups + 1);
  }

  private static String text(Random random) {
    String text = TEXTS.get(random.nextInt(TEXTS.size())).formatted(random.nextInt(1000));
    return random.nextInt(3) > 0 && !text.startsWith("BEGIN") ? THERE_IS_BETTER + text : text;
  }

  private static void extended(Random random, List<byte[]> messages) {
    for (int left = 1 + random.nextInt(3); left > 0; left--) {
      String statement = STATEMENTS.get(random.nextInt(STATEMENTS.size()));
      String portal = PORTALS.get(random.nextInt(PORTALS.size()));
      switch (random.nextInt(8)) {
        case 0 -> messages.add(WireMessages.close('S', "s"));
        case 1 -> messages.add(WireMessages.flush());
        case 2 -> messages.add(WireMessages.execute("q", random.nextInt(3)));
        case 3 -> messages.add(WireMessages.describe('S', statement));
        default -> {
          if (random.nextInt(4) > 0) {
            messages.add(WireMessages.parse(statement, text(random)));
          }
          messages.add(WireMessages.bind(portal, statement));
          if (random.nextInt(4) == 0) {
            messages.add(WireMessages.describe('P', portal));
          }
          messages.add(WireMessages.execute(portal, random.nextInt(3)));
        }
      }
    }
  }

  /** In a failed block nothing can be prepared: the node that has it knows, and the other says. */
  @Test
  void whatReturnsNoRowsIsDescribedInAFailedBlock() throws IOException {
    assertEquals(describedInAFailedBlock(false), describedInAFailedBlock(true));
  }

  private String describedInAFailedBlock(boolean forwarded) throws IOException {
    StringBuilder all = new StringBuilder();
    for (String text :
        List.of(
            "INSERT INTO t VALUES ($1, $2)",
            "UPDATE t SET v = 1 WHERE id = $1 RETURNING v",
            "SELECT v FROM t",
            "SELECT FROM t",
            "SHOW work_mem",
            "FETCH 1 FROM c",
            "PREPARE q AS SELECT 1",
            "SAVEPOINT a",
            "EXPLAIN SELECT 1")) {
      try (WireClient client = forwarded ? ready() : session()) {
        if (!forwarded) {
          client.query("SET gauss.reroute = off");
        }
        client.query("BEGIN");
        client.ask(WireMessages.parse("s", THERE_IS_BETTER + text), WireMessages.sync());
        // Prepared by one node, described by the other.
        client.query("ROLLBACK");
        client.query("BEGIN");
        client.query(THERE_IS_BETTER + "SELECT " + ForwardedClients.NODE + " / 0");
        all.append(text).append('\n');
        all.append(client.ask(WireMessages.describe('S', "s"), WireMessages.sync())).append('\n');
        client.query("ROLLBACK");
      }
    }
    return all.toString();
  }

  /** It was bound before the transaction went anywhere, and is to run in it. */
  @Test
  void aPortalThatIsBoundAndNotExecutedKeepsItsBlockHere() throws IOException {
    try (WireClient client = ready()) {
      client.query("BEGIN");
      client.ask(
          WireMessages.parse("", "SELECT " + ForwardedClients.NODE),
          WireMessages.bind("", ""),
          WireMessages.sync());
      String answer =
          client.ask(
              WireMessages.parse("s", THERE_IS_BETTER + "SELECT " + ForwardedClients.NODE),
              WireMessages.bind("q", "s"),
              WireMessages.execute("q", 0),
              WireMessages.execute("", 0),
              WireMessages.sync());
      assertEquals(
          """
          ParseComplete
          BindComplete
          DataRow 1
          CommandComplete SELECT 1
          DataRow 1
          CommandComplete SELECT 1
          ReadyForQuery T\
          """,
          answer);
    }
  }

  /** A driver may send BEGIN by the same portal as what follows it. */
  @Test
  void aPortalThatHasRunKeepsNothingHere() throws IOException {
    try (WireClient client = ready()) {
      byte[][] begin = {
        WireMessages.parse("", "BEGIN"),
        WireMessages.bind("", ""),
        WireMessages.execute("", 0),
        WireMessages.sync()
      };
      client.ask(begin);
      String answer =
          client.ask(
              WireMessages.parse("", THERE_IS_BETTER + "SELECT " + ForwardedClients.NODE),
              WireMessages.bind("", ""),
              WireMessages.execute("", 0),
              WireMessages.sync());
      assertTrue(answer.contains("DataRow 2"), answer);
    }
  }

  /** It touches no pages, so that a round trip between nodes is all that forwarding brings. */
  @Test
  void whatGainsNothingThereIsComparedAndStays() throws IOException {
    try (WireClient client = ready()) {
      cluster
          .node(HERE)
          .reroutes()
          .route(
              new BetterNode() {
                @Override
                public int better(String text, List<?> parameters) {
                  return text.startsWith("BEGIN") ? NOT_YET : THERE;
                }

                @Override
                public long template(String text) {
                  return 7;
                }
              });
      long compared = counts().stayed(RerouteCounts.Reason.COMPARED);
      long forwarded = counts().forwarded();
      boolean isBlock = false;
      while (counts().stayed(RerouteCounts.Reason.NO_GAIN) == 0) {
        if (isBlock) {
          client.query("BEGIN");
          client.query("SELECT 1");
          client.query("COMMIT");
        } else {
          client.query("SELECT 1");
        }
        isBlock = !isBlock;
      }
      assertTrue(
          counts().stayed(RerouteCounts.Reason.COMPARED) - compared >= ForwardingGain.ENOUGH);
      assertTrue(counts().forwarded() - forwarded >= ForwardingGain.ENOUGH);
    } finally {
      cluster.node(HERE).reroutes().route(ForwardedGroupsTest::where);
    }
  }

  /** Values that decide nothing are not read. */
  @Test
  void whatStaysWhateverItsValuesIsNotReadForThem() throws IOException {
    try (WireClient client = ready()) {
      List<List<?>> read = new ArrayList<>();
      cluster
          .node(HERE)
          .reroutes()
          .route(
              new BetterNode() {
                @Override
                public int better(String text, List<?> parameters) {
                  read.add(parameters);
                  return STAY;
                }

                @Override
                public boolean needsValues(String text) {
                  return text.contains("::int8");
                }
              });
      for (String type : List.of("int4", "int8")) {
        client.ask(
            WireMessages.parse("", "SELECT $1::" + type, 20),
            WireMessages.bind("", "", "5"),
            WireMessages.execute("", 0),
            WireMessages.sync());
      }
      assertEquals(List.of(List.of(), List.of(5L)), read);
    } finally {
      cluster.node(HERE).reroutes().route(ForwardedGroupsTest::where);
    }
  }

  /** What is prepared elsewhere is known here by its text and the types that the client gave. */
  @Test
  void aStatementThatWasPreparedThereIsUnderstoodHere() throws IOException {
    try (WireClient client = ready()) {
      cluster
          .node(HERE)
          .reroutes()
          .route(
              (text, parameters) ->
                  text.startsWith(THERE_IS_BETTER)
                      ? THERE
                      : text.contains("$1") && Long.valueOf(THERE).equals(parameters.getFirst())
                          ? THERE
                          : BetterNode.STAY);
      client.query("BEGIN");
      client.query(THERE_IS_BETTER + "SELECT 1");
      client.ask(
          WireMessages.parse("s", "SELECT $1, " + ForwardedClients.NODE, 20), WireMessages.sync());
      client.query("COMMIT");
      for (long node = 1; node <= 2; node++) {
        byte[][] value = {java.nio.ByteBuffer.allocate(Long.BYTES).putLong(node).array()};
        String answer =
            client.ask(
                WireMessages.bind("", "s", new int[] {1}, value, new int[0]),
                WireMessages.execute("", 0),
                WireMessages.sync());
        assertTrue(answer.contains("|" + node), answer);
        client.ask(WireMessages.close('S', "other"), WireMessages.sync());
      }
    } finally {
      cluster.node(HERE).reroutes().route(ForwardedGroupsTest::where);
    }
  }
}
