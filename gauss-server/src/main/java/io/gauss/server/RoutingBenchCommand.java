package io.gauss.server;

import io.gauss.bench.routing.Disturbance;
import io.gauss.bench.routing.JoiningNode;
import io.gauss.bench.routing.LearnedParts;
import io.gauss.bench.routing.ModeResult;
import io.gauss.bench.routing.MovedHotSpot;
import io.gauss.bench.routing.RoutedWorkload;
import io.gauss.bench.routing.RoutingComparison;
import io.gauss.bench.routing.RoutingMode;
import io.gauss.bench.routing.RoutingOptions;
import io.gauss.bench.routing.RoutingTable;
import io.gauss.bench.routing.SlowNode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures the benefit of routing on a running cluster of several compute nodes that learns. */
@Command(
    name = "routing",
    description = "Compare ways to choose the node of a transaction, on a running cluster.",
    mixinStandardHelpOptions = true,
    subcommands = {
      RoutingBenchCommand.Compare.class,
      RoutingBenchCommand.Drift.class,
      RoutingBenchCommand.Join.class,
      RoutingBenchCommand.Leave.class,
      RoutingBenchCommand.Learner.class,
      RoutingBenchCommand.Ablation.class
    })
final class RoutingBenchCommand {
  private static final int NOT_REACHED = 4;
  private static final String LOADS = RoutingBenchOptions.LOADS;

  /** How the clients of an experiment choose nodes. */
  static final class Mode {
    @Option(
        names = "--mode",
        defaultValue = "model-java",
        description = "How clients choose nodes (${DEFAULT-VALUE}).")
    private String label;

    RoutingMode mode() {
      return RoutingBenchCommand.mode(label);
    }
  }

  /** The load of an experiment that has any. */
  static final class Load {
    @Option(
        names = "--workload",
        defaultValue = "tpcc",
        description = LOADS + " (${DEFAULT-VALUE}).")
    private String name;

    RoutedWorkload workload(RoutingBenchOptions common) {
      return common.workload(name);
    }
  }

  private static RoutingMode mode(String label) {
    try {
      return RoutingMode.of(label);
    } catch (IllegalArgumentException e) {
      throw new RefusedException(e.getMessage());
    }
  }

  /**
   * DJL is configured by system properties, as in the server: no search for newer libraries, and
   * one thread, since routing computes one sample at a time.
   */
  private static void configureDjl() {
    for (String property :
        List.of(
            "ai.djl.offline=true",
            "ai.djl.pytorch.num_threads=1",
            "ai.djl.pytorch.num_interop_threads=1")) {
      String[] pair = property.split("=");
      if (System.getProperty(pair[0]) == null) {
        System.setProperty(pair[0], pair[1]);
      }
    }
  }

  @Command(
      name = "compare",
      description = "The modes in turn, round after round; a table for each load.",
      mixinStandardHelpOptions = true)
  static final class Compare implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private RoutingBenchOptions common;

    @Option(
        names = "--loads",
        split = ",",
        defaultValue =
            "tpcc,ycsb,dealt,shuffled,ids,smallbank,tenants-11,tenants-61,hot-tenant,orm,ascending",
        description = "One or several, of " + LOADS + " (${DEFAULT-VALUE}).")
    private List<String> loads;

    @Option(
        names = "--modes",
        split = ",",
        defaultValue = "random,sticky,table,owners,network,model-java,oracle,oracle-owners",
        description = "In the order of their turns (${DEFAULT-VALUE}).")
    private List<String> modes;

    @Option(names = "--rounds", defaultValue = "3", description = "Rounds (${DEFAULT-VALUE}).")
    private int rounds;

    @Option(
        names = "--seconds",
        defaultValue = "6",
        description = "Measured in each turn (${DEFAULT-VALUE}).")
    private int seconds;

    @Option(
        names = "--slow-port",
        description =
            "Port of a node on this machine that is to be slow: it stands still for --slow-percent"
                + " of the time.")
    private Integer slowPort;

    @Option(
        names = "--slow-percent",
        defaultValue = "50",
        description = "How much of the time, in pieces of some 20 ms (${DEFAULT-VALUE}).")
    private int slowPercent;

    @Override
    public Integer call() throws Exception {
      SlowNode slow = slowPort == null ? null : slow();
      try {
        return compare();
      } finally {
        if (slow != null) {
          slow.close();
        }
      }
    }

    private SlowNode slow() {
      try {
        return new SlowNode(slowPort, slowPercent);
      } catch (IllegalArgumentException e) {
        throw new RefusedException("--slow-port: " + e.getMessage());
      }
    }

