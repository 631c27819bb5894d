package io.gauss.bench.tpcc;

import io.gauss.bench.Workload;
import io.gauss.bench.routing.RoutedWorkload;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.Arrays;
import org.agrona.collections.IntArrayList;

/**
 * The five transactions of TPC-C 5.11, clause 2.4 to 2.8, at a terminal of one warehouse, or at one
 * that belongs to another warehouse for each transaction. Not thread-safe.
 */
final class TpccTerminal implements Workload.Terminal {
  private static final int NEW_ORDER = 0;
  private static final int PAYMENT = 1;
  private static final int ORDER_STATUS = 2;
  private static final int DELIVERY = 3;
  private static final int STOCK_LEVEL = 4;
  private static final int UNUSED_ITEM = -1;

  private final Connection connection;
  private final int warehouses;
  private final RoutedWorkload.UnitHint hint; // null = the terminal keeps its warehouse
  private final TpccRandom random;
  private final TpccStatements sql;
  private int home;
  private int kind;

  /** Data of the last order that the terminal would show. */
  private BigDecimal orderTotal = BigDecimal.ZERO;

  TpccTerminal(Connection connection, int warehouses, int home, TpccRandom random)
      throws SQLException {
    this(connection, warehouses, home, random, null);
  }

  /** A terminal that changes its warehouse, and reports it before each transaction. */
  static TpccTerminal roaming(
      Connection connection, int warehouses, TpccRandom random, RoutedWorkload.UnitHint hint)
      throws SQLException {
    return new TpccTerminal(connection, warehouses, 1, random, hint);
  }

  private TpccTerminal(
      Connection connection,
      int warehouses,
      int home,
      TpccRandom random,
      RoutedWorkload.UnitHint hint)
      throws SQLException {
    this.connection = connection;
    this.warehouses = warehouses;
    this.home = home;
    this.random = random;
    this.hint = hint;
    this.sql = new TpccStatements(connection);
  }

  BigDecimal orderTotal() {
    return orderTotal;
  }

  @Override
  public int currentKind() {
    return kind;
  }

  @Override
  public int runOne() throws SQLException {
    if (hint != null) {
      home = random.uniform(1, warehouses);
      hint.begins(home - 1, home);
    }
    int dice = random.uniform(1, 100);
    if (dice <= 45) {
      kind = NEW_ORDER;
      newOrder();
    } else if (dice <= 88) {
      kind = PAYMENT;
      payment();
    } else if (dice <= 92) {
      kind = ORDER_STATUS;
      orderStatus();
    } else if (dice <= 96) {
      kind = DELIVERY;
      delivery();
    } else {
      kind = STOCK_LEVEL;
      stockLevel();
    }
    return kind;
  }

  private static Timestamp now() {
    return new Timestamp(System.currentTimeMillis());
  }

  private static void need(ResultSet rows, String what) throws SQLException {
    if (!rows.next()) {
      throw new SQLException("no row: " + what, "02000");
    }
  }

  // ---------------------------------------------------------------- new order (2.4)

