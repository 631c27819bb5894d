package io.gauss.bench.tpcc;

/** Cardinalities of TPC-C 5.11, clause 1.2.1. */
final class TpccScale {
  static final int ITEMS = 100_000;
  static final int DISTRICTS = 10;
  static final int CUSTOMERS = 3_000;
  static final int ORDERS = 3_000;
  static final int FIRST_NEW_ORDER = 2_101;

  private TpccScale() {}
}
