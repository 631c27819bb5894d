package io.gauss.server.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * A cluster on the machines of a network, made by the commands that a user types, and clients of it
 * that check what they are told ({@link Load}). For one thread, which is not the clients'.
 */
final class MachineCluster implements Servers, AutoCloseable {
  /** Settings of every node: clients are on other machines. */
  static final String FOR_CLIENTS =
      " --set listen.address=0.0.0.0 --set auth.password-file=/var/lib/gauss-password";

  private static final int SERVES_SECONDS = 120;
  private static final int STEADY = 15;

  private final MachineNetwork network;
  private final Map<Integer, TestMachine> machines = new ConcurrentSkipListMap<>();
  private final List<Integer> serving = new CopyOnWriteArrayList<>();
  private final Load load;

  /** What happens while clients work. */
  @FunctionalInterface
  interface Happening {
    void happen() throws IOException, SQLException;
  }

  MachineCluster(MachineNetwork network, long seed) {
    this.network = network;
    this.load = new Load(this, new SplittableRandom(seed));
  }

  MachineNetwork network() {
    return network;
  }

  TestMachine machine(int number) {
    return machines.get(number);
  }

  private static void say(String text) {
    System.out.println(text);
    System.out.flush();
  }

  // ---- as clients see it

  @Override
  public List<Integer> computeNodes() {
    return List.copyOf(serving);
  }

  @Override
  public List<Integer> possibleComputeNodes() {
    return IntStream.rangeClosed(1, MachineNetwork.MOST).boxed().toList();
  }

  @Override
  public Connection connect(int compute) throws SQLException {
    return DriverManager.getConnection(
        ("jdbc:postgresql://%s:5432/gauss?user=gauss&password=%s&sslmode=verify-ca&sslrootcert=%s"
                + "&connectTimeout=5&loginTimeout=20&socketTimeout=90")
            .formatted(
                machines.get(compute).address(),
                MachineNetwork.password(),
                network.base().resolve("authority.pem")));
  }

  /** Clients do not use the node of a machine any more. */
  void leave(TestMachine machine) {
    serving.remove((Integer) machine.number());
  }

  /** Waits until a node takes clients, and lets them use it. */
  void serve(TestMachine machine) throws IOException {
    int number = machine.number();
    SQLException[] last = new SQLException[1];
    boolean serves =
        Waits.await(
            SERVES_SECONDS,
            () -> {
              try (Connection _ = connect(number)) {
                return true;
              } catch (SQLException e) {
                last[0] = e;
                return false;
              }
            });
    if (!serves) {
      throw new IOException(machine + " does not serve: " + last[0] + "\n" + machine.log());
    }
    if (!serving.contains(number)) {
      serving.add(number);
      serving.sort(null);
    }
  }

  // ---- machines

  /** A machine on which there is nothing. */
  TestMachine plug() throws IOException {
    TestMachine machine = network.add();
    machines.put(machine.number(), machine);
    return machine;
  }

  /** The first machine of the cluster, and the tables of the clients. */
  TestMachine found(String options) throws IOException, SQLException {
    TestMachine first = plug();
    first.must(
        "./gauss up --advertise %s --data /var/lib/gauss --detach%s%s"
            .formatted(first.name(), FOR_CLIENTS, options));
    Files.copy(
        first.data().resolve("tls").resolve("authority.pem"),
        network.base().resolve("authority.pem"));
    serve(first);
    load.createTables();
    return first;
  }

  String token() throws IOException {
    return machines.get(1).must("./gauss token --data /var/lib/gauss");
  }

  /** One machine more in the cluster. */
  TestMachine join(String options) throws IOException {
    return join(plug(), options);
  }

  TestMachine join(TestMachine machine, String options) throws IOException {
    String token = token();
    long began = System.nanoTime();
    machine.must(
        "./gauss join db-1:7000 --token %s --advertise %s --data /var/lib/gauss --detach%s%s"
            .formatted(token, machine.name(), FOR_CLIENTS, options));
    say(machine + " has joined after " + seconds(System.nanoTime() - began));
    return machine;
  }

  // ---- load

  /**
   * Clients work while something happens, and afterwards on each node that serves then; what they
   * were told is true.
   */
  void underLoad(String what, Happening happening) throws IOException, SQLException {
    load.start();
    Tally tally = load.tally();
    tally.reset();
    awaitCommits(tally, what);
    tally.reset();
    List<Integer> before = computeNodes();
    happening.happen();
    List<Integer> stayed = before.stream().filter(serving::contains).toList();
    long gap = stayed.stream().mapToLong(tally::gapMillis).max().orElse(0);
    Map<Integer, Long> then = new TreeMap<>();
    stayed.forEach(node -> then.put(node, tally.commits(node)));
    for (int node : stayed) {
      await(tally, what, node, then.get(node) + STEADY);
    }
    say(
        "%s: %d transactions, longest gap of one node %s, told %s"
            .formatted(
                what,
                tally.commits(),
                seconds(TimeUnit.MILLISECONDS.toNanos(gap)),
                tally.errors()));
    load.stop();
    load.check();
    List<String> anomalies = load.takeAnomalies();
    if (!anomalies.isEmpty()) {
      throw new IllegalStateException(what + ": " + String.join("\n", anomalies));
    }
  }

  private void awaitCommits(Tally tally, String what) throws IOException {
    for (int node : serving) {
      await(tally, what, node, STEADY);
    }
  }

  private void await(Tally tally, String what, int node, long commits) throws IOException {
    if (!Waits.await(SERVES_SECONDS, () -> tally.commits(node) >= commits)) {
      throw new IOException(
          "%s: node %d commits nothing (told: %s)\n%s"
              .formatted(what, node, tally.errors(), machines.get(node).log()));
    }
  }

  /**
   * Waits until something is so.
   *
   * @throws IOException with what was waited for when it is not in two minutes
   */
  static void await(String what, Callable<Boolean> condition) throws IOException {
    boolean isSo =
        Waits.await(
            SERVES_SECONDS,
            () -> {
              try {
                return condition.call();
              } catch (IOException e) {
                return false;
              } catch (RuntimeException e) {
                throw e;
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    if (!isSo) {
      throw new IOException("not so within " + SERVES_SECONDS + " s: " + what);
    }
  }

  static void check(boolean isSo, String what) {
    if (!isSo) {
      throw new IllegalStateException(what);
    }
  }

  static String seconds(long nanos) {
    return "%.1f s".formatted(nanos / 1e9);
  }

  @Override
  public void close() {
    load.stop();
    Path logs = network.base();
    for (TestMachine machine : machines.values()) {
      say("---- " + machine + ", more in " + logs + "\n" + machine.log());
    }
    network.close();
  }
}