  private void newOrder() throws SQLException {
    // Remains of a failed attempt.
    sql.insertOrderLine.clearBatch();
    int district = random.uniform(1, TpccScale.DISTRICTS);
    int customer = random.customerId();
    int lines = random.uniform(5, 15);
    boolean rollback = random.uniform(1, 100) == 1;
    int[] items = new int[lines];
    int[] supply = new int[lines];
    int[] quantities = new int[lines];
    boolean allLocal = true;
    for (int i = 0; i < lines; i++) {
      items[i] = random.itemId();
      supply[i] = home;
      if (warehouses > 1 && random.percent(1)) {
        do {
          supply[i] = random.uniform(1, warehouses);
        } while (supply[i] == home);
        allLocal = false;
      }
      quantities[i] = random.uniform(1, 10);
    }
    if (rollback) {
      items[lines - 1] = UNUSED_ITEM;
    }

    BigDecimal discount;
    PreparedStatement s = sql.customerForOrder;
    s.setInt(1, home);
    s.setInt(2, district);
    s.setInt(3, customer);
    try (ResultSet rows = s.executeQuery()) {
      need(rows, "customer");
      discount = rows.getBigDecimal(1);
      rows.getString(2);
      rows.getString(3);
    }
    BigDecimal warehouseTax;
    s = sql.warehouseTax;
    s.setInt(1, home);
    try (ResultSet rows = s.executeQuery()) {
      need(rows, "warehouse");
      warehouseTax = rows.getBigDecimal(1);
    }
    int order;
    BigDecimal districtTax;
    s = sql.districtForUpdate;
    s.setInt(1, home);
    s.setInt(2, district);
    try (ResultSet rows = s.executeQuery()) {
      need(rows, "district");
      order = rows.getInt(1);
      districtTax = rows.getBigDecimal(2);
    }
    s = sql.nextOrder;
    s.setInt(1, home);
    s.setInt(2, district);
    s.executeUpdate();
    s = sql.insertOrder;
    s.setInt(1, home);
    s.setInt(2, district);
    s.setInt(3, order);
    s.setInt(4, customer);
    s.setTimestamp(5, now());
    s.setInt(6, lines);
    s.setInt(7, allLocal ? 1 : 0);
    s.executeUpdate();
    s = sql.insertNewOrder;
    s.setInt(1, home);
    s.setInt(2, district);
    s.setInt(3, order);
    s.executeUpdate();

    // In the order of item numbers, so that two orders never lock stock rows in opposite orders.
    Integer[] sequence = new Integer[lines];
    Arrays.setAll(sequence, i -> i);
    Arrays.sort(
        sequence,
        (a, b) ->
            supply[a] != supply[b]
                ? Integer.compare(supply[a], supply[b])
                : Integer.compare(items[a], items[b]));
    BigDecimal total = BigDecimal.ZERO;
    for (int i : sequence) {
      BigDecimal price;
      s = sql.item;
      s.setInt(1, items[i]);
      try (ResultSet rows = s.executeQuery()) {
        if (!rows.next()) {
          connection.rollback();
          return;
        }
        price = rows.getBigDecimal(1);
        rows.getString(2);
        rows.getString(3);
      }
      int stock;
      String info;
      s = sql.stockForUpdate;
      s.setInt(1, supply[i]);
      s.setInt(2, items[i]);
      try (ResultSet rows = s.executeQuery()) {
        need(rows, "stock");
        stock = rows.getInt(1);
        rows.getString(2);
        info = rows.getString(2 + district);
      }
      s = sql.updateStock;
      s.setInt(1, stock - quantities[i] >= 10 ? stock - quantities[i] : stock - quantities[i] + 91);
      s.setInt(2, quantities[i]);
      s.setInt(3, supply[i] == home ? 0 : 1);
      s.setInt(4, supply[i]);
      s.setInt(5, items[i]);
      s.executeUpdate();
      BigDecimal amount = price.multiply(BigDecimal.valueOf(quantities[i]));
      total = total.add(amount);
      s = sql.insertOrderLine;
      s.setInt(1, home);
      s.setInt(2, district);
      s.setInt(3, order);
      s.setInt(4, i + 1);
      s.setInt(5, items[i]);
      s.setInt(6, supply[i]);
      s.setInt(7, quantities[i]);
      s.setBigDecimal(8, amount);
      s.setString(9, info);
      s.addBatch();
    }
    sql.insertOrderLine.executeBatch();
    orderTotal =
        total
            .multiply(BigDecimal.ONE.subtract(discount))
            .multiply(BigDecimal.ONE.add(warehouseTax).add(districtTax));
    connection.commit();
  }

  // ---------------------------------------------------------------- payment (2.5)

