package io.gauss.router.train;

import io.gauss.jdbc.routing.statement.ReadStatement;
import io.gauss.jdbc.routing.statement.StatementReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Transactions whose best assignment is known. */
final class Traces {
  static final int GROUPS_PER_WAREHOUSE = 12;
  private static final int ITEM_GROUPS = 4;
  static final int ROLE = 10;
  static final int TABLE = 16_384;

  private static final ReadStatement NEW_ORDER =
      StatementReader.read(
          "SELECT c_discount, w_tax FROM customer, warehouse"
              + " WHERE w_id = ? AND c_w_id = ? AND c_d_id = ? AND c_id = ?");
  private static final ReadStatement PAYMENT =
      StatementReader.read("UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?");
  private static final ReadStatement YCSB =
      StatementReader.read("UPDATE usertable SET field1 = ? WHERE ycsb_key = ?");

  private Traces() {}

  /** One group's number: warehouses' groups are mixed, as pages of a table that grew by splits. */
  static long group(int warehouse, int place, int warehouses) {
    return (long) place << 32 | (long) warehouse * 7919 % (warehouses * 31L);
  }

  /**
   * TPC-C's shape: transactions belong to a warehouse, all read the items, one in ten new orders
   * takes stock of another warehouse and 15 % of payments are of a customer there.
   */
  static TransactionSample tpcc(Random random, int warehouses, int node) {
    int warehouse = random.nextInt(warehouses);
    Set<Long> written = new LinkedHashSet<>();
    for (int i = 0; i < 5; i++) {
      written.add(group(warehouse, random.nextInt(GROUPS_PER_WAREHOUSE), warehouses));
    }
    boolean order = random.nextInt(100) < 50;
    if (random.nextInt(100) < (order ? 10 : 15)) {
      int other = random.nextInt(warehouses);
      written.add(group(other, random.nextInt(GROUPS_PER_WAREHOUSE), warehouses));
    }
    Set<Long> groups = new LinkedHashSet<>(written);
    if (order) {
      for (int i = 0; i < 3; i++) {
        groups.add(100L << 32 | random.nextInt(ITEM_GROUPS));
      }
    }
    long id = warehouse + 1L;
    List<Object> parameters =
        order
            ? List.of(id, id, random.nextLong(1, 11), random.nextLong(1, 3001))
            : List.of(9.5, id);
    return sample(order ? NEW_ORDER : PAYMENT, parameters, groups, written, node);
  }

  /**
   * TPC-C's shape as it begins: the rows of {@code warehouse}, and those of {@code district}, are
   * on one leaf each. What a warehouse's payments and its orders have in common beside these is
   * that orders read the customers.
   */
  static TransactionSample tpccOnSharedLeaves(Random random, int warehouses) {
    int warehouse = random.nextInt(warehouses);
    long id = warehouse + 1L;
    long district = 201L << 32;
    long customer = 300L + warehouse << 32 | random.nextInt(GROUPS_PER_WAREHOUSE);
    if (random.nextInt(100) < 48) {
      Set<Long> written = new LinkedHashSet<>(List.of(200L << 32, district, customer));
      return sample(PAYMENT, List.of(9.5, id), written, written, 1);
    }
    Set<Long> written = new LinkedHashSet<>(List.of(district));
    for (int i = 0; i < 4; i++) {
      written.add(400L + warehouse << 32 | random.nextInt(GROUPS_PER_WAREHOUSE / 2));
    }
    Set<Long> groups = new LinkedHashSet<>(written);
    groups.add(customer);
    return sample(
        NEW_ORDER,
        List.of(id, id, random.nextLong(1, 11), random.nextLong(1, 3001)),
        groups,
        written,
        1);
  }

  /** A range of keys is a group; {@code hot} of 100 operations go to the hot tenth of the keys. */
  static TransactionSample ycsb(Random random, int keys, int groups, int hotAt, int hot, int node) {
    int key = random.nextInt(keys);
    if (random.nextInt(100) < hot) {
      key = (hotAt + random.nextInt(keys / 10)) % keys;
    }
    Set<Long> touched = Set.of(1L << 32 | (long) key * groups / keys);
    return sample(YCSB, List.of("x", "user" + String.format("%08d", key)), touched, touched, node);
  }

  /** Keys dealt out in turn: neighbouring keys are in different groups. */
  static TransactionSample dealt(Random random, int keys, int groups, int node) {
    long key = random.nextInt(keys);
    long first = key % groups;
    Set<Long> touched = new LinkedHashSet<>(Arrays.asList(7L << 32 | first, 8L << 32 | first));
    return sample(
        StatementReader.read("SELECT v FROM t WHERE k = ?"), List.of(key), touched, touched, node);
  }

