package io.gauss.server.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@link MachinesTest} has happen to clusters of machines, each in a process of its own with
 * namespaces of its own. A scenario ends without an exception when everything was as it should be.
 */
final class MachineScenarios {
  /** The system does not let machines be made. */
  static final int REFUSED = 77;

  private static final Duration NEAR = Duration.ofNanos(200_000);
  private static final Duration FAR = Duration.ofMillis(2);
  private static final int FEW_PER_MILLION = 1_000;
  private static final long GIGABIT = 125_000_000;
  private static final int PAGE_MACHINES = 5;
  private static final String TOKEN = "--token TOKEN ";
  private static final Pattern GIVEN = Pattern.compile("--token (\\S{40,}) ");

  private final MachineCluster cluster;

  private MachineScenarios(MachineCluster cluster) {
    this.cluster = cluster;
  }

  /** A scenario. */
  @FunctionalInterface
  private interface Scenario {
    void play(MachineScenarios scenarios) throws IOException, SQLException;
  }

  private static final Map<String, Scenario> ALL =
      new TreeMap<>(
          Map.of(
              "grow", MachineScenarios::grow,
              "lost", MachineScenarios::lost,
              "partition", MachineScenarios::partition,
              "address", MachineScenarios::address,
              "page", MachineScenarios::page));

  /** Runs the scenario of that name, in an empty directory, with the launcher's. */
  public static void main(String[] arguments) throws Exception {
    Path base = Path.of(arguments[1]);
    MachineNetwork network;
    try {
      network = new MachineNetwork(base, Path.of(arguments[2]));
    } catch (IOException e) {
      System.out.println("this system does not let machines be made: " + e.getMessage());
      System.exit(REFUSED);
      return;
    }
    network.wires().delay(NEAR, FAR);
    network.wires().lose(FEW_PER_MILLION);
    network.wires().narrow(GIGABIT);
    boolean isWell = false;
    try (MachineCluster cluster =
        new MachineCluster(network, Long.getLong("gauss.seed", System.nanoTime()))) {
      ALL.get(arguments[0]).play(new MachineScenarios(cluster));
      isWell = true;
    } catch (IOException | SQLException | RuntimeException e) {
      e.printStackTrace(System.out);
    }
    System.out.flush();
    System.exit(isWell ? 0 : 1);
  }

  private static String zone(int number) {
    return " --zone zone-" + number;
  }

  private List<Integer> three() throws IOException, SQLException {
    cluster.found(zone(1));
    for (int number = 2; number <= 3; number++) {
      cluster.serve(cluster.join(zone(number)));
    }
    return cluster.computeNodes();
  }

  /** One machine, then five that store and a sixth that does not; then three again. */
  private void grow() throws IOException, SQLException {
    cluster.found(zone(1));
    for (int number = 2; number <= 5; number++) {
      int next = number;
      cluster.underLoad(
          "machine " + next + " joins", () -> cluster.serve(cluster.join(zone(next))));
    }
    TestMachine refused = cluster.plug();
    TestMachine.Said said =
        refused.type(
            "./gauss join --token %s --advertise %s --data /var/lib/gauss"
                .formatted(cluster.token(), refused.name()));
    MachineCluster.check(
        said.code() == 2 && said.error().contains("--roles compute,memory"),
        "a sixth copy is not refused: " + said);
    cluster.underLoad(
        "machine 6 joins without storage",
        () -> cluster.serve(cluster.join(refused, " --roles compute,memory")));
    TestMachine any = cluster.machine(3);
    cluster.underLoad(
        "machine 6 is removed",
        () -> {
          cluster.leave(refused);
          any.must("./gauss remove 6 --data /var/lib/gauss");
        });
    MachineCluster.await(
        "a node whose roles were drained ends", () -> refused.type("pidof java").code() != 0);
    TestMachine.Said again = refused.type("./gauss start --data /var/lib/gauss --detach");
    MachineCluster.check(again.code() == 1, "a removed node starts again: " + again);
    TestMachine fifth = cluster.machine(5);
    cluster.underLoad(
        "machine 5 is removed",
        () -> {
          cluster.leave(fifth);
          any.must("./gauss remove 5 --data /var/lib/gauss");
        });
    TestMachine fourth = cluster.machine(4);
    cluster.underLoad(
        "machine 4 loses its power and is removed",
        () -> {
          cluster.leave(fourth);
          fourth.powerOff();
          any.must("./gauss remove 4 --data /var/lib/gauss");
        });
    said = any.type("./gauss remove 2 --data /var/lib/gauss");
    MachineCluster.check(
        said.code() == 2 && said.error().contains("--fewer-copies"),
        "two copies are made of three without a word: " + said);
    for (int number = 1; number <= 3; number++) {
      cluster.machine(number).must("./gauss status --data /var/lib/gauss");
    }
  }

  /** One of three machines is lost for good, and a fourth takes its place. */
  private void lost() throws IOException, SQLException {
    three();
    TestMachine lost = cluster.machine(2);
    cluster.underLoad(
        "machine 2 loses its power",
        () -> {
          cluster.leave(lost);
          lost.powerOff();
        });
    cluster.underLoad(
        "machine 4 takes its place",
        () -> {
          TestMachine fourth = cluster.plug();
          MachineCluster.await(
              "the dead node's lease is over", () -> cluster.join(fourth, " --replaces 2") != null);
          cluster.serve(fourth);
        });
    for (int number : List.of(1, 3, 4)) {
      String status = cluster.machine(number).must("./gauss status --data /var/lib/gauss");
      MachineCluster.check(
          status.contains("db-4") && !status.contains("db-2:"), "status tells " + status);
    }
  }