  private void payment() throws SQLException {
    int district = random.uniform(1, TpccScale.DISTRICTS);
    int customerWarehouse = home;
    int customerDistrict = district;
    if (warehouses > 1 && random.percent(15)) {
      do {
        customerWarehouse = random.uniform(1, warehouses);
      } while (customerWarehouse == home);
      customerDistrict = random.uniform(1, TpccScale.DISTRICTS);
    }
    BigDecimal amount = BigDecimal.valueOf(random.uniform(100, 500_000), 2);

    PreparedStatement s = sql.payWarehouse;
    s.setBigDecimal(1, amount);
    s.setInt(2, home);
    s.executeUpdate();
    String warehouseName;
    s = sql.warehouse;
    s.setInt(1, home);
    try (ResultSet rows = s.executeQuery()) {
      need(rows, "warehouse");
      warehouseName = rows.getString(1);
    }
    s = sql.payDistrict;
    s.setBigDecimal(1, amount);
    s.setInt(2, home);
    s.setInt(3, district);
    s.executeUpdate();
    String districtName;
    s = sql.district;
    s.setInt(1, home);
    s.setInt(2, district);
    try (ResultSet rows = s.executeQuery()) {
      need(rows, "district");
      districtName = rows.getString(1);
    }
    int customer =
        random.percent(60)
            ? customerByName(customerWarehouse, customerDistrict)
            : random.customerId();
    s = sql.customerForPayment;
    s.setInt(1, customerWarehouse);
    s.setInt(2, customerDistrict);
    s.setInt(3, customer);
    boolean badCredit;
    BigDecimal balance;
    try (ResultSet rows = s.executeQuery()) {
      need(rows, "customer");
      badCredit = rows.getString(1).equals("BC");
      balance = rows.getBigDecimal(2);
    }
    if (badCredit) {
      payBadCredit(customerWarehouse, customerDistrict, customer, district, amount, balance);
    } else {
      s = sql.payCustomer;
      s.setBigDecimal(1, amount);
      s.setBigDecimal(2, amount);
      s.setInt(3, customerWarehouse);
      s.setInt(4, customerDistrict);
      s.setInt(5, customer);
      s.executeUpdate();
    }
    s = sql.insertHistory;
    s.setInt(1, customer);
    s.setInt(2, customerDistrict);
    s.setInt(3, customerWarehouse);
    s.setInt(4, district);
    s.setInt(5, home);
    s.setTimestamp(6, now());
    s.setBigDecimal(7, amount);
    s.setString(8, cut(warehouseName, 10) + "    " + cut(districtName, 10));
    s.executeUpdate();
    connection.commit();
  }

  private void payBadCredit(
      int customerWarehouse,
      int customerDistrict,
      int customer,
      int district,
      BigDecimal amount,
      BigDecimal balance)
      throws SQLException {
    PreparedStatement s = sql.customerData;
    s.setInt(1, customerWarehouse);
    s.setInt(2, customerDistrict);
    s.setInt(3, customer);
    String data;
    try (ResultSet rows = s.executeQuery()) {
      need(rows, "customer");
      data = rows.getString(1);
    }
    data =
        cut(
            customer
                + " "
                + customerDistrict
                + " "
                + customerWarehouse
                + " "
                + district
                + " "
                + home
                + " "
                + amount.setScale(2, RoundingMode.HALF_UP)
                + " | "
                + data,
            500);
    s = sql.payCustomerWithData;
    s.setBigDecimal(1, balance.subtract(amount));
    s.setBigDecimal(2, amount);
    s.setString(3, data);
    s.setInt(4, customerWarehouse);
    s.setInt(5, customerDistrict);
    s.setInt(6, customer);
    s.executeUpdate();
  }

  private static String cut(String text, int length) {
    return text.length() <= length ? text : text.substring(0, length);
  }

  /** The customer in the middle of those with a last name, in the order of first names. */
  private int customerByName(int warehouse, int district) throws SQLException {
    PreparedStatement s = sql.customersByName;
    s.setInt(1, warehouse);
    s.setInt(2, district);
    s.setString(3, random.lastNameForRun());
    IntArrayList ids = new IntArrayList();
    try (ResultSet rows = s.executeQuery()) {
      while (rows.next()) {
        ids.addInt(rows.getInt(1));
      }
    }
    if (ids.isEmpty()) {
      // At small scales some names do not occur; then any customer will do.
      return random.customerId();
    }
    return ids.getInt((ids.size() + 1) / 2 - 1);
  }

