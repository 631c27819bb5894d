package io.gauss.server;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.gauss.bench.BenchOptions;
import io.gauss.bench.BenchReport;
import io.gauss.bench.BenchResult;
import io.gauss.bench.BenchRunner;
import io.gauss.bench.Placement;
import io.gauss.bench.Workload;
import io.gauss.bench.sysbench.SysbenchWorkload;
import io.gauss.bench.tpcb.TpcbWorkload;
import io.gauss.bench.tpcc.TpccWorkload;
import io.gauss.bench.ycsb.YcsbWorkload;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs a benchmark over plain JDBC against any JDBC URLs. */
@Command(
    name = "bench",
    description = "Run a benchmark against any JDBC URL, or several.",
    mixinStandardHelpOptions = true,
    subcommands = {
      BenchCommand.Tpcc.class,
      BenchCommand.Ycsb.class,
      BenchCommand.Sysbench.class,
      BenchCommand.Tpcb.class,
      RoutingBenchCommand.class,
      RerouteBenchCommand.class,
      ModelBenchCommand.class
    })
final class BenchCommand {
  private static final int FAILED_CONDITIONS = 4;

  /** Options that every benchmark has. */
  static final class Common {
    @Option(
        names = "--url",
        description =
            "JDBC URL (default: the node on this machine at --port); repeated for several nodes.")
    private List<String> urls = List.of();

    @Option(
        names = "--port",
        split = ",",
        defaultValue = "5432",
        description = "Port (${DEFAULT-VALUE}); those of several nodes separated by commas.")
    private List<Integer> ports;

    @Option(
        names = "--placement",
        defaultValue = "pinned",
        description =
            "Of several nodes: pinned (a terminal uses one, the terminals of a TPC-C warehouse the"
                + " same) or sprayed (each transaction goes to one by chance) (${DEFAULT-VALUE}).")
    private String placement;

    @Option(names = "--user", defaultValue = "gauss", description = "User (${DEFAULT-VALUE}).")
    private String user;

    @Option(
        names = "--password",
        arity = "0..1",
        interactive = true,
        defaultValue = "${env:PGPASSWORD:-}",
        description = "Password; asked for when no value is given (default: PGPASSWORD).")
    private String password;

    @Option(
        names = "--terminals",
        defaultValue = "8",
        description = "Concurrent connections (${DEFAULT-VALUE}).")
    private int terminals;

    @Option(
        names = "--seconds",
        defaultValue = "60",
        description = "Measured time (${DEFAULT-VALUE}).")
    private int seconds;

    @Option(
        names = "--warmup",
        defaultValue = "20",
        description = "Time before it (${DEFAULT-VALUE}).")
    private int warmup;

    @Option(
        names = "--isolation",
        description = "read-committed or repeatable-read (default: the server's).")
    private String isolation;

    @Option(names = "--load", description = "Load anew even when the tables are there.")
    private boolean load;

    @Option(names = "--seed", defaultValue = "1", description = "Seed (${DEFAULT-VALUE}).")
    private long seed;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the result as JSON.")
    private Path json;

    private int isolationLevel() {
      if (isolation == null) {
        return -1;
      }
      return switch (isolation) {
        case "read-committed" -> Connection.TRANSACTION_READ_COMMITTED;
        case "repeatable-read" -> Connection.TRANSACTION_REPEATABLE_READ;
        default ->
            throw new RefusedException(
                "--isolation " + isolation + ": read-committed and repeatable-read are known");
      };
    }

    private Placement placement() {
      return switch (placement) {
        case "pinned" -> Placement.PINNED;
        case "sprayed" -> Placement.SPRAYED;
        default ->
            throw new RefusedException(
                "--placement " + placement + ": pinned and sprayed are known");
      };
    }

    private List<String> targets() {
      Stream<String> targets =
          urls.isEmpty()
              ? ports.stream()
                  .map(port -> "jdbc:gauss://127.0.0.1:" + port + "/gauss?routing.mode=off")
              : urls.stream();
      return targets.map(Common::withBatches).toList();
    }

    private static String withBatches(String url) {
      return url.contains("reWriteBatchedInserts")
          ? url
          : url + (url.contains("?") ? "&" : "?") + "reWriteBatchedInserts=true";
    }