    private int compare() throws Exception {
      configureDjl();
      PrintWriter out = spec.commandLine().getOut();
      List<RoutedWorkload> workloads = loads.stream().map(common::workload).toList();
      RoutingOptions options =
          common.options(rounds, seconds, modes.stream().map(RoutingBenchCommand::mode).toList());
      List<String> tables = new ArrayList<>();
      for (RoutedWorkload workload : workloads) {
        out.printf("---- %s%n", workload.name());
        List<ModeResult> results = new RoutingComparison(workload, options, out).run();
        String table = RoutingTable.of(options.modes(), results);
        out.println();
        out.println(table);
        out.flush();
        tables.add("**" + workload.name() + "**\n\n" + table);
      }
      out.printf(
          "%n%d rounds of %d s for each mode, %d clients: median (least to most)%n%n",
          rounds, seconds, options.clients());
      tables.forEach(out::println);
      out.flush();
      return 0;
    }
  }

  @Command(
      name = "drift",
      description =
          "YCSB's hot spot moves by half of the key space: seconds until transfers per"
              + " transaction are back.",
      mixinStandardHelpOptions = true)
  static final class Drift implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private RoutingBenchOptions common;
    @Mixin private Mode mode;

    @Option(
        names = "--before",
        defaultValue = "15",
        description = "Seconds measured before (${DEFAULT-VALUE}).")
    private int before;

    @Option(
        names = "--most",
        defaultValue = "120",
        description = "Seconds to wait afterwards (${DEFAULT-VALUE}).")
    private int most;

    @Override
    public Integer call() throws Exception {
      configureDjl();
      boolean isBack =
          new MovedHotSpot(
                  common.workload("ycsb"),
                  mode.mode(),
                  common.options(1, before, List.of()),
                  spec.commandLine().getOut())
              .run(before, most)
              .isPresent();
      return isBack ? 0 : NOT_REACHED;
    }
  }

  @Command(
      name = "join",
      description =
          "Waits under load for one more compute node (./gauss add --role compute):"
              + " seconds from UP to its share.",
      mixinStandardHelpOptions = true)
  static final class Join implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private RoutingBenchOptions common;
    @Mixin private Load load;
    @Mixin private Mode mode;

    @Option(
        names = "--share",
        defaultValue = "25",
        description = "Percent of the transactions (${DEFAULT-VALUE}).")
    private int share;

    @Option(
        names = "--wait",
        defaultValue = "180",
        description = "Seconds to wait for the node (${DEFAULT-VALUE}).")
    private int wait;

    @Option(
        names = "--most",
        defaultValue = "120",
        description = "Seconds to wait for its share (${DEFAULT-VALUE}).")
    private int most;

    @Override
    public Integer call() throws Exception {
      configureDjl();
      boolean hasShare =
          new JoiningNode(
                  load.workload(common),
                  mode.mode(),
                  common.options(1, 1, List.of()),
                  spec.commandLine().getOut())
              .run(share / 100.0, wait, most)
              .isPresent();
      return hasShare ? 0 : NOT_REACHED;
    }
  }

  /** Options of the commands that disturb the cluster, or have the user do it. */
  static final class Disturbed {
    @Mixin private RoutingBenchOptions common;
    @Mixin private Load load;
    @Mixin private Mode mode;

    @Option(
        names = "--seconds",
        defaultValue = "10",
        description = "Measured before and afterwards (${DEFAULT-VALUE}).")
    private int seconds;

    @Option(
        names = "--after",
        defaultValue = "30",
        description = "Seconds to watch after the event (${DEFAULT-VALUE}).")
    private int after;

    Disturbance disturbance(CommandSpec spec) {
      configureDjl();
      return new Disturbance(
          load.workload(common),
          mode.mode(),
          common.options(1, seconds, List.of()),
          spec.commandLine().getOut());
    }
  }

  @Command(
      name = "leave",
      description =
          "Waits under load until a compute node leaves (./gauss drain, or its end): what clients"
              + " notice.",
      mixinStandardHelpOptions = true)
  static final class Leave implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private Disturbed disturbed;

    @Option(
        names = "--wait",
        defaultValue = "180",
        description = "Seconds to wait for that (${DEFAULT-VALUE}).")
    private int wait;

    @Override
    public Integer call() throws Exception {
      return disturbed.disturbance(spec).leave(wait, disturbed.after) ? 0 : NOT_REACHED;
    }
  }

  @Command(
      name = "learner",
      description =
          "Kills the node that learns and starts it again, on this machine: what clients notice,"
              + " and whether anything moves.",
      mixinStandardHelpOptions = true)
  static final class Learner implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private Disturbed disturbed;

    @Option(names = "--times", defaultValue = "1", description = "How often (${DEFAULT-VALUE}).")
    private int times;

    @Option(
        names = "--every",
        defaultValue = "10",
        description = "Seconds from one time to the next (${DEFAULT-VALUE}).")
    private int every;

    @Override
    public Integer call() throws Exception {
      disturbed.disturbance(spec).restartLearner(times, every, disturbed.after);
      return 0;
    }
  }

  @Command(
      name = "ablation",
      description =
          "What each part of that which is learned is worth, by transactions that come later: the"
              + " share of what they touch that has to come from other nodes.",
      mixinStandardHelpOptions = true)
  static final class Ablation implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private RoutingBenchOptions common;

    @Option(
        names = "--loads",
        split = ",",
        defaultValue = "tpcc,ycsb,ids,tenants-61,orm",
        description = "One or several, of " + LOADS + " (${DEFAULT-VALUE}).")
    private List<String> loads;

    @Option(
        names = "--seconds",
        defaultValue = "40",
        description = "In which judgements count, after --learn (${DEFAULT-VALUE}).")
    private int seconds;

    @Override
    public Integer call() throws Exception {
      PrintWriter out = spec.commandLine().getOut();
      RoutingOptions options = common.options(1, seconds, List.of());
      List<String> rows = new ArrayList<>();
      for (RoutedWorkload workload : loads.stream().map(common::workload).toList()) {
        out.printf("---- %s%n", workload.name());
        Map<String, Double> parts = new LearnedParts(workload, options, out).run(seconds);
        if (rows.isEmpty() && !parts.isEmpty()) {
          rows.add("| load | " + String.join(" | ", parts.keySet()) + " |");
          rows.add("|---|" + "---|".repeat(parts.size()));
        }
        StringBuilder row = new StringBuilder("| " + workload.name());
        parts.values().forEach(away -> row.append(String.format(Locale.ROOT, " | %.3f", away)));
        rows.add(row + " |");
      }
      rows.forEach(out::println);
      out.flush();
      return 0;
    }
  }
}