  /** One of three machines is cut off from the others, and comes back. */
  private void partition() throws IOException, SQLException {
    cluster.found(zone(1));
    for (int number = 2; number <= 3; number++) {
      TestMachine joined = cluster.join(zone(number));
      joined.must("./gauss stop --data /var/lib/gauss");
      joined.startAsService();
      cluster.serve(joined);
    }
    TestMachine first = cluster.machine(1);
    first.must("./gauss stop --data /var/lib/gauss");
    first.startAsService();
    cluster.serve(first);
    for (int number : List.of(3, 1)) {
      cluster.underLoad(
          "machine " + number + " is cut off for long",
          () -> {
            cluster.network().isolate(number);
            Waits.sleep(20_000);
            cluster.network().reconnect(number);
          });
    }
    cluster.underLoad(
        "machine 2 is cut off for a moment",
        () -> {
          cluster.network().isolate(2);
          Waits.sleep(1_000);
          cluster.network().reconnect(2);
        });
    cluster.underLoad(
        "nothing gets from machine 3 to machine 1",
        () -> {
          cluster.network().wires().cutOneWay(3, 1);
          Waits.sleep(20_000);
          cluster.network().reconnect(3);
        });
    cluster.underLoad(
        "machines 1 and 2 do not reach each other",
        () -> {
          cluster.network().wires().cut(1, 2);
          Waits.sleep(20_000);
          cluster.network().reconnect(1);
        });
  }

  /** A machine comes back with another address under the same name. */
  private void address() throws IOException, SQLException {
    three();
    for (int number : List.of(2, 1)) {
      TestMachine moved = cluster.machine(number);
      cluster.underLoad(
          "machine " + number + " comes back at another address",
          () -> {
            cluster.leave(moved);
            moved.must("./gauss stop --data /var/lib/gauss");
            moved.move(cluster.network().otherAddress(number));
            cluster.network().rename(moved);
            moved.must("./gauss start --data /var/lib/gauss --detach");
            cluster.serve(moved);
          });
      cluster.underLoad("it serves there", () -> Waits.sleep(2_000));
    }
    TestMachine third = cluster.machine(3);
    cluster.underLoad(
        "machine 3 is started with another address",
        () -> {
          cluster.leave(third);
          third.must("./gauss stop --data /var/lib/gauss");
          third.move(cluster.network().otherAddress(3));
          third.must("./gauss start --data /var/lib/gauss --detach --advertise " + third.address());
          cluster.serve(third);
        });
    for (int number = 1; number <= 3; number++) {
      String status = cluster.machine(number).must("./gauss status --data /var/lib/gauss");
      MachineCluster.check(status.contains(third.address()), "status tells " + status);
    }
  }

  /** The commands of the page for users, as they stand there. */
  private void page() throws IOException {
    Map<String, TestMachine> machines = new TreeMap<>();
    for (int number = 1; number <= PAGE_MACHINES; number++) {
      TestMachine machine = cluster.plug();
      machines.put(machine.name(), machine);
    }
    Deque<String> tokens = new ArrayDeque<>();
    long began = System.nanoTime();
    int typed = 0;
    boolean hasCommitted = false;
    for (MachinesPage.Step step :
        MachinesPage.read(cluster.network().home().resolve("docs/machines.md"))) {
      TestMachine machine = machines.get(step.machine());
      if (step.command() == null) {
        machine.powerOff();
        continue;
      }
      String command = step.command();
      if (command.contains(TOKEN)) {
        command = command.replace(TOKEN, "--token " + tokens.remove() + " ");
      }
      String out = typeUntilTaken(machine, command);
      typed++;
      Matcher given = GIVEN.matcher(out);
      while (given.find()) {
        tokens.add(given.group(1));
      }
      if (command.startsWith("./gauss token ")) {
        tokens.add(out);
      }
      if (!hasCommitted && command.contains("INSERT")) {
        hasCommitted = true;
        System.out.printf(
            "%d commands, %s from clean machines until the first commit%n",
            typed, MachineCluster.seconds(System.nanoTime() - began));
      }
      if (command.contains("SELECT")) {
        MachineCluster.check(out.contains("ada") && out.contains("emmy"), "rows are " + out);
      }
    }
    MachineCluster.check(hasCommitted, "the page commits nothing");
  }

  /** A node that was lost counts as alive for a while. */
  private static String typeUntilTaken(TestMachine machine, String command) throws IOException {
    String[] out = new String[1];
    MachineCluster.await(
        machine + " takes `" + command + "`",
        () -> {
          TestMachine.Said said = machine.type(command);
          if (said.code() == 0) {
            out[0] = said.text();
          } else if (!said.error().contains(" is alive")) {
            throw new IllegalStateException(machine + ": " + command + ": " + said);
          }
          return said.code() == 0;
        });
    return out[0];
  }
}