    int run(Workload workload, CommandSpec spec, Map<String, Object> settings) throws Exception {
      settings.put("terminals", terminals);
      settings.put("warmupSeconds", warmup);
      settings.put("isolation", isolation == null ? "server default" : isolation);
      settings.put("placement", placement);
      settings.put("seed", seed);
      var out = spec.commandLine().getOut();
      BenchOptions options =
          new BenchOptions(
              targets(),
              placement(),
              user,
              password,
              terminals,
              seconds,
              warmup,
              isolationLevel(),
              load,
              seed,
              System.console() != null && System.console().isTerminal(),
              settings);
      BenchResult result = new BenchRunner(workload, options, out).run();
      BenchReport.print(result, out);
      if (json != null) {
        new ObjectMapper()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .writeValue(json.toFile(), result);
      }
      return result.violations().isEmpty() ? 0 : FAILED_CONDITIONS;
    }
  }

  @Command(
      name = "tpcc",
      description = "TPC-C without keying and think times; conditions 1 to 4 are checked.",
      mixinStandardHelpOptions = true)
  static final class Tpcc implements java.util.concurrent.Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private Common common;

    @Option(
        names = "--warehouses",
        defaultValue = "1",
        description = "Warehouses (${DEFAULT-VALUE}).")
    private int warehouses;

    @Option(
        names = "--foreign-keys",
        negatable = true,
        defaultValue = "true",
        fallbackValue = "true",
        description = "Create the foreign keys.")
    private boolean foreignKeys;

    @Override
    public Integer call() throws Exception {
      Map<String, Object> settings = new LinkedHashMap<>();
      settings.put("warehouses", warehouses);
      settings.put("foreignKeys", foreignKeys);
      return common.run(new TpccWorkload(warehouses, foreignKeys), spec, settings);
    }
  }

  @Command(
      name = "tpcb",
      description = "TPC-B as pgbench runs it; that all balances agree is checked.",
      mixinStandardHelpOptions = true)
  static final class Tpcb implements java.util.concurrent.Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private Common common;

    @Option(names = "--branches", defaultValue = "8", description = "Branches (${DEFAULT-VALUE}).")
    private int branches;

    @Option(
        names = "--accounts",
        defaultValue = "100000",
        description = "Accounts of each branch (${DEFAULT-VALUE}).")
    private int accounts;

    @Override
    public Integer call() throws Exception {
      Map<String, Object> settings = new LinkedHashMap<>();
      settings.put("branches", branches);
      settings.put("accounts", accounts);
      return common.run(new TpcbWorkload(branches, accounts), spec, settings);
    }
  }

  @Command(
      name = "ycsb",
      description = "YCSB core workloads a to f.",
      mixinStandardHelpOptions = true)
  static final class Ycsb implements java.util.concurrent.Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private Common common;

    @Option(
        names = "--workload",
        defaultValue = "a",
        description = "One of a to f (${DEFAULT-VALUE}).")
    private char workload;

    @Option(names = "--records", defaultValue = "100000", description = "Rows (${DEFAULT-VALUE}).")
    private int records;

    @Override
    public Integer call() throws Exception {
      Map<String, Object> settings = new LinkedHashMap<>();
      settings.put("records", records);
      return common.run(new YcsbWorkload(workload, records), spec, settings);
    }
  }

  @Command(
      name = "sysbench",
      description = "sysbench's oltp_* tests.",
      mixinStandardHelpOptions = true)
  static final class Sysbench implements java.util.concurrent.Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private Common common;

    @Option(
        names = "--test",
        defaultValue = "point_select",
        description =
            "point_select, read_only, read_write, write_only, update_index, update_non_index,"
                + " insert or delete (${DEFAULT-VALUE}).")
    private String test;

    @Option(names = "--tables", defaultValue = "4", description = "Tables (${DEFAULT-VALUE}).")
    private int tables;

    @Option(
        names = "--table-size",
        defaultValue = "100000",
        description = "Rows in each (${DEFAULT-VALUE}).")
    private int tableSize;

    @Override
    public Integer call() throws Exception {
      Map<String, Object> settings = new LinkedHashMap<>();
      settings.put("tables", tables);
      settings.put("tableSize", tableSize);
      return common.run(new SysbenchWorkload(test, tables, tableSize), spec, settings);
    }
  }
}
