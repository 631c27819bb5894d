package io.gauss.simulation.cluster;

import io.gauss.common.error.SqlState;
import io.gauss.common.history.ClientScript;
import io.gauss.common.history.ClientScript.Step;
import io.gauss.common.history.ClientScript.Transaction;
import io.gauss.common.history.History;
import io.gauss.common.history.History.Outcome;
import io.gauss.common.history.History.Txn;
import io.gauss.common.history.HistoryChecker;
import io.gauss.common.runtime.Environment;
import io.gauss.simulation.Simulation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The clients of a run, and what they were told: lists, a bank, names that only one can have, a
 * sequence, foreign keys, indexes.
 */
final class Clients {
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** Ends of a transaction that left nothing behind. */
  private static final Set<SqlState> ABORTED =
      Set.of(
          SqlState.SERIALIZATION_FAILURE,
          SqlState.DEADLOCK_DETECTED,
          SqlState.FOREIGN_KEY_VIOLATION,
          SqlState.UNIQUE_VIOLATION);

  private final Simulation simulation;
  private final SimulatedCluster cluster;
  private final ClientScript script;
  private final History history = new History();
  private final Set<Long> given = new HashSet<>();
  private final Map<String, Outcome> takers = new TreeMap<>();
  private final List<String> wrong = new ArrayList<>();
  private int running;
  private int committed;
  private boolean stops;

  Clients(Simulation simulation, SimulatedCluster cluster, ClientScript script) {
    this.simulation = simulation;
    this.cluster = cluster;
    this.script = script;
  }

  /** Makes the tables. */
  void tables(ClientConnection first) {
    String deferral = script.defersConstraints() ? " DEFERRABLE INITIALLY DEFERRED" : "";
    for (String text :
        List.of(
            "CREATE TABLE lists (k int PRIMARY KEY, list text NOT NULL)",
            "INSERT INTO lists SELECT g, '' FROM generate_series(1, "
                + ClientScript.LISTS
                + ") AS g",
            "CREATE TABLE bank (id int PRIMARY KEY, balance int NOT NULL)",
            "INSERT INTO bank SELECT g, 100 FROM generate_series(1, "
                + ClientScript.ACCOUNTS
                + ") AS g",
            "CREATE TABLE taken (id int PRIMARY KEY, u text UNIQUE" + deferral + ", who text)",
            "CREATE TABLE parent (id int PRIMARY KEY)",
            "CREATE TABLE child (id int PRIMARY KEY, p int REFERENCES parent" + deferral + ")",
            "INSERT INTO parent SELECT g FROM generate_series(1, "
                + ClientScript.PARENTS
                + ") AS g",
            "CREATE SEQUENCE numbers",
            "CREATE TABLE indexed (id int PRIMARY KEY, v int, w text)",
            "CREATE INDEX indexed_v ON indexed (v, w)",
            "INSERT INTO indexed SELECT g, g % 50, 'w' FROM generate_series(1, "
                + ClientScript.INDEXED
                + ") AS g")) {
      Workers.must(first, text);
    }
  }

  private static List<String> must(ClientConnection connection, String text) {
    return Workers.must(connection, text).rows();
  }

  void start() {
    for (int i = 0; i < script.clients().size(); i++) {
      int client = i;
      running++;
      Environment.start("client-" + i, () -> new Client(client).run());
    }
  }

  boolean areDone() {
    return running == 0;
  }

  /** Clients begin no new transactions. */
  void stop() {
    stops = true;
  }

  int committed() {
    return committed;
  }

  /** What they were told that cannot be. */
  List<String> wrong() {
    return wrong;
  }

