package io.gauss.compute.node;

import io.gauss.common.history.ClientScript;
import io.gauss.common.history.ClientScript.Step;
import io.gauss.common.history.ClientScript.Transaction;
import io.gauss.common.history.History;
import io.gauss.common.history.History.Outcome;
import io.gauss.common.history.History.Txn;
import io.gauss.common.history.HistoryChecker;
import io.gauss.compute.history.FaultPlan;
import io.gauss.compute.history.FaultPlan.Event;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** One seed's clients and faults on a cluster, and what must be so afterwards. */
final class FaultRound {
  private static final int SECONDS = 60;
  private static final int CHECKER = -1;

  /** Ends of a transaction that left nothing behind. */
  private static final Set<String> ABORTED = Set.of("40001", "40P01");

  private static final Set<String> CONSTRAINTS = Set.of("23503", "23505");

  private final FaultyCluster cluster;
  private final ClusterClients clients;
  private final ExecutorService threads;
  private final Set<Long> given; // of the sequence, by all rounds
  private final ClientScript script;
  private final FaultPlan plan;
  private final History history = new History();
  private final AtomicInteger ended = new AtomicInteger();
  private final Map<String, Outcome> takers =
      new ConcurrentHashMap<>(); // those that may have got it
  private final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();

  /**
   * @param given values of the sequence that were given, by all rounds
   */
  FaultRound(
      FaultyCluster cluster,
      ClusterClients clients,
      ExecutorService threads,
      Set<Long> given,
      ClientScript script,
      FaultPlan plan) {
    this.cluster = cluster;
    this.clients = clients;
    this.threads = threads;
    this.given = given;
    this.script = script;
    this.plan = plan;
  }

  /** Makes the tables that all rounds use. */
  static void tables(OneNode node) throws SQLException {
    node.execute(
        "CREATE TABLE lists (k int PRIMARY KEY, list text NOT NULL, filler text NOT NULL)",
        "INSERT INTO lists SELECT g, '', repeat('f', 150) FROM generate_series(1, "
            + ClientScript.LISTS
            + ") AS g",
        "CREATE TABLE bank (id int PRIMARY KEY, balance int NOT NULL)",
        "INSERT INTO bank SELECT g, 100 FROM generate_series(1, "
            + ClientScript.ACCOUNTS
            + ") AS g",
        "CREATE TABLE taken (id int PRIMARY KEY, u text UNIQUE, who text)",
        "CREATE TABLE parent (id int PRIMARY KEY)",
        "CREATE TABLE child (id int PRIMARY KEY, p int REFERENCES parent)",
        "INSERT INTO parent SELECT g FROM generate_series(1, " + ClientScript.PARENTS + ") AS g",
        "CREATE SEQUENCE numbers",
        "CREATE TABLE indexed (id int PRIMARY KEY, v int, w text)",
        "CREATE INDEX indexed_v ON indexed (v, w)",
        "INSERT INTO indexed SELECT g, g % 50, 'w' FROM generate_series(1, "
            + ClientScript.INDEXED
            + ") AS g");
  }

  /** Runs everything, and returns what is wrong; empty when nothing is. */
  List<String> run() throws Exception {
    Connection first = clients.of(CHECKER, 1);
    isolation(first);
    Client.execute(first, "UPDATE lists SET list = '' WHERE list <> ''");
    Client.execute(first, "DELETE FROM taken");
    first.commit();
    cluster.begin(plan);
    List<Future<Void>> running = new ArrayList<>();
    for (int client = 0; client < script.clients().size(); client++) {
      int number = client;
      running.add(threads.submit(() -> new Client(number).run()));
    }
    for (Event event : plan.events()) {
      running.add(threads.submit(() -> await(event)));
    }
    for (Future<Void> one : running) {
      one.get(SECONDS, TimeUnit.SECONDS);
    }
    cluster.calm();
    check();
    return List.copyOf(wrong);
  }

  /** How many transactions have committed, those that checked among them. */
  long committed() {
    return history.committed();
  }

  private Void await(Event event) throws Exception {
    synchronized (ended) {
      while (ended.get() < event.after()) {
        ended.wait();
      }
    }
    cluster.happen(event, clients::cut);
    return null;
  }

  private void check() throws SQLException {
    for (int number : cluster.numbers()) {
      Txn txn = history.begin("reader " + number);
      Connection connection = clients.of(CHECKER, number);
      isolation(connection);
      for (int key : script.keys()) {
        read(connection, txn, key);
      }
      connection.commit();
      txn.end(Outcome.COMMITTED);
      same(number, connection, "SELECT sum(balance) FROM bank", bank());
      same(
          number,
          connection,
          "SELECT count(*) FROM child WHERE p NOT IN (SELECT id FROM parent)",
          List.of("0"));
      taken(number, OneNode.query(connection, "SELECT who FROM taken"));
      connection.commit();
    }
    wrong.addAll(
        script.oneSnapshot()
            ? HistoryChecker.snapshotIsolation(history)
            : HistoryChecker.readCommitted(history));
  }

  private static List<String> bank() {
    return List.of(Integer.toString(100 * ClientScript.ACCOUNTS));
  }

