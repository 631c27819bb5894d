package io.gauss.bench.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The loads that are known, by what their statements access. A page has 8 KB; rows of sysbench take
 * 215 bytes, so that a range of 100 lies on 3.6 leaves.
 */
final class Loads {
  /** Share of TPC-C's transactions that touch another warehouse, as its specification has it. */
  static final double TPCC_REMOTE = 0.108;

  private static final double ORDER_LINES_REMOTE = 0.01;
  private static final double PAYMENTS_REMOTE = 0.15;
  private static final double RANGE_LEAVES = 3.6;
  private static final double ALL = 1;

  private static final Map<String, Load> MEASURED =
      Map.of(
          "tpcc", tpcc(TPCC_REMOTE),
          "tpcb", tpcb(),
          "ycsb-a", ycsb("ycsb-a", 0.5, List.of()),
          "sysbench-point_select", sysbench("sysbench-point_select", 1, 0, 1, 0),
          "sysbench-update_non_index", sysbench("sysbench-update_non_index", 0, 1, 1, 0),
          "sysbench-write_only", sysbench("sysbench-write_only", 0, 3, 5, 3),
          "sysbench-read_write", sysbench("sysbench-read_write", 10 + 4 * RANGE_LEAVES, 3, 19, 3));

  private Loads() {}

  /**
   * That of a benchmark.
   *
   * @throws IllegalArgumentException when its accesses are not known
   */
  static Load measured(String benchmark) {
    Load load = MEASURED.get(benchmark);
    if (load == null) {
      throw new IllegalArgumentException(
          "what " + benchmark + " accesses is not known, only of " + MEASURED.keySet());
    }
    return load;
  }

  /**
   * TPC-C whose terminals are at the node of their warehouse. By the proportions of its
   * transactions: new orders 45 %, payments 43 %, the others 4 % each; an order has ten lines. 200
   * stock rows are read for each stock level, on as many pages.
   *
   * @param remote share of the transactions that touch another warehouse; of new orders and
   *     payments in the proportion that TPC-C has
   */
  static Load tpcc(double remote) {
    double scale = remote / TPCC_REMOTE;
    double line = Math.min(1, ORDER_LINES_REMOTE * scale);
    double payment = Math.min(1, PAYMENTS_REMOTE * scale);
    double customerWrites = 0.43 + 0.4;
    List<PageClass> pages = new ArrayList<>();
    pages.add(new PageClass("stock", 8, 4.5, line));
    pages.add(new PageClass("order lines by stock", 0, 4.5, line));
    pages.add(new PageClass("customer", 1.3, customerWrites, payment * 0.43 / customerWrites));
    pages.add(new PageClass("history by customer", 0, 0.43, payment));
    pages.add(new PageClass("warehouse", 0.45, 0.43, 0));
    pages.add(new PageClass("district", 0.04, 0.88, 0));
    pages.add(new PageClass("order", 0.04, 0.85, 0));
    pages.add(new PageClass("order by customer", 0.04, 0.45, 0));
    pages.add(new PageClass("order line", 0.16, 0.85, 0));
    pages.add(new PageClass("new order", 0, 0.85, 0));
    return new Load(
        "TPC-C, %.0f %% remote".formatted(100 * remote), "tpcc", 27, 0.92, pages, false, List.of());
  }

  /** Rows of TPC-C that are hot when there are fewer warehouses than clients. */
  static List<HotSpot> tpccRows(int warehouses) {
    return List.of(
        new HotSpot("warehouse's row", warehouses, 0.43, 5),
        new HotSpot("district's row", 10 * warehouses, 0.88, 20));
  }

  /** TPC-B with few branches, as it is measured: all of them are on one page, as are tellers. */
  private static Load tpcb() {
    return new Load(
        "TPC-B",
        "tpcb",
        6,
        1,
        List.of(
            new PageClass("accounts", 0, 1, 0),
            new PageClass("tellers", 0, 1, 0),
            new PageClass("branches", 0, 1, 0)),
        true,
        List.of(new HotSpot("branch", 3, 1, 2)));
  }

  /**
   * A transaction that changes a row of its own and one that all nodes change.
   *
   * @param rows how many such rows there are, each on a page of its own
   */
  static Load hotRows(int rows) {
    return new Load(
        rows == 1 ? "one shared row" : rows + " shared rows",
        "tpcb",
        6,
        1,
        List.of(new PageClass("shared rows", 0, 1, 0)),
        true,
        List.of(new HotSpot("shared row", rows, 1, 2)));
  }

  /** YCSB A: half of the operations read a row, half change one, by Zipf's distribution. */
  static Load ycsbA(int records) {
    List<HotSpot> hot = new ArrayList<>();
    double all = 0;
    for (int rank = 1; rank <= records; rank++) {
      all += Math.pow(rank, -0.99);
    }
    for (int rank = 1; rank <= 8; rank++) {
      hot.add(new HotSpot("page of row " + rank, 1, Math.pow(rank, -0.99) / all, 0));
    }
    return ycsb("YCSB A", 0.5, hot);
  }

  private static Load ycsb(String name, double writes, List<HotSpot> hot) {
    return new Load(
        name,
        "ycsb-a",
        1,
        writes,
        List.of(new PageClass("rows", 1 - writes, writes, 0)),
        true,
        hot);
  }

  private static Load sysbench(
      String name, double reads, double rowWrites, double statements, double indexWrites) {
    return new Load(
        name,
        name,
        statements,
        rowWrites > 0 ? ALL : 0,
        List.of(
            new PageClass("rows", reads, rowWrites, 0), new PageClass("index", 0, indexWrites, 0)),
        true,
        List.of());
  }
}