  /** Compares what a node has with what the clients were told. */
  void check(int node, ClientConnection connection) {
    Txn txn = history.begin("reader " + node);
    must(connection, "BEGIN ISOLATION LEVEL REPEATABLE READ");
    for (int key : script.keys()) {
      String failed = read(connection, txn, key).message();
      if (failed != null) {
        throw new AssertionError(failed);
      }
    }
    must(connection, "COMMIT");
    txn.end(Outcome.COMMITTED);
    same(node, connection, "SELECT sum(balance) FROM bank", 100 * ClientScript.ACCOUNTS);
    same(node, connection, "SELECT count(*) FROM child WHERE p NOT IN (SELECT id FROM parent)", 0);
    same(node, connection, "SELECT count(*) - count(DISTINCT u) FROM taken", 0);
    List<String> there = must(connection, "SELECT who FROM taken");
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

  private void same(int node, ClientConnection connection, String query, long expected) {
    List<String> found = must(connection, query);
    if (!found.equals(List.of(Long.toString(expected)))) {
      wrong.add("node " + node + ": " + query + " gives " + found + ", not " + expected);
    }
  }

  /** The history of all transactions, those that checked among them. */
  Set<String> checkHistory() {
    return script.oneSnapshot()
        ? HistoryChecker.snapshotIsolation(history)
        : HistoryChecker.readCommitted(history);
  }

  private static Answer read(ClientConnection connection, Txn txn, int key) {
    long began = txn.now();
    Answer answer = connection.query("SELECT list FROM lists WHERE k = " + key);
    if (answer.succeeded()) {
      String list = answer.rows().getFirst();
      txn.read(
          key,
          list.isEmpty() ? List.of() : Arrays.stream(list.split(" ")).map(Long::valueOf).toList(),
          began);
    }
    return answer;
  }

  /** Runs the transactions of one client. */
  private final class Client {
    private final int number;
    private final Map<Integer, ClientConnection> open = new TreeMap<>();

    private Client(int number) {
      this.number = number;
    }

    private void run() {
      int count = 0;
      for (Transaction transaction : script.clients().get(number)) {
        Environment.parkNanos(1 + Environment.random().nextLong(TimeUnit.SECONDS.toNanos(1)));
        ClientConnection connection = connection(transaction.node());
        if (connection == null) {
          break;
        }
        transaction(connection, transaction, "client " + number + " " + ++count);
      }
      open.values().forEach(ClientConnection::close);
      running--;
    }

    /** Null when the run ends before the node serves. */
    private ClientConnection connection(int node) {
      while (!stops) {
        ClientConnection connection = open.get(node);
        if (connection != null && !connection.isBroken()) {
          return connection;
        }
        connection = cluster.connect(node);
        if (connection != null) {
          open.put(node, connection);
          return connection;
        }
        Environment.parkNanos(RETRY_NANOS);
      }
      return null;
    }

    private void transaction(ClientConnection connection, Transaction transaction, String name) {
      Txn txn = history.begin(name);
      Answer answer =
          ask(
              name,
              connection,
              "BEGIN ISOLATION LEVEL "
                  + (script.oneSnapshot() ? "REPEATABLE READ" : "READ COMMITTED"));
      for (Step step : transaction.steps()) {
        if (answer.succeeded()) {
          answer = step(connection, txn, step, name);
        }
      }
      if (!answer.succeeded()) {
        failed(connection, txn, name, answer);
        return;
      }
      if (transaction.rollsBack()) {
        ask(name, connection, "ROLLBACK");
        txn.end(Outcome.ABORTED);
        return;
      }
      answer = ask(name, connection, "COMMIT");
      if (answer.succeeded()) {
        txn.end(Outcome.COMMITTED);
        committed++;
        took(transaction, name, Outcome.COMMITTED);
      } else if (ABORTED.contains(answer.error())) {
        failed(connection, txn, name, answer);
      } else {
        internal(name, answer);
        took(transaction, name, Outcome.OPEN); // the client does not know
      }
    }

    private void failed(ClientConnection connection, Txn txn, String name, Answer answer) {
      internal(name, answer);
      txn.end(Outcome.ABORTED);
      if (answer.connected()) {
        ask(name, connection, "ROLLBACK");
      }
    }

    private void internal(String name, Answer answer) {
      if (answer.error().code().startsWith("XX")) {
        wrong.add(name + " was told " + answer.error() + ": " + answer.message());
      }
    }

    private void took(Transaction transaction, String name, Outcome outcome) {
      if (transaction.steps().getFirst() instanceof Step.Take) {
        takers.put(name, outcome);
      }
    }

    private Answer ask(String name, ClientConnection connection, String text) {
      Answer answer = connection.query(text);
      simulation.event(name + ": " + text + " => " + answer);
      if (answer.connected()) {
        cluster.answered(connection.number());
      }
      return answer;
    }

    private Answer step(ClientConnection connection, Txn txn, Step step, String name) {
      return switch (step) {
        case Step.Read read -> {
          Answer answer = Clients.read(connection, txn, read.key());
          simulation.event(name + ": read " + read.key() + " => " + answer);
          yield answer;
        }
        case Step.Append append -> {
          txn.append(append.key(), append.value());
          yield ask(
              name,
              connection,
              "UPDATE lists SET list = CASE list WHEN '' THEN '%d' ELSE list || ' %d' END WHERE k = %d"
                  .formatted(append.value(), append.value(), append.key()));
        }
        case Step.Transfer move -> {
          Answer answer =
              ask(
                  name,
                  connection,
                  "UPDATE bank SET balance = balance - %d WHERE id = %d"
                      .formatted(move.amount(), move.from()));
          yield answer.succeeded()
              ? ask(
                  name,
                  connection,
                  "UPDATE bank SET balance = balance + %d WHERE id = %d"
                      .formatted(move.amount(), move.to()))
              : answer;
        }
        case Step.Count count -> {
          Answer answer = ask(name, connection, "SELECT sum(balance) FROM bank");
          if (answer.succeeded()
              && !answer.rows().equals(List.of(Integer.toString(100 * ClientScript.ACCOUNTS)))) {
            wrong.add(name + " has counted " + answer.rows());
          }
          yield answer;
        }
        case Step.Take take ->
            ask(
                name,
                connection,
                "INSERT INTO taken VALUES (%d, 'u%d', '%s')"
                    .formatted(take.key(), take.key() / 2, name));
        case Step.Next next -> {
          Answer answer = ask(name, connection, "SELECT nextval('numbers')");
          if (answer.succeeded() && !given.add(Long.parseLong(answer.rows().getFirst()))) {
            wrong.add("the sequence gives " + answer.rows() + " twice");
          }
          yield answer;
        }
        case Step.Change change -> ask(name, connection, change.sql());
      };
    }
  }
}
