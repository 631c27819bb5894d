package io.gauss.server;

import io.gauss.bench.routing.AscendingKeys;
import io.gauss.bench.routing.HotRanges;
import io.gauss.bench.routing.Orm;
import io.gauss.bench.routing.RandomIds;
import io.gauss.bench.routing.RoutedWorkload;
import io.gauss.bench.routing.RoutingMode;
import io.gauss.bench.routing.RoutingOptions;
import io.gauss.bench.routing.ScatteredKeys;
import io.gauss.bench.routing.SmallBank;
import io.gauss.bench.routing.Tenants;
import io.gauss.bench.tpcc.RoamingTpcc;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of all experiments on routing: the cluster, how they run, and their loads. */
final class RoutingBenchOptions {
  static final String LOADS =
      "tpcc, ycsb, dealt, shuffled, ids, smallbank, tenants-11 (or another number), hot-tenant, orm"
          + " or ascending";
  private static final String TENANTS = "tenants-";
  private static final int HOT_TENANTS = 20;

  /** Of SmallBank's customers, so many times fewer have rows in each of the mapper's tables. */
  private static final int FEWER_CUSTOMERS = 20;

  @Mixin private ClientNodes nodes;

  @Option(
      names = "--clients",
      defaultValue = "8",
      description = "Concurrent connections of each mode (${DEFAULT-VALUE}).")
  private int clients;

  @Option(
      names = "--settle",
      defaultValue = "3",
      description = "Seconds before measuring, at least (${DEFAULT-VALUE}).")
  private int settle;

  @Option(
      names = "--settle-most",
      defaultValue = "15",
      description = "And at most (${DEFAULT-VALUE}).")
  private int settleMost;

  @Option(
      names = "--learn",
      defaultValue = "40",
      description =
          "Seconds of transactions on any node first; JVMs get warm meanwhile"
              + " (${DEFAULT-VALUE}).")
  private int learn;

  @Option(
      names = "--learn-most",
      defaultValue = "40",
      description =
          "Seconds more for each mode until what is published knows nine tenths of the"
              + " transactions, at most (${DEFAULT-VALUE}).")
  private int learnMost;

  @Option(names = "--warehouses", defaultValue = "6", description = "TPC-C (${DEFAULT-VALUE}).")
  private int warehouses;

  @Option(
      names = "--items",
      defaultValue = "10000",
      description =
          "Items of TPC-C, and rows of stock of a warehouse; 100000 is TPC-C's, whose pages take"
              + " minutes to come to their nodes (${DEFAULT-VALUE}).")
  private int items;

  @Option(
      names = "--foreign-keys",
      negatable = true,
      defaultValue = "false",
      fallbackValue = "true",
      description = "Create TPC-C's foreign keys, with indexes of their own.")
  private boolean foreignKeys;

  @Option(
      names = "--records",
      defaultValue = "100000",
      description = "Rows of YCSB (${DEFAULT-VALUE}).")
  private int records;

  @Option(
      names = "--ranges",
      defaultValue = "90",
      description = "Ranges of YCSB's keys (${DEFAULT-VALUE}).")
  private int ranges;

  @Option(
      names = "--members",
      defaultValue = "400000",
      description =
          "Scattered keys, random ids and ascending keys, and accounts of all tenants; a multiple"
              + " of the tenants is taken (${DEFAULT-VALUE}).")
  private int members;

  @Option(
      names = "--customers",
      defaultValue = "100000",
      description = "SmallBank; orm has a twentieth, with 48 rows each (${DEFAULT-VALUE}).")
  private int customers;

  @Option(names = "--load", description = "Load anew even when the tables are there.")
  private boolean load;

  @Option(names = "--seed", defaultValue = "1", description = "Seed (${DEFAULT-VALUE}).")
  private long seed;

  RoutingOptions options(int rounds, int seconds, List<RoutingMode> modes) {
    return new RoutingOptions(
        nodes.addresses(),
        nodes.user(),
        nodes.password(),
        clients,
        rounds,
        seconds,
        settle,
        settleMost,
        learn,
        learnMost,
        modes,
        load,
        seed);
  }

  RoutedWorkload workload(String name) {
    return switch (name) {
      case "tpcc" -> new RoamingTpcc(warehouses, items, foreignKeys);
      case "ycsb" -> new HotRanges(records, ranges);
      case "dealt" -> scattered(ScatteredKeys.Order.DEALT);
      case "shuffled" -> scattered(ScatteredKeys.Order.SHUFFLED);
      case "ids" -> new RandomIds(members);
      case "smallbank" -> new SmallBank(customers);
      case "hot-tenant" -> tenants(HOT_TENANTS, true);
      case "orm" -> new Orm(Math.max(FEWER_CUSTOMERS, customers) / FEWER_CUSTOMERS);
      case "ascending" -> new AscendingKeys(members);
      default -> {
        if (!name.matches(TENANTS + "[1-9]\\d{0,4}")) {
          throw new RefusedException("load " + name + ": there are " + LOADS);
        }
        yield tenants(Integer.parseInt(name.substring(TENANTS.length())), false);
      }
    };
  }

  private RoutedWorkload tenants(int tenants, boolean hasHotOne) {
    return new Tenants(tenants, Math.max(1, members / tenants) * tenants, hasHotOne);
  }

  private RoutedWorkload scattered(ScatteredKeys.Order order) {
    int tenants = 60;
    return new ScatteredKeys(order, Math.max(1, members / tenants) * tenants, tenants);
  }
}