  // ---------------------------------------------------------------- order status (2.6)

  private void orderStatus() throws SQLException {
    int district = random.uniform(1, TpccScale.DISTRICTS);
    int customer = random.percent(60) ? customerByName(home, district) : random.customerId();
    PreparedStatement s = sql.customerBalance;
    s.setInt(1, home);
    s.setInt(2, district);
    s.setInt(3, customer);
    try (ResultSet rows = s.executeQuery()) {
      need(rows, "customer");
      rows.getBigDecimal(1);
      rows.getString(2);
    }
    s = sql.newestOrder;
    s.setInt(1, home);
    s.setInt(2, district);
    s.setInt(3, customer);
    int order;
    try (ResultSet rows = s.executeQuery()) {
      need(rows, "order of a customer");
      order = rows.getInt(1);
      rows.getInt(2);
      rows.getTimestamp(3);
    }
    s = sql.orderLines;
    s.setInt(1, home);
    s.setInt(2, district);
    s.setInt(3, order);
    try (ResultSet rows = s.executeQuery()) {
      while (rows.next()) {
        rows.getInt(1);
        rows.getBigDecimal(3);
      }
    }
    connection.commit();
  }

  // ---------------------------------------------------------------- delivery (2.7)

  private void delivery() throws SQLException {
    int carrier = random.uniform(1, 10);
    for (int district = 1; district <= TpccScale.DISTRICTS; district++) {
      PreparedStatement s = sql.oldestNewOrder;
      s.setInt(1, home);
      s.setInt(2, district);
      int order;
      try (ResultSet rows = s.executeQuery()) {
        if (!rows.next()) {
          continue;
        }
        order = rows.getInt(1);
      }
      s = sql.deleteNewOrder;
      s.setInt(1, home);
      s.setInt(2, district);
      s.setInt(3, order);
      if (s.executeUpdate() == 0) {
        // Another delivery was faster, at READ COMMITTED.
        continue;
      }
      s = sql.orderCustomer;
      s.setInt(1, home);
      s.setInt(2, district);
      s.setInt(3, order);
      int customer;
      try (ResultSet rows = s.executeQuery()) {
        need(rows, "order");
        customer = rows.getInt(1);
      }
      s = sql.setCarrier;
      s.setInt(1, carrier);
      s.setInt(2, home);
      s.setInt(3, district);
      s.setInt(4, order);
      s.executeUpdate();
      s = sql.deliverLines;
      s.setTimestamp(1, now());
      s.setInt(2, home);
      s.setInt(3, district);
      s.setInt(4, order);
      s.executeUpdate();
      s = sql.orderTotal;
      s.setInt(1, home);
      s.setInt(2, district);
      s.setInt(3, order);
      BigDecimal total;
      try (ResultSet rows = s.executeQuery()) {
        need(rows, "order total");
        total = rows.getBigDecimal(1);
      }
      s = sql.deliverCustomer;
      s.setBigDecimal(1, total);
      s.setInt(2, home);
      s.setInt(3, district);
      s.setInt(4, customer);
      s.executeUpdate();
    }
    connection.commit();
  }

  // ---------------------------------------------------------------- stock level (2.8)

  private void stockLevel() throws SQLException {
    int district = random.uniform(1, TpccScale.DISTRICTS);
    int threshold = random.uniform(10, 20);
    PreparedStatement s = sql.districtNextOrder;
    s.setInt(1, home);
    s.setInt(2, district);
    int next;
    try (ResultSet rows = s.executeQuery()) {
      need(rows, "district");
      next = rows.getInt(1);
    }
    s = sql.lowStock;
    s.setInt(1, home);
    s.setInt(2, district);
    s.setInt(3, next);
    s.setInt(4, next - 20);
    s.setInt(5, home);
    s.setInt(6, threshold);
    try (ResultSet rows = s.executeQuery()) {
      need(rows, "count");
      rows.getInt(1);
    }
    connection.commit();
  }
}
