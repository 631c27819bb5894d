package io.gauss.server;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.gauss.bench.RerouteComparison;
import io.gauss.bench.RerouteLoad;
import io.gauss.bench.RerouteOptions;
import io.gauss.bench.RerouteResult;
import io.gauss.bench.RerouteTable;
import io.gauss.bench.routing.RandomIds;
import io.gauss.bench.sysbench.SysbenchWorkload;
import io.gauss.bench.tpcb.TpcbWorkload;
import io.gauss.bench.tpcc.RoamingTpcc;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures what forwarding costs or gains for clients with PostgreSQL's driver. */
@Command(
    name = "reroute",
    description =
        "Compare gauss.reroute = off and on for clients with PostgreSQL's driver, in turn on a"
            + " running cluster of several compute nodes.",
    mixinStandardHelpOptions = true)
final class RerouteBenchCommand implements Callable<Integer> {
  private static final int FAILED_CONDITIONS = 4;
  private static final String LOADS = "select-prepared, select-simple, tpcb, tpcc or ids";

  @Spec private CommandSpec spec;
  @Mixin private ClientNodes nodes;

  @Option(
      names = "--loads",
      split = ",",
      defaultValue = "select-prepared,select-simple,tpcb,tpcc,ids",
      description = "One or several, of " + LOADS + " (${DEFAULT-VALUE}).")
  private List<String> loads;

  @Option(
      names = "--clients",
      defaultValue = "9",
      description = "Concurrent connections, dealt to the nodes in turn (${DEFAULT-VALUE}).")
  private int clients;

  @Option(
      names = "--rounds",
      defaultValue = "6",
      description =
          "Rounds, in each of which both settings have a turn; an even number is fair to both"
              + " (${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--seconds",
      defaultValue = "10",
      description = "Measured in each turn (${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = "--settle",
      defaultValue = "3",
      description = "Seconds of each turn before that (${DEFAULT-VALUE}).")
  private int settle;

  @Option(
      names = "--warmup",
      defaultValue = "60",
      description =
          "Seconds before the first round, in which transactions may be forwarded; JVMs get warm"
              + " meanwhile, and a cluster that learns does so (${DEFAULT-VALUE}).")
  private int warmup;

  @Option(
      names = "--tables",
      defaultValue = "4",
      description = "Of the selects (${DEFAULT-VALUE}).")
  private int tables;

  @Option(
      names = "--table-size",
      defaultValue = "50000",
      description = "Rows in each (${DEFAULT-VALUE}).")
  private int tableSize;

  @Option(names = "--branches", defaultValue = "12", description = "TPC-B (${DEFAULT-VALUE}).")
  private int branches;

  @Option(
      names = "--accounts",
      defaultValue = "10000",
      description = "Accounts of each branch; 100000 in TPC-B (${DEFAULT-VALUE}).")
  private int accounts;

  @Option(names = "--warehouses", defaultValue = "6", description = "TPC-C (${DEFAULT-VALUE}).")
  private int warehouses;

  @Option(
      names = "--items",
      defaultValue = "10000",
      description = "Items of TPC-C; 100000 is TPC-C's (${DEFAULT-VALUE}).")
  private int items;

  @Option(
      names = "--ids",
      defaultValue = "120000",
      description = "Rows with ids given at random (${DEFAULT-VALUE}).")
  private int ids;

  @Option(names = "--load", description = "Load anew even when the tables are there.")
  private boolean load;

  @Option(names = "--seed", defaultValue = "1", description = "Seed (${DEFAULT-VALUE}).")
  private long seed;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results as JSON.")
  private Path json;

  private RerouteLoad load(String name) {
    return switch (name) {
      case "select-prepared" -> new RerouteLoad(name, selects(), false);
      case "select-simple" -> new RerouteLoad(name, selects(), true);
      case "tpcb" -> new RerouteLoad(name, new TpcbWorkload(branches, accounts), false);
      case "tpcc" -> new RerouteLoad(name, new RoamingTpcc(warehouses, items, false), false);
      case "ids" -> new RerouteLoad(name, new RandomIds(ids), false);
      default -> throw new RefusedException("load " + name + ": there are " + LOADS);
    };
  }

  private SysbenchWorkload selects() {
    return new SysbenchWorkload("point_select", tables, tableSize);
  }

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    RerouteOptions options =
        new RerouteOptions(
            nodes.addresses(),
            nodes.user(),
            nodes.password(),
            clients,
            rounds,
            seconds,
            settle,
            warmup,
            load,
            seed);
    List<RerouteResult> results = new ArrayList<>();
    for (RerouteLoad each : loads.stream().map(this::load).toList()) {
      out.printf("---- %s%n", each.name());
      results.add(new RerouteComparison(each, options, out).run());
    }
    out.printf(
        "%n%d rounds of %d s for each setting, %d clients: median (least to most); changes are"
            + " those within a round%n%n%s%n",
        rounds, seconds, clients, RerouteTable.of(results));
    results.forEach(
        result -> result.violations().forEach(v -> out.println(result.load() + " VIOLATED: " + v)));
    out.flush();
    if (json != null) {
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .writeValue(json.toFile(), results);
    }
    return results.stream().allMatch(result -> result.violations().isEmpty())
        ? 0
        : FAILED_CONDITIONS;
  }
}