  /** Keys whose groups have no order at all. */
  static TransactionSample shuffled(Random random, int keys, int groups, int node) {
    long key = random.nextInt(keys);
    long place = new Random(key * 0x9e3779b97f4a7c15L).nextInt(1000) % groups;
    Set<Long> touched = new LinkedHashSet<>(Arrays.asList(7L << 32 | place, 8L << 32 | place));
    return sample(
        StatementReader.read("SELECT v FROM t WHERE k = ?"), List.of(key), touched, touched, node);
  }

  /** One of so many keys in no order, each with a group of its own. */
  static TransactionSample grown(Random random, int keys) {
    long key = random.nextInt(keys);
    Set<Long> touched = Set.of(9L << 32 | new Random(key * 0x9e3779b97f4a7c15L).nextInt(keys));
    return sample(
        StatementReader.read("UPDATE t SET v = v + 1 WHERE k = ?"),
        List.of(key),
        touched,
        touched,
        1);
  }

  /** A visit of that tenant writes these groups. */
  static TransactionSample visit(long tenant, long... groups) {
    Set<Long> touched = new LinkedHashSet<>();
    for (long group : groups) {
      touched.add(group);
    }
    return sample(
        StatementReader.read("INSERT INTO visit (tenant, day) VALUES (?, now())"),
        List.of(tenant),
        touched,
        touched,
        1);
  }

  /** Each tenant has a group of its own and one of another kind, which is {@code shift} further. */
  static TransactionSample pair(Random random, int tenants, int shift, int node) {
    int tenant = random.nextInt(tenants);
    Set<Long> touched =
        new LinkedHashSet<>(
            Arrays.asList(1L << 32 | tenant, 2L << 32 | (tenant + shift) % tenants));
    return sample(
        StatementReader.read("INSERT INTO visit (tenant, day) VALUES (?, now())"),
        List.of((long) tenant),
        touched,
        touched,
        node);
  }

  static TransactionSample sample(
      ReadStatement read, List<Object> parameters, Set<Long> groups, Set<Long> written, int node) {
    return new TransactionSample(
        read.template(),
        read.values(parameters),
        longs(groups),
        longs(written),
        new long[0],
        node,
        0,
        1,
        groups.size(),
        0,
        ROLE,
        tables(read.template().predicates().size()));
  }

  /** The same as one that stands for so many transactions, or takes so many times the work. */
  static TransactionSample weighed(TransactionSample s, double weight, double work) {
    return new TransactionSample(
        s.template(),
        s.values(),
        s.groups(),
        s.written(),
        s.moved(),
        s.node(),
        s.transfers(),
        weight,
        s.work() * work,
        s.keyGroup(),
        s.role(),
        s.tables());
  }

  /** The same when pages of these groups had to come from elsewhere. */
  static TransactionSample moved(TransactionSample s, long... moved) {
    return new TransactionSample(
        s.template(),
        s.values(),
        s.groups(),
        s.written(),
        moved,
        s.node(),
        moved.length,
        s.weight(),
        s.work(),
        s.keyGroup(),
        s.role(),
        s.tables());
  }

  /** The same when the rows of its key are in this group. */
  static TransactionSample keyed(TransactionSample s, long keyGroup) {
    return new TransactionSample(
        s.template(),
        s.values(),
        s.groups(),
        s.written(),
        s.moved(),
        s.node(),
        s.transfers(),
        s.weight(),
        s.work(),
        keyGroup,
        s.role(),
        s.tables());
  }

  /** The same of another role, with values of another table. */
  static TransactionSample of(TransactionSample s, int role, int table) {
    int[][] tables = new int[s.tables().length][];
    Arrays.fill(tables, new int[] {table});
    return new TransactionSample(
        s.template(),
        s.values(),
        s.groups(),
        s.written(),
        s.moved(),
        s.node(),
        s.transfers(),
        s.weight(),
        s.work(),
        s.keyGroup(),
        role,
        tables);
  }

  private static int[][] tables(int predicates) {
    int[][] tables = new int[predicates][];
    Arrays.fill(tables, new int[] {TABLE});
    return tables;
  }

  private static long[] longs(Set<Long> values) {
    List<Long> list = new ArrayList<>(values);
    return list.stream().mapToLong(Long::longValue).toArray();
  }
}