  private void same(int node, Connection connection, String query, List<String> expected)
      throws SQLException {
    List<String> found = OneNode.query(connection, query);
    if (!found.equals(expected)) {
      wrong.add("node " + node + ": " + query + " gives " + found + ", not " + expected);
    }
  }

  private void taken(int node, List<String> there) {
    for (String who : there) {
      if (!takers.containsKey(who)) {
        wrong.add("node " + node + ": " + who + " has taken a name, and was told that it had not");
      }
    }
    takers.forEach(
        (who, outcome) -> {
          if (outcome == Outcome.COMMITTED && !there.contains(who)) {
            wrong.add("node " + node + ": what " + who + " has taken is not there");
          }
        });
  }

  private void isolation(Connection connection) throws SQLException {
    connection.setTransactionIsolation(
        script.oneSnapshot()
            ? Connection.TRANSACTION_REPEATABLE_READ
            : Connection.TRANSACTION_READ_COMMITTED);
  }

  private static void read(Connection connection, Txn txn, int key) throws SQLException {
    long began = txn.now();
    String list = OneNode.query(connection, "SELECT list FROM lists WHERE k = " + key).getFirst();
    txn.read(
        key,
        list.isEmpty() ? List.of() : Arrays.stream(list.split(" ")).map(Long::valueOf).toList(),
        began);
  }

  /** Runs the transactions of one client. */
  private final class Client {
    private final int number;

    Client(int number) {
      this.number = number;
    }

    Void run() throws SQLException {
      int count = 0;
      for (Transaction transaction : script.clients().get(number)) {
        Connection connection = connection(transaction.node());
        if (connection != null) {
          String name = "client " + number + "." + ++count + " on " + transaction.node();
          transaction(connection, transaction, name);
        }
        synchronized (ended) {
          ended.incrementAndGet();
          ended.notifyAll();
        }
      }
      return null;
    }

    /** Null when the node is dead. */
    private Connection connection(int node) throws SQLException {
      try {
        Connection connection = clients.of(number, node);
        if (connection != null) {
          isolation(connection);
        }
        return connection;
      } catch (SQLException e) {
        if (isThere(node)) {
          throw e;
        }
        return null;
      }
    }

    private boolean isThere(int node) {
      return !plan.ends(node);
    }

    private void transaction(Connection connection, Transaction transaction, String name)
        throws SQLException {
      Txn txn = history.begin(name);
      boolean commits = false;
      try {
        for (Step step : transaction.steps()) {
          step(connection, txn, step, name);
        }
        if (transaction.rollsBack()) {
          connection.rollback();
          txn.end(Outcome.ABORTED);
          return;
        }
        commits = true;
        connection.commit();
        txn.end(Outcome.COMMITTED);
        took(transaction, name, Outcome.COMMITTED);
      } catch (SQLException e) {
        failed(connection, transaction, txn, name, commits, e);
      }
    }

    private void failed(
        Connection connection,
        Transaction transaction,
        Txn txn,
        String name,
        boolean commits,
        SQLException e)
        throws SQLException {
      if (ABORTED.contains(e.getSQLState()) || CONSTRAINTS.contains(e.getSQLState())) {
        txn.end(Outcome.ABORTED);
        try {
          connection.rollback();
        } catch (SQLException lost) {
          if (isThere(transaction.node())) {
            throw lost;
          }
        }
      } else if (isThere(transaction.node())) {
        throw new SQLException(name + ": " + transaction, e.getSQLState(), e);
      } else if (commits) {
        took(transaction, name, Outcome.OPEN); // the client does not know
      } else {
        txn.end(Outcome.ABORTED);
      }
    }

    private void took(Transaction transaction, String name, Outcome outcome) {
      if (transaction.steps().getFirst() instanceof Step.Take) {
        takers.put(name, outcome);
      }
    }

    private void step(Connection connection, Txn txn, Step step, String name) throws SQLException {
      switch (step) {
        case Step.Read read -> FaultRound.read(connection, txn, read.key());
        case Step.Append append -> {
          txn.append(append.key(), append.value());
          execute(
              connection,
              "UPDATE lists SET list = CASE list WHEN '' THEN '%d' ELSE list || ' %d' END WHERE k = %d"
                  .formatted(append.value(), append.value(), append.key()));
        }
        case Step.Transfer move -> {
          execute(
              connection,
              "UPDATE bank SET balance = balance - %d WHERE id = %d"
                  .formatted(move.amount(), move.from()));
          execute(
              connection,
              "UPDATE bank SET balance = balance + %d WHERE id = %d"
                  .formatted(move.amount(), move.to()));
        }
        case Step.Count count -> same(0, connection, "SELECT sum(balance) FROM bank", bank());
        case Step.Take take ->
            execute(
                connection,
                "INSERT INTO taken VALUES (%d, 'u%d', '%s')"
                    .formatted(take.key(), take.key() / 2, name));
        case Step.Next next -> {
          long value =
              Long.parseLong(OneNode.query(connection, "SELECT nextval('numbers')").getFirst());
          if (!given.add(value)) {
            wrong.add("the sequence gives " + value + " twice");
          }
        }
        case Step.Change change -> execute(connection, change.sql());
      }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
      try (Statement statement = connection.createStatement()) {
        statement.execute(sql);
      }
    }
  }
}
